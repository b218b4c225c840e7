// Tensors from nothing (reference: mixin/creation.py, and arange, linspace and eye of mixin/op.py).

#include <fmt/format.h>

#include <cmath>

#include "engine/frontend/tensor.h"
#include "engine/ir/call.h"
#include "engine/ir/scalar_alu.h"
#include "engine/ir/sharding.h"

namespace rangescope::frontend {

namespace {

// a - b of Python's numbers: exact for ints.
Scalar minus(const Scalar& a, const Scalar& b) {
  if (a.is_integral() && b.is_integral()) return Scalar(a.as_int() - b.as_int());
  return Scalar(a.as_double() - b.as_double());
}

int64_t steps_between(const Scalar& start, const Scalar& stop, const Scalar& step) {
  if (start.is_integral() && stop.is_integral() && step.is_integral()) {
    const Int n = -floordiv(-(stop.as_int() - start.as_int()), step.as_int());
    const auto small = n.to_int64();
    if (!small) throw GraphError("a range with too many elements");
    return *small;
  }
  // ceildiv of floats, as Python computes it
  const double a = -(stop.as_double() - start.as_double()), b = step.as_double();
  const double n = -std::floor(a / b);
  if (!(std::fabs(n) < 1e15)) throw GraphError("a range with too many elements");
  return static_cast<int64_t>(n);
}

UOp empty_of(Context& c, const Shape& shape, DType dtype, const Device& device) {
  Shape largest;
  for (const Dim& d : shape) {
    if (d.is_int() && d.value < 0) throw GraphError(fmt::format("a shape cannot hold {}", d.value));
    largest.emplace_back(max_of(d));
  }
  return new_buffer(c.store(), c.device(device), product(largest).value, dtype).reshape(largest).shrink_to(shape);
}

// A buffer of the shape and the device, and sharded as well.
UOp empty_like_of(Context& c, UOp u, DType dtype, const Device& device) {
  const Device on = c.device(device.is_none() ? u.device() : device);
  const std::optional<int64_t> axis = on.is_tuple ? u.axis() : std::nullopt;
  if (!axis) return empty_of(c, u.shape(), dtype, on);
  return unshard(empty_of(c, u.shard_shape(), dtype, on), *axis);
}

}  // namespace

Tensor Context::empty(const Shape& shape, const Create& options) {
  const Scope scope(*this, "empty");
  return tensor(empty_of(*this, shape, options.dtype.value_or(dtypes::default_float), options.device));
}

Tensor Tensor::empty_like(const Create& options) const {
  const Scope scope(context(), "empty_like");
  return wrap(empty_like_of(context(), uop(), options.dtype.value_or(strong_dtype(dtype())), options.device));
}

Tensor Context::full(const Shape& shape, const Scalar& value, const Create& options) {
  const Scope scope(*this, "full");
  const UOp v = store()
                    .constant(value, options.dtype.value_or(dtype_of(value)))
                    .reshape(Shape(shape.size(), Dim(1)))
                    .expand(shape);
  if (!options.buffer) return tensor(v);
  const UOp to = empty_like_of(*this, v, options.dtype.value_or(strong_dtype(v.dtype())), options.device);
  return tensor(to.after({to.store_value(v)}));
}
Tensor Context::zeros(const Shape& shape, const Create& options) {
  const Scope scope(*this, "zeros");
  return full(shape, Scalar(0.0), options);
}
Tensor Context::ones(const Shape& shape, const Create& options) {
  const Scope scope(*this, "ones");
  return full(shape, Scalar(1.0), options);
}

Tensor Tensor::full_like(const Scalar& value, const Create& options) const {
  const Scope scope(context(), "full_like");
  Create with = options;
  if (!with.dtype) with.dtype = dtype();
  if (!device().is_tuple) {
    if (with.device.is_none()) with.device = device();
    return context().full(shape(), value, with);
  }
  if (!with.device.is_none())
    throw GraphError("a tensor like one on several devices lies on the same: no other device can be said");
  const std::optional<int64_t> axis = uop().axis();
  if (!axis) return context().full(shape(), value, with).shard(device().names);
  UOps shards;
  for (const std::string& name : device().names) {
    with.device = Device::single(name);
    shards.push_back(context().full(uop().shard_shape(), value, with).uop());
  }
  return wrap(unshard(mstack_of(shards), *axis));
}

Tensor Tensor::const_like(const Scalar& value, std::optional<DType> dt) const {
  return wrap(uop().const_like(value, dt.value_or(dtype())));
}

Tensor Context::arange(const Scalar& start, const Scalar& stop, const Scalar& step, std::optional<DType> dtype) {
  const Scope scope(*this, "arange");
  if (python_equal(step, Scalar(0))) throw GraphError("arange needs a step other than 0");
  const bool up = python_less(Scalar(0), step);
  const Scalar lo = up ? start : minus(stop, step), hi = up ? minus(stop, step) : start;
  if (!dtype) {
    dtype = start.is_float() || stop.is_float() || step.is_float() ? dtypes::default_float : dtypes::default_int;
    if (*dtype == dtypes::default_int && (python_less(lo, dtype_min(*dtype)) || python_less(dtype_max(*dtype), hi)))
      dtype = DType::int64;
  }
  if (python_less(lo, dtype_min(*dtype)) || python_less(dtype_max(*dtype), hi))
    throw GraphError(fmt::format("arange from {} to {} does not fit {}", start.str(), stop.str(), dtype_name(*dtype)));
  const int64_t n = steps_between(start, stop, step);
  if (n <= 0) return full({Dim(0)}, Scalar(0), {.dtype = dtype, .buffer = false});
  const Tensor ones = full({Dim(n)}, step, {.dtype = dtype, .buffer = false});
  return (ones.cumulate(0, Op::ADD) + minus(start, step)).cast(*dtype);
}

Tensor Context::arange(const Scalar& stop) {
  return arange(Scalar(0), stop);
}

Tensor Context::linspace(const Scalar& start, const Scalar& stop, int64_t steps, std::optional<DType> dtype) {
  const Scope scope(*this, "linspace");
  if (steps < 0) throw GraphError("linspace needs a number of steps that is not negative");
  const DType dt = dtype.value_or(dtypes::default_float);
  if (dt == DType::bool_) throw GraphError("linspace cannot give bool");
  if (steps == 1) return full({Dim(1)}, start, {.dtype = dt, .buffer = false});
  const Tensor places = arange(Scalar(0), Scalar(steps), Scalar(1), dtypes::default_float);
  if (steps == 0) return (start + places).cast(dt);
  const double step = minus(stop, start).as_double() / static_cast<double>(steps - 1);
  return (start + places * Scalar(step)).cast(dt);
}

Tensor Context::eye(int64_t rows, std::optional<int64_t> columns, std::optional<DType> dtype) {
  const Scope scope(*this, "eye");
  const int64_t c = columns.value_or(rows);
  if (rows < 0 || c < 0) throw GraphError(fmt::format("eye cannot have {} rows and {} columns", rows, c));
  return arange(Scalar(rows)).unsqueeze(-1).eq(arange(Scalar(c))).cast(dtype.value_or(dtypes::default_float));
}

}  // namespace rangescope::frontend
