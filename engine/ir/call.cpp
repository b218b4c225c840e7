#include "engine/ir/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/ir/traversal.h"

namespace rangescope {

UOp call_of(UOp body, std::span<const UOp> args, const CallInfo& info) {
  // A call is launched on every device, so a range over devices may stay open across it.
  for (const UOp r : body.ranges())
    if (!(r.arg().as_tuple().back() == Arg(AxisType::DEVICE)))
      throw GraphError(fmt::format("a range (node {}) is still open at the end of the called {} (node {})", r.id(),
                                   op_name(body.op()), body.id()));
  const bool opaque = body.in(kOpaqueBodies);
  UOps srcs{opaque || body.is(Op::TUPLE) ? body : maketuple({&body, 1})};
  srcs.insert(srcs.end(), args.begin(), args.end());
  return body.store().make(opaque ? Op::CALL : Op::FUNCTION, srcs, Arg(info));
}

UOp maketuple(std::span<const UOp> values) {
  RS_CHECK(!values.empty(), "a tuple that a rule makes has a value");
  return values[0].store().make(Op::TUPLE, values);
}

UOp gettuple(UOp tuple, int64_t index) {
  const UOp values = tuple.is(Op::FUNCTION) ? tuple.src(0) : tuple;
  if (!values.is(Op::TUPLE))
    throw GraphError(
        fmt::format("GETTUPLE needs a FUNCTION or a TUPLE, not {} (node {})", op_name(tuple.op()), tuple.id()));
  return tuple.store().make(Op::GETTUPLE, {tuple}, Arg(index));
}

UOp param(Store& store, ParamArg arg, const Shape* shape) {
  if (is_weak(arg.dtype))
    throw GraphError(fmt::format("a parameter cannot have the weak dtype {}", dtype_name(arg.dtype)));
  if (shape == nullptr)
    return store.make(Op::PARAM, {store.make(Op::NOOP, std::span<const UOp>{})}, Arg(std::move(arg)));
  Shape whole = *shape;
  if (arg.axis && arg.device.is_tuple && *arg.axis >= 0 && static_cast<size_t>(*arg.axis) < whole.size()) {
    Dim& d = whole[static_cast<size_t>(*arg.axis)];
    d = d * Dim(static_cast<int64_t>(arg.device.names.size()));
  }
  return store.make(Op::PARAM, {store.shape_arg(whole)}, Arg(std::move(arg)));
}

UOp param_like(UOp value, int64_t slot) {
  if (value.is_bound_var() || value.is_variable()) {
    const UOp v = value.without_after();
    ParamArg arg = v.arg().as<ParamArg>();
    arg.slot = slot;
    arg.name = fmt::format("p{}", slot);
    return v.store().make(Op::PARAM, v.srcs(), Arg(std::move(arg)));
  }
  ParamArg arg;
  arg.slot = slot;
  arg.dtype = value.dtype();
  arg.addrspace = value.addrspace().value_or(AddrSpace::GLOBAL);
  arg.axis = value.axis();
  arg.device = value.device();
  if (!arg.axis) return param(value.store(), std::move(arg), value.shape_or_null());
  const Shape shard = value.shard_shape();
  return param(value.store(), std::move(arg), &shard);
}

UOp new_buffer(Store& store, const Device& device, int64_t size, DType dtype) {
  if (is_weak(dtype)) throw GraphError(fmt::format("a buffer cannot have the weak dtype {}", dtype_name(dtype)));
  ParamArg arg;
  arg.slot = store.extension<UniqueSlots>().next++;
  arg.dtype = dtype;
  arg.device = device;
  const Dim shape[] = {Dim(size)};
  return store.make(Op::BUFFER, {store.shape_arg(shape)}, Arg(std::move(arg)));
}

UOp invalids(Store& store, const Shape& shape, DType dtype, const Device& device) {
  const UOp value = store.invalid().reshape(Shape(shape.size(), Dim(1))).expand(shape);
  Shape largest;
  for (const Dim& d : shape) largest.emplace_back(max_of(d));
  const UOp buffer = new_buffer(store, canonical_device(device), product(largest).value, dtype);
  const UOp out = buffer.reshape(largest).shrink_to(shape);
  return out.after({out.store_value(value)});
}

Device canonical_device(const Device& device) {
  Device out = device;
  for (std::string& name : out.names) {
    const size_t colon = std::min(name.find(':'), name.size());
    std::transform(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(colon), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    if (name.ends_with(":0")) name.resize(name.size() - 2);
  }
  if (out.names.size() == 1) out.is_tuple = false;
  return out;
}

UOps variables(UOp u) {
  UOps found;
  Marks seen(u.store());
  for (const UOp x : toposort(u)) {
    UOp v;
    if (x.is(Op::RANGE)) {
      if (!(x.arg().as_tuple().back() == Arg(AxisType::DEVICE))) continue;
      v = x.store().variable("_device_num", Scalar(0), x.vmax(), x.dtype(), true);
    } else if ((x.is(Op::PARAM) && x.arg().as<ParamArg>().addrspace == AddrSpace::ALU) || x.is_variable()) {
      v = x;
    } else {
      continue;
    }
    if (seen.insert(v)) found.push_back(v);
  }
  std::ranges::stable_sort(found, {}, [](UOp v) { return v.expr(); });
  return found;
}

std::pair<UOp, Scalar> unbind(UOp bound) {
  if (!bound.is_bound_var())
    throw GraphError(fmt::format("{} (node {}) is no bound variable", op_name(bound.op()), bound.id()));
  return {bound.src(0), bound.src(1).src(1).val()};
}

}  // namespace rangescope
