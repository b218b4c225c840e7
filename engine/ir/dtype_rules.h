#pragma once
// The dtype that an op produces from its sources and argument (reference: uop/ops.py, dtype_from_uop).

#include <optional>
#include <span>

#include "engine/ir/uop.h"

namespace rangescope {

// nullopt: the op does not say (CUSTOM, NOOP, CALL of an address, ...). Refuses sources that the op cannot take.
std::optional<DType> derive_dtype(Op op, std::span<const UOp> srcs, const Arg& arg);

// The dtype of `n` once its sources are `srcs`: unchanged while the sources' dtypes are.
DType rebuilt_dtype(UOp n, std::span<const UOp> srcs);

}  // namespace rangescope
