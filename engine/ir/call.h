#pragma once
// Calls, their parameters, and the buffers they are called on (reference: uop/ops.py, UOp.call, UOp.param,
// UOp.new_buffer and the variables).

#include <span>
#include <utility>

#include "engine/ir/store.h"
#include "engine/ir/uop.h"

namespace rangescope {

// What a call of an opaque body may call; any other body is a value and makes a FUNCTION.
constexpr OpSet kOpaqueBodies{Op::SINK, Op::PROGRAM, Op::LINEAR, Op::COPY, Op::CUSTOM_FUNCTION};

UOp call_of(UOp body, std::span<const UOp> args, const CallInfo& info = {});
UOp maketuple(std::span<const UOp> values);
UOp gettuple(UOp tuple, int64_t index);

// A parameter of that shape; for a sharded one the shape is that of a shard. shape nullptr: it has none.
UOp param(Store& store, ParamArg arg, const Shape* shape);
// The parameter that stands for `value` in a body. A variable becomes a scalar parameter named after the slot.
UOp param_like(UOp value, int64_t slot);

// Slots of buffers that no one named: each is given once a store.
struct UniqueSlots {
  static constexpr bool kOutlivesNodes = true;
  int64_t next = 0;
};
UOp new_buffer(Store& store, const Device& device, int64_t size, DType dtype);
// An unnamed buffer of that shape whose contents do not matter until it is written.
UOp invalids(Store& store, const Shape& shape, DType dtype, const Device& device);
// As the reference opens devices: upper case, without ":0"; a tuple of one is that one.
Device canonical_device(const Device& device);

// The variables below and including a node, by name. A range over devices counts as `_device_num`.
UOps variables(UOp u);
// A bound variable: the variable and its value.
std::pair<UOp, Scalar> unbind(UOp bound);

}  // namespace rangescope
