#pragma once
// What a driver knows of the nodes it has seen. A node holds the place of its slot for the innermost rewrite that runs,
// so that finding it is one load and one comparison. A rewrite that a rule starts takes the nodes it meets over from
// the rewrites around it, and gives them back when it ends.

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/ir/error.h"
#include "engine/ir/store.h"
#include "engine/ir/uop.h"

namespace rangescope {

struct Slot {
  UOp replacement;
  UOp bottom_up;              // cached answer of the bottom-up rules, null: none matched
  int32_t last_waiting = -1;  // who waits for this node: a ring, from the last to the first
  bool on_stack = false;
  bool bottom_up_known = false;
};

// Rewrites of one store, innermost last. They end in the opposite order of their beginning.
struct RewriteNumbers {
  uint32_t last = 0;       // numbers are never used again
  uint32_t outermost = 0;  // of the rewrites that run; 0: none does
};

class Slots {
 public:
  explicit Slots(RewriteNumbers& numbers) : numbers_(numbers) {}
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;

  void begin() {
    if (numbers_.last == UINT32_MAX) throw GraphError("the program needs more than 4 billion rewrites");
    number_ = ++numbers_.last;
    is_outermost_ = numbers_.outermost == 0;
    if (is_outermost_) numbers_.outermost = number_;
    slots_.clear();
    taken_.clear();
  }
  void end() {
    for (size_t i = taken_.size(); i-- > 0;) {
      taken_[i].node->rewrite = taken_[i].rewrite;
      taken_[i].node->slot = taken_[i].slot;
    }
    if (is_outermost_) numbers_.outermost = 0;
  }

  // Valid until the next call. Inlined by force: a rewrite asks ten times a node.
  [[gnu::always_inline]] Slot& operator[](UOp u) {
    const Node& node = *u.node();
    return node.rewrite == number_ ? slots_[node.slot] : add(node);
  }

 private:
  struct Taken {
    const Node* node;
    uint32_t rewrite, slot;
  };
  [[gnu::noinline]] Slot& add(const Node& node) {
    // older than all that run: no one will ask for it
    if (!is_outermost_ && node.rewrite >= numbers_.outermost) taken_.push_back({&node, node.rewrite, node.slot});
    node.rewrite = number_;
    node.slot = static_cast<uint32_t>(slots_.size());
    return slots_.emplace_back();
  }

  RewriteNumbers& numbers_;
  uint32_t number_ = 0;
  bool is_outermost_ = false;
  std::vector<Slot> slots_;
  std::vector<Taken> taken_;
};

}  // namespace rangescope
