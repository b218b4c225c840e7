// Writing, and moving between devices (reference: tensor.py assign, __setitem__, clone, to, shard).

#include <fmt/format.h>

#include "engine/frontend/tensor.h"
#include "engine/ir/call.h"
#include "engine/ir/sharding.h"

namespace rangescope::frontend {

namespace {

constexpr OpSet kViews = groups::Movement | OpSet{Op::BITCAST, Op::DETACH};

UOp clone_of(const Tensor& like, const Device& to) {
  const UOp u = like.uop();
  const Device on = to.is_none() ? u.device() : to;
  const UOp ret = like.empty_like({.device = on}).uop();
  const UOp src = u.device().is_none() || u.device() == ret.device() ? u : copy_to_device(u, ret.device());
  return ret.after({ret.store_value(src.cast(ret.dtype()))});
}

}  // namespace

Tensor Tensor::clone(const Device& to) const {
  const Scope scope(context(), "clone");
  return wrap(clone_of(*this, to));
}

Tensor& Tensor::replace(const Tensor& value) {
  if (value.shape() != shape())
    throw GraphError(fmt::format("a tensor of {} cannot take the place of one of {}",
                                 rangescope::to_string(value.shape()), rangescope::to_string(shape())));
  state_->uop = value.uop();
  return *this;
}

Tensor& Tensor::assign(const Operand& given) {
  const Scope scope(context(), "assign");
  if (is_weak(dtype())) state_->uop = clone_of(*this, {});
  Tensor x = given.is_number() ? context().scalar(given.number(), dtype()) : ufix(given);
  if (uop() == x.uop()) return *this;
  x = x.broadcast_to(shape());
  if (is_weak(x.dtype())) x = x.cast(least_upper_dtype(dtype(), x.dtype()));
  if (x.dtype() != dtype())
    throw GraphError(
        fmt::format("assign of {} to a tensor of {}; cast the value", dtype_name(x.dtype()), dtype_name(dtype())));
  if (!x.device().is_none() && !device().is_none() && x.device() != device())
    throw GraphError("assign of a value on another device; move it with to()");
  if (device().is_tuple && !x.device().is_none() && uop().axis() != x.uop().axis())
    throw GraphError("assign of a value that is sharded along another axis");
  const UOp assigned = uop().after({uop().store_value(x.uop())});
  UOp buffer = uop();
  while (!buffer.has_buffer_identity() && buffer.in(kViews)) buffer = buffer.src(0);
  if (buffer != uop() && buffer.has_buffer_identity(true))
    context().replace_in_tensors({{buffer, buffer.after({assigned})}});
  else
    state_->uop = assigned;
  return *this;
}

void Tensor::set_item(const std::vector<Index>& index, const Operand& given) {
  const Scope scope(context(), "__setitem__");
  if (is_weak(dtype())) throw GraphError("a constant has no place to write to; make it contiguous on a device first");
  Tensor v = given.is_number() ? context().scalar(given.number(), dtype()) : ufix(given);
  if (is_weak(v.dtype())) v = v.cast(least_upper_dtype(dtype(), v.dtype()));
  if (v.dtype() != dtype())
    throw GraphError(
        fmt::format("writing {} into a tensor of {}; cast the value", dtype_name(v.dtype()), dtype_name(dtype())));
  bool by_tensor = false;
  for (const Index& i : index) by_tensor = by_tensor || std::holds_alternative<Tensor>(i);
  const UOp base = uop().base();
  UOp first = base;
  while (first.is(Op::AFTER)) first = first.src(0).base();
  const auto has_values = [&](UOp u) { return u.is(Op::BUFFER) && context().data(u) != nullptr; };
  const bool has_memory = base.is(Op::BUFFER) || has_values(first);
  // Floats without memory of their own become another value, through which a gradient can go.
  if ((!has_values(base) && is_floating_point()) || (!by_tensor && !has_memory)) {
    replace(set(index, v));
  } else if (by_tensor) {
    assign(set(index, v));
  } else {
    Tensor view = at(index);
    view.assign(v);
  }
}

Tensor Tensor::to(const Device& asked) const {
  const Scope scope(context(), "to");
  const Device to = context().device(asked);
  if (device().is_none() || to == device()) return *this;
  return wrap(copy_to_device(uop(), to));
}

Tensor Tensor::shard(const std::vector<std::string>& names, std::optional<int64_t> axis) const {
  const Scope scope(context(), "shard");
  if (device().is_none()) return *this;
  if (device().is_tuple) throw GraphError("a tensor on several devices cannot be sharded again");
  if (names.empty()) throw GraphError("shard needs a device");
  if (names.size() == 1) return to(Device::single(names[0]));
  const Device to = canonical_device(Device::tuple(names));
  const UOp copied = copy_to_device(uop(), to);
  if (!axis) return wrap(copied);
  const int64_t d = resolve_dim(*axis);
  const UOp range = device_range(context().store(), static_cast<int64_t>(names.size()));
  return wrap(unshard(shard_of(copied, d, range), d));
}

}  // namespace rangescope::frontend
