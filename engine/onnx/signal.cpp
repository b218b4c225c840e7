// Windows and spectra.

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "engine/onnx/operators.h"

namespace rangescope::onnx {

namespace {

// A sum of cosines over the window.
Values window(Call& c, std::initializer_list<double> terms) {
  const int64_t n = c.integer(size_t{0});
  if (n < 1 || n > (int64_t{1} << 24)) Call::refuse(fmt::format("a window of {}", n));
  const auto length = static_cast<double>(c.integer("periodic", 1) != 0 ? n : n - 1);
  std::vector<double> w(static_cast<size_t>(n));
  for (size_t i = 0; i < w.size(); ++i) {
    int k = 0;
    for (const double a : terms) {
      const double angle = 2 * std::numbers::pi * k * static_cast<double>(i) / length;
      w[i] += (k % 2 == 0 ? a : -a) * std::cos(angle);
      ++k;
    }
  }
  return {as_value(HostArray::from_doubles(dtype_of_number(c.integer("output_datatype", 1)), {n}, w))};
}
Values hann(Call& c) {
  return window(c, {0.5, 0.5});
}
Values hamming(Call& c) {
  return window(c, {25.0 / 46.0, 1 - 25.0 / 46.0});
}
Values blackman(Call& c) {
  return window(c, {0.42, 0.5, 0.08});
}

}  // namespace

std::span<const Operator> signal_operators() {
  static constexpr Operator kRows[] = {
      {"BlackmanWindow", blackman},
      {"HammingWindow", hamming},
      {"HannWindow", hann},
  };
  return kRows;
}

}  // namespace rangescope::onnx
