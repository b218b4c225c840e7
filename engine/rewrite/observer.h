#pragma once
// Who watches rewriting. The drivers report every tracked pass and every rule that fires; with no observer attached
// that is one branch.

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/ir/store.h"
#include "engine/ir/uop.h"
#include "engine/rewrite/rule.h"

namespace rangescope {

struct PassInfo {
  std::string_view name;
  uint32_t depth = 0;  // passes that were under way when this one began
  bool bottom_up = false;
  bool walk = false;
  bool enter_calls = false;
  bool group = false;  // only groups others: no roots, no matches
};

class RewriteObserver {
 public:
  virtual ~RewriteObserver() = default;
  virtual void pass_begin(const PassInfo& info, UOp root) = 0;  // root is null for a group
  // The pattern is looked at: the ops of the sources do not rule it out already.
  virtual void rule_tried(const Rule& /*rule*/) {}
  virtual void rule_matched(const Rule& rule, UOp before, UOp after, uint64_t nanoseconds) = 0;
  // The rule refused the graph. Rules of enclosing passes that were under way follow, innermost first. From here on no
  // pass ends: the passes under way have no result.
  virtual void rule_raised(const Rule& rule, UOp before, std::string_view message) = 0;
  virtual void pass_end(UOp root) = 0;  // null for a group
};

class RulesOff;

// The store's tracking state.
struct Tracking {
  static constexpr bool kOutlivesNodes = true;
  RewriteObserver* observer = nullptr;
  uint32_t depth = 0;
  uint64_t passes = 0;      // reported so far
  uint32_t suspended = 0;   // above 0 nothing is reported: simplify and unnamed substitute are no passes
  RulesOff* off = nullptr;  // rules that are switched off, if any (rules_off.h)
  bool active() const { return observer != nullptr && suspended == 0; }
};

inline Tracking& tracking(Store& store) {
  return store.extension<Tracking>();
}

// Attaches an observer for its own lifetime.
class ObserverScope {
 public:
  ObserverScope(Store& store, RewriteObserver& observer) : tracking_(tracking(store)), previous_(tracking_.observer) {
    tracking_.observer = &observer;
  }
  ~ObserverScope() { tracking_.observer = previous_; }
  ObserverScope(const ObserverScope&) = delete;
  ObserverScope& operator=(const ObserverScope&) = delete;

 private:
  Tracking& tracking_;
  RewriteObserver* previous_;
};

// Rewrites inside are not reported.
class Untracked {
 public:
  explicit Untracked(Store& store) : tracking_(tracking(store)) { ++tracking_.suspended; }
  ~Untracked() { --tracking_.suspended; }
  Untracked(const Untracked&) = delete;
  Untracked& operator=(const Untracked&) = delete;

 private:
  Tracking& tracking_;
};

// A pass that groups other passes (get_kernel_graph, run_rangeify).
class PassGroup {
 public:
  PassGroup(Store& store, std::string_view name);
  ~PassGroup();
  PassGroup(const PassGroup&) = delete;
  PassGroup& operator=(const PassGroup&) = delete;

 private:
  Store& store_;
  bool reported_;
  int unwinding_;  // exceptions in flight at the start: a group that is unwound does not end
};

}  // namespace rangescope
