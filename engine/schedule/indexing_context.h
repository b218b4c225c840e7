#pragma once
// What run_rangeify knows while it gives every node its ranges (reference: schedule/indexing.py, IndexingContext).

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/ir/pool.h"
#include "engine/ir/store.h"
#include "engine/ir/uop.h"

namespace rangescope::schedule {

// Facts about some of the nodes, found by the node's id. Looked up, never iterated.
template <class T>
class Facts {
 public:
  T* find(UOp u) { return u.id() < slots_.size() && slots_[u.id()] != 0 ? &values_[slots_[u.id()] - 1] : nullptr; }
  const T* find(UOp u) const { return const_cast<Facts*>(this)->find(u); }
  bool contains(UOp u) const { return find(u) != nullptr; }
  T& operator[](UOp u) {
    if (u.id() >= slots_.size()) slots_.resize(std::max<size_t>(u.store().node_count(), u.id() + 1));
    uint32_t& slot = slots_[u.id()];
    if (slot == 0) {
      values_.emplace_back();
      slot = static_cast<uint32_t>(values_.size());
    }
    return values_[slot - 1];
  }
  void erase(UOp u) {
    if (u.id() < slots_.size()) slots_[u.id()] = 0;
  }

 private:
  std::vector<uint32_t> slots_;
  Pool<T> values_;
};

// Axes of a node, in the order in which they were added.
using Axes = std::vector<int64_t>;

// The ranges that index a node's sources, and those that index its result.
struct NodeRanges {
  UOps in;
  UOps out;
};

struct IndexingContext {
  // Nodes that are materialized, and along which axes; no axes yet: not reached.
  Facts<std::optional<Axes>> realize_map;
  Facts<const char*> realize_reason;  // of those that a rule materializes, for people
  Facts<bool> non_removable;          // stages of these stay
  Facts<NodeRanges> range_map;
  int64_t next_range = 0;

  // A new range of that size; constant 0 where the size is 1, the size itself where it is a range.
  UOp new_range(Store& store, const Dim& size, AxisType type = AxisType::WEAK);
};

// What is contiguous as it is, and never needs a stage.
inline constexpr OpSet kAlwaysContiguous{Op::CONTIGUOUS, Op::AFTER, Op::BUFFER, Op::CONST, Op::MSELECT,
                                         Op::MSTACK,     Op::PARAM, Op::LOAD,   Op::CALL,  Op::FUNCTION};

// The ranges of `consumer` as its source sees them: axes that are broadcast are 0, those on the left are gone.
UOps broadcast_ranges(UOp consumer, UOp src, const UOps& ranges);

// The sources that are values, not shapes, bounds or ranges: the first so many.
size_t data_source_count(UOp u);

}  // namespace rangescope::schedule
