#include "engine/eval/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/ir/error.h"
#include "engine/ir/scalar.h"
#include "engine/ir/text.h"

namespace rangescope::eval {

namespace {

bool same(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::fabs(a - b) <= tolerance;
}

std::string number(const Array& a, DType dtype, size_t i) {
  if (!a.invalid.empty() && a.invalid[i] != 0) return "invalid";
  if (is_float(dtype)) return python_repr(a.floats[i]);
  if (dtype == DType::bool_) return a.ints[i] != 0 ? "True" : "False";
  return dtype == DType::uint64 ? std::to_string(static_cast<uint64_t>(a.ints[i])) : std::to_string(a.ints[i]);
}

// The first element that differs; -1: none.
int64_t first_difference(const Array& a, const Array& b, DType dtype, const Tolerance& tolerance) {
  const size_t n = is_float(dtype) ? a.floats.size() : a.ints.size();
  const auto invalid = [](const Array& x, size_t i) { return !x.invalid.empty() && x.invalid[i] != 0; };
  double largest = 0;
  if (is_float(dtype))
    for (const double x : a.floats)
      if (std::isfinite(x)) largest = std::max(largest, std::fabs(x));
  const double within = std::max(tolerance.absolute, tolerance.relative * largest);
  for (size_t i = 0; i < n; ++i) {
    if (invalid(a, i)) continue;
    if (invalid(b, i)) return static_cast<int64_t>(i);
    if (is_float(dtype) ? !same(a.floats[i], b.floats[i], within) : a.ints[i] != b.ints[i])
      return static_cast<int64_t>(i);
  }
  return -1;
}

std::optional<Difference> differs(const Array& a, const Array& b, DType dtype, const Tolerance& tolerance,
                                  const std::string& what) {
  const int64_t i = first_difference(a, b, dtype, tolerance);
  if (i < 0) return std::nullopt;
  const auto at = static_cast<size_t>(i);
  return Difference{
      .element = i,
      .text = fmt::format("element {} of {} is {}, and was {}", i, what, number(b, dtype, at), number(a, dtype, at))};
}

std::optional<Difference> buffer_difference(const BufferResult& a, const BufferResult& b, const Tolerance& tolerance) {
  const std::string what = fmt::format("the buffer in slot {}", a.slot);
  if (a.dtype != b.dtype)
    return Difference{.text = fmt::format("{} is {}, and was {}", what, dtype_name(b.dtype), dtype_name(a.dtype))};
  if (a.count != b.count || a.devices != b.devices)
    return Difference{.text = fmt::format("{} has {} elements, and had {}", what, b.count, a.count)};
  return differs(*a.after, *b.after, a.dtype, tolerance, what);
}

std::string shape_text(const Value& v) {
  std::string s = "(";
  for (const int64_t d : v.shape()) s += (s.size() > 1 ? ", " : "") + std::to_string(d);
  return s + ")";
}

// The element of the aligned values in words: range 0 = 1, range 3 = 2, element [0, 4].
std::string place_text(const OpenRanges& open, std::span<const int64_t> shape, int64_t element) {
  Sizes dims = open.sizes;
  dims.insert(dims.end(), shape.begin(), shape.end());
  Sizes at(dims.size());
  for (size_t i = dims.size(); i-- > 0;) {
    at[i] = element % dims[i];
    element /= dims[i];
  }
  std::string s;
  for (size_t i = 0; i < open.ranges.size(); ++i)
    s += fmt::format("{}{} = {}", s.empty() ? "" : ", ",
                     open.ranges[i] ? "range " + range_str(open.ranges[i]) : std::string("device"), at[i]);
  if (!shape.empty()) {
    s += s.empty() ? "element [" : ", element [";
    for (size_t i = open.ranges.size(); i < at.size(); ++i)
      s += fmt::format("{}{}", i > open.ranges.size() ? ", " : "", at[i]);
    s += "]";
  }
  return s;
}

// `b` over the ranges of `a`: a range that was made anew, of another dtype or with its end written otherwise, is the
// one of the same axis.
Value over_ranges_of(const Value& a, Value b) {
  for (UOp& r : b.ranges) {
    if (!r || a.axis_of(r) >= 0) continue;
    for (const UOp s : a.ranges)
      if (s && b.axis_of(s) < 0 && s.arg() == r.arg()) {
        r = s;
        break;
      }
  }
  return b;
}

std::optional<Difference> value_difference(const Value& a, const Value& other, size_t index,
                                           const Tolerance& tolerance) {
  const Value b = over_ranges_of(a, other);
  const std::string what = fmt::format("value {}", index);
  if (a.dtype != b.dtype && !is_weak(a.dtype) && !is_weak(b.dtype))
    return Difference{.text = fmt::format("{} is {}, and was {}", what, dtype_name(b.dtype), dtype_name(a.dtype))};
  if (is_float(a.dtype) != is_float(b.dtype))
    return Difference{.text = fmt::format("{} is {}, and was {}", what, dtype_name(b.dtype), dtype_name(a.dtype))};
  if (!std::ranges::equal(a.shape(), b.shape()))
    return Difference{.text = fmt::format("{} has the shape {}, and had {}", what, shape_text(b), shape_text(a))};
  Limits limits;
  limits.elements *= 4;
  Meter meter(limits);
  const std::vector<Value> both{a, b};
  const OpenRanges open = open_ranges(both);
  auto d = differs(*dense(aligned(a, open, a.shape()), meter).data, *dense(aligned(b, open, a.shape()), meter).data,
                   a.dtype, tolerance, what);
  if (d && !(open.ranges.empty() && a.rank() == 0)) d->text += " (" + place_text(open, a.shape(), d->element) + ")";
  return d;
}

}  // namespace

namespace {

std::optional<Difference> first(const Outcome& a, const Outcome& b, const Tolerance& tolerance) {
  const auto find = [](const Outcome& o, int64_t slot) {
    const auto it = std::ranges::find(o.buffers, slot, &BufferResult::slot);
    return it == o.buffers.end() ? nullptr : &*it;
  };
  for (const BufferResult& x : a.buffers) {
    const BufferResult* y = find(b, x.slot);
    std::optional<Difference> d;
    if (y != nullptr)
      d = buffer_difference(x, *y, tolerance);
    else if (x.changed())
      d = Difference{.text = fmt::format("nothing is written to the buffer in slot {} any more", x.slot)};
    if (!d) continue;
    d->slot = x.slot;
    return d;
  }
  for (const BufferResult& y : b.buffers)
    if (find(a, y.slot) == nullptr && y.changed())
      return Difference{.slot = y.slot,
                        .text = fmt::format("the buffer in slot {} is written to, and was not", y.slot)};
  if (a.values.size() != b.values.size() && (a.stores || b.stores)) return std::nullopt;  // the buffers are the value
  if (a.values.size() != b.values.size())
    return Difference{.text = fmt::format("there are {} values, and were {}", b.values.size(), a.values.size())};
  for (size_t i = 0; i < a.values.size(); ++i)
    if (auto d = value_difference(a.values[i], b.values[i], i, tolerance)) {
      d->value = static_cast<int64_t>(i);
      return d;
    }
  return std::nullopt;
}

}  // namespace

std::optional<Difference> difference(const Outcome& a, const Outcome& b, const Tolerance& tolerance) {
  try {
    return first(a, b, tolerance);
  } catch (const GraphError& e) {
    return Difference{.text = "the two cannot be laid over each other: " + e.message()};
  }
}

}  // namespace rangescope::eval
