#pragma once
// Rules that are switched off in a store, to see what becomes of a program without them. Where none is, a matcher costs
// one branch more, and a node nothing.

#include <memory>
#include <string>
#include <vector>

#include "engine/rewrite/observer.h"
#include "engine/rewrite/rule.h"

namespace rangescope {

class RulesOff {
 public:
  explicit RulesOff(std::vector<std::string> names) : names_(std::move(names)) {}
  bool contains(std::string_view rule) const;
  // What is left of a set: the set itself where none of its rules is off.
  const RuleSet& left_of(const RuleSet& rules);

 private:
  struct Left {
    bool known = false;
    std::unique_ptr<const RuleSet> rules;  // none: all are left
  };
  std::vector<std::string> names_;
  std::vector<Left> by_number_;
};

// For the life of the store, and so before the first rewrite in it: what rewrites have found out is kept there.
void switch_off(Store& store, std::vector<std::string> rules);

}  // namespace rangescope
