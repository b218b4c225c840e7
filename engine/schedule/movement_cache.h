#pragma once
// What movement ops made of ranges before: a movement op is known by its op, the shape it acts on, its argument and the
// ranges. The reference's function caches, which decide how often the passes "reshape" and "pad" run.

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/ir/hash_index.h"
#include "engine/ir/pool.h"
#include "engine/ir/store.h"
#include "engine/schedule/indexing_context.h"

namespace rangescope::schedule {

struct MovementKey {
  Op op = Op::kNone;
  const Shape* in_shape = nullptr;
  const Shape* arg = nullptr;  // PAD and SHRINK: offsets and sizes in turn; PERMUTE and FLIP: numbers
  std::span<const UOp> rngs;   // of one that is kept: its copy

  bool operator==(const MovementKey& o) const {
    return op == o.op && in_shape == o.in_shape && arg == o.arg && std::ranges::equal(rngs, o.rngs);
  }
  uint64_t hash() const {
    auto h = static_cast<uint64_t>(op);
    const auto mix = [&h](uint64_t v) { h = (h ^ v) * 0x9e3779b97f4a7c15ULL; };
    mix(reinterpret_cast<uintptr_t>(in_shape) >> 4);
    mix(reinterpret_cast<uintptr_t>(arg) >> 4);
    for (const UOp r : rngs) mix(r.id() + 1);
    return h;
  }
};

// What was made of ranges before.
template <class Made>
class MadeBefore {
 public:
  const Made* find(const MovementKey& key) {
    const uint32_t at = index_.find(key.hash(), [&](uint32_t i) { return rows_[i].key == key; });
    return at == HashIndex::kNone ? nullptr : &rows_[at].made;
  }
  const Made& keep(MovementKey key, Made made) {
    find(key);
    index_.insert(key.hash(), static_cast<uint32_t>(rows_.size()));
    Row& row = rows_.emplace_back(key, UOps(key.rngs.begin(), key.rngs.end()), std::move(made));
    row.key.rngs = row.rngs;
    return row.made;
  }

  struct Row {
    MovementKey key;
    UOps rngs;
    Made made;

    Row(const MovementKey& k, UOps r, Made m) : key(k), rngs(std::move(r)), made(std::move(m)) {}
  };
  template <class F>
  void for_each(F f) {  // in order of their making
    for (size_t i = 0; i < rows_.size(); ++i) f(rows_[i]);
  }

 private:
  Pool<Row> rows_;
  HashIndex index_;
};

struct MovementCache {
  Facts<const Shape*> args;  // of movement ops
  MadeBefore<UOps> applied;
  MadeBefore<UOp> reshaped;
};

// Takes what a pass was run for over Store::keep_only: it must not run again.
class CarriedMovements {
 public:
  // Appends to `roots` the nodes that it is about.
  CarriedMovements(Store& store, UOps& roots);
  // `nodes`: the same ones as they are afterwards.
  void put_back(Store& store, std::span<const UOp> nodes);

 private:
  struct Row {
    Op op;
    Shape in_shape, arg;
    UOps rngs, made;
    bool is_reshape;  // of placeholders
  };
  template <class F>
  static void for_each_node(Row& row, F f);
  std::vector<Row> rows_;
};

}  // namespace rangescope::schedule
