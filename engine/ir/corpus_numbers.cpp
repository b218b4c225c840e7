#include "engine/ir/corpus_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/ir/scalar.h"
#include "engine/ir/scalar_bits.h"

namespace rangescope {

namespace {

std::string number(double v) {
  if (std::isnan(v)) return "\"nan\"";
  if (std::isinf(v)) return v > 0 ? "\"inf\"" : "\"-inf\"";
  return python_repr(v);
}

}  // namespace

double corpus_fill_element(int64_t slot, DType dtype, uint64_t i) {
  uint32_t x = static_cast<uint32_t>(i + 1) * 2654435761U + static_cast<uint32_t>(slot + 1) * 2246822519U;
  x ^= x >> 15;
  x *= 2246822519U;
  x ^= x >> 13;
  if (dtype == DType::bool_) return x & 1;
  if (!is_float(dtype)) return x % 4;
  const double f = static_cast<double>(x >> 8) * 0x1p-23 - 1;
  return dtype == DType::float64 || dtype == DType::float32 ? f : truncate(dtype, Scalar(f)).as_double();
}

std::string buffer_numbers(int64_t slot, DType dtype, size_t count, bool changed,
                           const std::function<double(size_t)>& element) {
  std::string s =
      fmt::format(R"({{"slot":{},"dtype":"{}","count":{},"changed":{})", slot, dtype_name(dtype), count, changed);
  double sum = 0, abs_sum = 0;
  for (size_t i = 0; i < count; ++i) {
    const double v = element(i);
    sum += v;
    abs_sum += std::fabs(v);
  }
  std::set<size_t> samples;  // the first eight, and 24 spread over the whole
  for (size_t i = 0; i < std::min<size_t>(8, count); ++i) samples.insert(i);
  for (size_t k = 0; k < 24 && count > 0; ++k) samples.insert(k * count / 24);
  s += fmt::format(R"(,"sum":{},"abs_sum":{},"samples":[)", number(sum), number(abs_sum));
  bool first = true;
  for (const size_t i : samples) {
    s += fmt::format("{}[{},{}]", first ? "" : ",", i, number(element(i)));
    first = false;
  }
  return s + "]}";
}

}  // namespace rangescope
