#pragma once
// Which nodes a rule set leaves as they are, they and all below them. The rules of a rewrite without a context see
// nothing but the node, so what held once holds for the life of the store, and a later rewrite with the same rules does
// not look again: it would find nothing to do and nothing to report.

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/ir/uop.h"
#include "engine/rewrite/rule.h"

namespace rangescope {

// Of one rule set: a bit a node, by id.
class FixedPoints {
 public:
  bool contains(UOp u) const {
    const size_t word = u.id() >> 6;
    return word < words_.size() && (words_[word] >> (u.id() & 63) & 1) != 0;
  }
  void insert(UOp u) {
    const size_t word = u.id() >> 6;
    if (word >= words_.size()) words_.resize(word + word / 4 + 16);
    words_[word] |= uint64_t{1} << (u.id() & 63);
  }

 private:
  std::vector<uint64_t> words_;
};

// Of all rule sets, in a store.
class FixedPointsBySet {
 public:
  FixedPoints& of(const RuleSet& rules) {
    const size_t at = rules.number();
    if (at >= sets_.size()) sets_.resize(at + 1);
    if (!sets_[at]) sets_[at] = std::make_unique<FixedPoints>();
    return *sets_[at];
  }

 private:
  std::vector<std::unique_ptr<FixedPoints>> sets_;
};

}  // namespace rangescope
