#pragma once
// Rules and rule sets. A rule is a row: a name that says what it does, the pattern, the rewrite, one line of
// explanation for learners, and the reference's file and line. Rule sets concatenate; the first rule that matches and
// does not decline wins.

#include <array>
#include <cstdint>
#include <functional>
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
  UOp operator[](CaptureId name) const {
    const int8_t slot = slot_of_[static_cast<size_t>(name)];
    return slot >= 0 && is_bound(slot) ? UOp(slots_[slot]) : UOp{};
  }
  UOp root() const { return root_; }
  Store& store() const { return root_.store(); }
  // The context of the pass, as the pass and its rules agree on it.
  template <class T>
  T& context() const {
    return *static_cast<T*>(context_);
  }
  bool has_context() const { return context_ != nullptr; }
  // For rules of a bottom-up rewrite to give back: keep this node as it is and do not go below it.
  UOp close_gate() const {
    gate_closed_ = true;
    return {};
  }

 private:
  friend class Matcher;
  bool is_bound(int slot) const { return (bound_ >> slot & 1) != 0; }
  // Binds the slot, or says whether it is bound to this very node already.
  bool bind(int slot, UOp u) {
    if (is_bound(slot)) return slots_[slot] == u.node();
    bound_ |= 1U << slot;
    slots_[slot] = u.node();
    return true;
  }

  UOp root_;
  void* context_;
  const int8_t* slot_of_ = nullptr;  // by name, of the pattern that is tried
  uint32_t bound_ = 0;
  mutable bool gate_closed_ = false;
  const Node* slots_[kPatternCaptures];  // only the bound ones are set
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
  struct Entry;
  // The same without the rules that are said to be off.
  RuleSet(const RuleSet& rules, const std::function<bool(const Entry&)>& is_off);

  // A rule with what rules most attempts out before the pattern is looked at.
  struct Entry {
    const Rule* rule;
    const CompiledPattern* compiled;
    OpSet early_reject;   // ops that must be among the sources
    OpSet first, second;  // ops that the first two sources may have, in this order or, where swapped, in the other
    bool swapped;

    bool may_match(UOp u, OpSet src_ops) const {
      if (!early_reject.subset_of(src_ops)) return false;
      const auto s = u.srcs();
      if (s.size() < 2) return s.empty() || first.contains(s[0].op());
      return (first.contains(s[0].op()) && second.contains(s[1].op())) ||
             (swapped && first.contains(s[1].op()) && second.contains(s[0].op()));
    }
  };

  std::string_view name() const { return name_; }
  uint32_t number() const { return number_; }  // unique in the process
  const std::vector<Entry>& entries() const { return entries_; }
  // Entries whose root can be `op`, in order.
  const std::vector<Entry>& entries_for(Op op) const { return by_op_[static_cast<size_t>(op)]; }
  OpSet root_ops() const { return root_ops_; }  // of all entries

 private:
  void index();
  std::string_view name_;
  uint32_t number_;
  std::vector<std::shared_ptr<const Rule>> owned_;
  std::vector<std::shared_ptr<const CompiledPattern>> compiled_;
  std::vector<Entry> entries_;
  std::array<std::vector<Entry>, kOpLimit> by_op_;
  OpSet root_ops_;
};

}  // namespace rangescope
