#pragma once
// The kernel of a matrix product, as the scheduler leaves it.

#include "engine/ir/call.h"
#include "engine/ir/store.h"
#include "tests/codegen/kernel_param.h"

namespace rangescope::codegen::testing {

// out[i, j] = sum of a[i, k] b[k, j] over k, all of them n by n.
inline UOp matrix_product(Store& store, int64_t n) {
  const UOp i = store.range(Dim(n), 0), j = store.range(Dim(n), 1);
  const int64_t id = 2;
  const UOp k = store.range(Dim(n), std::span<const int64_t>(&id, 1), AxisType::REDUCE);
  const auto at = [&](int64_t slot, UOp row, UOp column) {
    return kernel_param(store, slot, n * n).index({row * Scalar(n) + column});
  };
  const UOp sum = (at(1, i, k) * at(2, k, j)).reduce_op({&k, 1}, Op::ADD);
  const UOp outer[] = {i, j};
  return at(0, i, j).store_value(sum).end(outer).sink(Arg(KernelInfo{}));
}

}  // namespace rangescope::codegen::testing
