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

// ** spectra, as products with a matrix of cosines and sines

Tensor along_last(const Call& c, const Tensor& x, int64_t length, int64_t bins, bool sine, bool inverse) {
  if (length * bins > (int64_t{1} << 24)) Call::refuse(fmt::format("over {} elements", length));
  std::vector<double> w;
  w.reserve(static_cast<size_t>(length * bins));
  for (int64_t i = 0; i < length; ++i)
    for (int64_t k = 0; k < bins; ++k) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(i * k % length) / static_cast<double>(length);
      const double value = sine ? std::sin(angle) : std::cos(angle);
      w.push_back(inverse ? value / static_cast<double>(length) : value);
    }
  return x.matmul(c.constant(HostArray::from_doubles(x.dtype(), {length, bins}, w)));
}

// The last axis of what is given is transformed; what comes back has (real, imaginary) behind it.
Tensor transformed(const Call& c, const Tensor& re, const std::optional<Tensor>& im, bool inverse, bool one_sided) {
  const int64_t n = re.size(-1), bins = one_sided ? n / 2 + 1 : n;
  const auto part = [&](const Tensor& x, bool sine) { return along_last(c, x, n, bins, sine, inverse); };
  // e^(-i a) forwards, e^(i a) backwards
  Tensor real = part(re, false), imaginary = inverse ? part(re, true) : part(re, true).neg();
  if (im) {
    real = inverse ? real - part(*im, true) : real + part(*im, true);
    imaginary = imaginary + part(*im, false);
  }
  return real.stack({imaginary}, -1);
}

Values dft(Call& c) {
  const Tensor x = c.x(0);
  if (x.ndim() < 3 || x.size(-1) > 2) Call::refuse("it needs a batch, a signal, and 1 or 2 numbers for each element");
  const int64_t axis = c.axis("axis", 1, x.ndim());
  const bool inverse = c.integer("inverse", 0) != 0, one_sided = c.integer("onesided", 0) != 0;
  if (axis + 1 == static_cast<int64_t>(x.ndim())) Call::refuse("the last axis is real and imaginary part");
  if (inverse && one_sided) Call::refuse("one side of an inverse is not defined");
  const auto last = static_cast<int64_t>(x.ndim()) - 2;
  const auto side = [&](int64_t i) {
    Tensor t = x.at({frontend::Ellipsis{}, i}).transpose(axis, last);
    if (!c.has(1)) return t;
    std::vector<std::optional<Dim>> to(t.ndim());
    const int64_t n = c.integer(size_t{1});
    to.back() = Dim(n);
    return n <= t.size(-1) ? t.shrink_to(to) : t.pad_to(to);
  };
  const Tensor y =
      transformed(c, side(0), x.size(-1) == 2 ? std::optional<Tensor>(side(1)) : std::nullopt, inverse, one_sided);
  return {as_value(y.transpose(axis, last).cast(x.dtype()))};
}

Values stft(Call& c) {
  const Tensor x = c.x(0);
  const int64_t step = c.integer(size_t{1});
  int64_t length = c.has(3) ? c.integer(size_t{3}) : 0;
  if (length == 0 && c.has(2)) length = c.x(2).size(0);
  if (x.ndim() != 3 && x.ndim() != 2) Call::refuse("it needs a batch of signals");
  if (step < 1 || length < 1 || length > x.size(1)) Call::refuse(fmt::format("frames of {} every {}", length, step));
  const bool complex = x.ndim() == 3 && x.size(2) == 2;
  const auto frames = [&](int64_t i) {
    const Tensor f = (x.ndim() == 3 ? x.at({frontend::Ellipsis{}, i}) : x).unfold(1, length, step);
    return c.has(2) ? f * c.x(2) : f;
  };
  const bool one_sided = c.integer("onesided", 1) != 0 && !complex;
  const Tensor y =
      transformed(c, frames(0), complex ? std::optional<Tensor>(frames(1)) : std::nullopt, false, one_sided);
  return {as_value(y.cast(x.dtype()))};
}

// Triangles that are even in the mel scale, over the bins of a spectrum.
Values mel_weights(Call& c) {
  const int64_t mels = c.integer(size_t{0}), length = c.integer(size_t{1}), rate = c.integer(size_t{2});
  const double low = c.doubles(3).at(0), high = c.doubles(4).at(0);
  const int64_t bins = length / 2 + 1;
  if (mels < 1 || length < 1 || rate < 1 || mels * bins > (int64_t{1} << 24)) Call::refuse("its sizes do not fit");
  const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  Ints at;
  for (int64_t i = 0; i < mels + 2; ++i) {
    const double m = mel(low) + static_cast<double>(i) * (mel(high) - mel(low)) / static_cast<double>(mels + 2);
    const double hertz = 700 * (std::pow(10, m / 2595) - 1);
    at.push_back(static_cast<int64_t>(std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate))));
  }
  std::vector<double> w(static_cast<size_t>(bins * mels), 0.0);
  const auto put = [&](int64_t bin, int64_t m, double value) {
    if (bin >= 0 && bin < bins) w[static_cast<size_t>(bin * mels + m)] = value;
  };
  for (int64_t m = 0; m < mels; ++m) {
    const int64_t from = at[static_cast<size_t>(m)], peak = at[static_cast<size_t>(m) + 1],
                  to = at[static_cast<size_t>(m) + 2];
    if (peak == from) put(peak, m, 1);
    for (int64_t j = from; j <= peak && peak > from; ++j)
      put(j, m, static_cast<double>(j - from) / static_cast<double>(peak - from));
    for (int64_t j = peak; j < to && to > peak; ++j)
      put(j, m, static_cast<double>(to - j) / static_cast<double>(to - peak));
  }
  return {as_value(HostArray::from_doubles(dtype_of_number(c.integer("output_datatype", 1)), {bins, mels}, w))};
}

}  // namespace

std::span<const Operator> signal_operators() {
  static constexpr Operator kRows[] = {
      {"BlackmanWindow", blackman},     {"DFT", dft},   {"HammingWindow", hamming}, {"HannWindow", hann},
      {"MelWeightMatrix", mel_weights}, {"STFT", stft},
  };
  return kRows;
}

}  // namespace rangescope::onnx
