#pragma once
// Rules and rule sets. A rule is a row: a name that says what it does, the pattern, the rewrite, one line of
// explanation for learners, and the reference's file and line. Rule sets concatenate; the first rule that matches and
// does not decline wins.

#include <array>
#include <bitset>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ir/store.h"
#include "engine/ir/uop.h"
#include "engine/rewrite/captures.h"
#include "engine/rewrite/pattern.h"

namespace rangescope {

// What a rewrite sees: the node, what the pattern's names are bound to, and the context that the pass was started with.
class Match {
 public:
  explicit Match(void* context) : context_(context) {}

  // The node bound to the name; null where the alternative that matched does not bind it.
  UOp operator[](CaptureId name) const { return is_bound(name) ? UOp(slots_[static_cast<size_t>(name)]) : UOp{}; }
  UOp root() const { return root_; }
  Store& store() const { return root_.store(); }
  // The context of the pass, as the pass and its rules agree on it.
  template <class T>
  T& context() const {
    return *static_cast<T*>(context_);
  }
  bool has_context() const { return context_ != nullptr; }

 private:
  friend class Matcher;
  using Mask = std::bitset<kCaptureLimit>;
  bool is_bound(CaptureId name) const { return bound_[static_cast<size_t>(name)]; }
  // Binds the name, or says whether it is bound to this very node already.
  bool bind(CaptureId name, UOp u) {
    const Node*& slot = slots_[static_cast<size_t>(name)];
    if (is_bound(name)) return slot == u.node();
    bound_[static_cast<size_t>(name)] = true;
    slot = u.node();
    return true;
  }

  UOp root_;
  void* context_;
  Mask bound_;
  const Node* slots_[kCaptureCount];  // only the bound ones are set
};

// The node that takes the root's place; null declines, and so does the root itself.
using Rewrite = UOp (*)(const Match&);

struct Rule {
  std::string_view name;         // kebab-case, unique within the engine
  std::string_view explanation;  // one line for a learner
  std::string_view ref;          // "schedule/rangeify.py:144": where the reference builds the outermost pattern
  Pat pattern;
  Rewrite rewrite = nullptr;
};

// A pattern flattened for matching.
struct CompiledPattern;

class RuleSet {
 public:
  RuleSet(std::string_view name, std::vector<Rule> rules);
  // Rows of several sets, in order; the rules are shared, not copied.
  RuleSet(std::string_view name, std::initializer_list<const RuleSet*> parts);

  struct Entry {
    const Rule* rule;
    const CompiledPattern* compiled;
  };

  std::string_view name() const { return name_; }
  const std::vector<Entry>& entries() const { return entries_; }
  // Entries whose root can be `op`, in order.
  const std::vector<Entry>& entries_for(Op op) const { return by_op_[static_cast<size_t>(op)]; }

 private:
  void index();
  std::string_view name_;
  std::vector<std::shared_ptr<const Rule>> owned_;
  std::vector<std::shared_ptr<const CompiledPattern>> compiled_;
  std::vector<Entry> entries_;
  std::array<std::vector<Entry>, kOpLimit> by_op_;
};

}  // namespace rangescope
