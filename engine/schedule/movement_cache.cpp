#include "engine/schedule/movement_cache.h"

namespace rangescope::schedule {

template <class F>
void CarriedMovements::for_each_node(Row& row, F f) {
  for (Shape* shape : {&row.in_shape, &row.arg})
    for (Dim& d : *shape)
      if (d.sym) f(d.sym);
  for (UOps* list : {&row.rngs, &row.made})
    for (UOp& u : *list) f(u);
}

CarriedMovements::CarriedMovements(Store& store, UOps& roots) {
  auto& cache = store.extension<MovementCache>();
  cache.reshaped.for_each([&](const auto& row) {
    rows_.push_back({row.key.op, *row.key.in_shape, *row.key.arg, row.rngs, UOps{row.made}, true});
  });
  cache.applied.for_each([&](const auto& row) {
    if (row.key.op == Op::PAD)
      rows_.push_back({row.key.op, *row.key.in_shape, *row.key.arg, row.rngs, row.made, false});
  });
  for (Row& row : rows_) for_each_node(row, [&](UOp u) { roots.push_back(u); });
}

void CarriedMovements::put_back(Store& store, std::span<const UOp> nodes) {
  auto& cache = store.extension<MovementCache>();
  size_t at = 0;
  for (Row& row : rows_) {
    for_each_node(row, [&](UOp& u) { u = nodes[at++]; });
    const MovementKey key{row.op, store.intern(row.in_shape), store.intern(row.arg), row.rngs};
    if (row.is_reshape)
      cache.reshaped.keep(key, row.made[0]);
    else
      cache.applied.keep(key, row.made);
  }
}

}  // namespace rangescope::schedule
