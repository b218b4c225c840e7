// Values that are known when the graph is built.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "engine/onnx/operators.h"

namespace rangescope::onnx {

namespace {

constexpr int64_t kMostKnown = int64_t{1} << 26;  // elements that are written out on the host

Values constant(Call& c) {
  const auto array = [](DType dtype, const std::vector<int64_t>& shape, const auto& values) -> Values {
    if constexpr (std::is_same_v<std::decay_t<decltype(values)>, Ints>)
      return {as_value(HostArray::from_ints(dtype, shape, values))};
    else
      return {as_value(HostArray::from_doubles(dtype, shape, values))};
  };
  if (const Attribute* a = c.attribute("value")) {
    if (!a->tensor) Call::refuse("its value is no tensor");
    if (!a->tensor->problem.empty()) Call::refuse(a->tensor->problem);
    return {as_value(a->tensor->array)};
  }
  if (const auto v = c.list("value_int")) return array(DType::int64, {}, *v);
  if (const auto v = c.list("value_ints")) return array(DType::int64, {static_cast<int64_t>(v->size())}, *v);
  if (const auto v = c.floats("value_float")) return array(DType::float32, {}, *v);
  if (const auto v = c.floats("value_floats")) return array(DType::float32, {static_cast<int64_t>(v->size())}, *v);
  Call::refuse("its value is of a kind that is not supported (a text, or a sparse tensor)");
}

Values constant_of_shape(Call& c) {
  const Shape shape = shape_of(c.ints(0));
  HostArray one = HostArray::from_doubles(DType::float32, {1}, std::vector<double>{0});
  if (const Attribute* a = c.attribute("value"); a != nullptr && a->tensor) {
    if (!a->tensor->problem.empty()) Call::refuse(a->tensor->problem);
    one = a->tensor->array;
  }
  if (one.count() != 1) Call::refuse("its value must be one number");
  one.shape = {};
  return {as_value(c.constant(one).expand(shape))};
}

Values shape(Call& c) {
  const Ints sizes = c.x().sizes();
  const auto n = static_cast<int64_t>(sizes.size());
  const auto place = [&](const char* name, int64_t otherwise) {
    const int64_t at = c.integer(name, otherwise);
    return std::clamp<int64_t>(at < 0 ? at + n : at, 0, n);
  };
  const int64_t start = place("start", 0), end = std::max(place("end", n), start);
  return {as_value(Ints(sizes.begin() + start, sizes.begin() + end))};
}

Values size(Call& c) {
  return {as_scalar(c.x().numel())};
}

Values range(Call& c) {
  const HostArray &start = c.numbers(0), &limit = c.numbers(1), &delta = c.numbers(2);
  if (start.count() != 1 || limit.count() != 1 || delta.count() != 1)
    Call::refuse("start, limit and delta are numbers");
  const auto count_of = [](double n) {
    if (!(n < static_cast<double>(kMostKnown))) Call::refuse("a range that is too long");
    return n > 0 ? static_cast<int64_t>(n) : 0;
  };
  if (is_float(start.dtype)) {
    const double a = start.to_doubles()[0], b = limit.to_doubles()[0], d = delta.to_doubles()[0];
    if (d == 0) Call::refuse("delta is 0");
    std::vector<double> v(static_cast<size_t>(count_of(std::ceil((b - a) / d))));
    for (size_t i = 0; i < v.size(); ++i) v[i] = a + static_cast<double>(i) * d;
    return {as_value(HostArray::from_doubles(start.dtype, {static_cast<int64_t>(v.size())}, v))};
  }
  const int64_t a = start.to_ints()[0], b = limit.to_ints()[0], d = delta.to_ints()[0];
  if (d == 0) Call::refuse("delta is 0");
  const double steps = (static_cast<double>(b) - static_cast<double>(a)) / static_cast<double>(d);
  Ints v(static_cast<size_t>(count_of(std::ceil(steps))));
  for (size_t i = 0; i < v.size(); ++i) v[i] = a + static_cast<int64_t>(i) * d;
  return {as_value(HostArray::from_ints(start.dtype, {static_cast<int64_t>(v.size())}, v))};
}

Values eye_like(Call& c) {
  const Tensor x = c.x();
  const Ints s = x.sizes();
  if (s.size() != 2) Call::refuse("it needs a matrix");
  const DType dtype = c.has_attribute("dtype") ? dtype_of_number(c.integer("dtype", 1)) : x.dtype();
  const int64_t k = sane(c.integer("k", 0));
  const Tensor rows = c.context().arange(Scalar(s[0])).reshape({Dim(s[0]), Dim(1)});
  const Tensor columns = c.context().arange(Scalar(s[1])).reshape({Dim(1), Dim(s[1])});
  return {as_value((rows + Scalar(k)).eq(columns).cast(dtype))};
}

}  // namespace

std::span<const Operator> constant_operators() {
  static constexpr Operator kRows[] = {
      {"Constant", constant}, {"ConstantOfShape", constant_of_shape},
      {"EyeLike", eye_like},  {"Range", range},
      {"Shape", shape},       {"Size", size},
  };
  return kRows;
}

}  // namespace rangescope::onnx
