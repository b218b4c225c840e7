#pragma once
// A kernel's parameter as tests write it.

#include "engine/ir/dim.h"
#include "engine/ir/store.h"

namespace rangescope::codegen::testing {

inline UOp kernel_param(Store& store, int64_t slot, int64_t size, DType dtype = DType::float32) {
  ParamArg p;
  p.slot = slot;
  p.dtype = dtype;
  return store.make(Op::PARAM, {store.constant(size)}, Arg(p));
}

}  // namespace rangescope::codegen::testing
