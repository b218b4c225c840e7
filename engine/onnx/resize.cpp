// Images at other sizes: a weighted sum along each axis, with places and weights that are worked out here.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/onnx/operators.h"

namespace rangescope::onnx {

namespace {

struct Plan {
  std::string mode, transformation, nearest;
  double cubic = -0.75;
  bool exclude_outside = false;
  double outside = 0;
};

// Where output place `i` lies in the input.
double place_of(const Plan& p, int64_t i, int64_t in, int64_t out, double scale, double start, double end) {
  const auto x = static_cast<double>(i), n = static_cast<double>(in), m = static_cast<double>(out);
  if (p.transformation == "half_pixel") return (x + 0.5) / scale - 0.5;
  if (p.transformation == "pytorch_half_pixel") return out > 1 ? (x + 0.5) / scale - 0.5 : 0;
  if (p.transformation == "align_corners") return out > 1 ? x * (n - 1) / (scale * n - 1) : 0;
  if (p.transformation == "asymmetric") return x / scale;
  if (p.transformation == "tf_half_pixel_for_nn") return (x + 0.5) / scale;
  if (p.transformation == "tf_crop_and_resize")
    return out > 1 ? start * (n - 1) + x * (end - start) * (n - 1) / (m - 1) : 0.5 * (start + end) * (n - 1);
  Call::refuse(fmt::format("the coordinate transformation \"{}\"", p.transformation));
}

int64_t nearest_of(const Plan& p, double x) {
  if (p.nearest == "round_prefer_floor") return static_cast<int64_t>(std::ceil(x - 0.5));
  if (p.nearest == "round_prefer_ceil") return static_cast<int64_t>(std::floor(x + 0.5));
  if (p.nearest == "floor") return static_cast<int64_t>(std::floor(x));
  if (p.nearest == "ceil") return static_cast<int64_t>(std::ceil(x));
  Call::refuse(fmt::format("the nearest mode \"{}\"", p.nearest));
}

std::vector<double> cubic_weights(double a, double f) {
  const auto far = [&](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
  const auto near = [&](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
  return {far(f + 1), near(f), near(1 - f), far(2 - f)};
}

// One axis: of each output place, how much of each input place. Rows of zeros are outside.
struct AxisPlan {
  Ints index;                   // nearest
  std::vector<double> weights;  // out by in
  std::vector<double> outside;  // per output place: 1 where it lies outside
};
AxisPlan plan_axis(const Plan& p, int64_t in, int64_t out, double scale, double start, double end) {
  AxisPlan a;
  const auto clamp = [&](int64_t i) { return std::clamp<int64_t>(i, 0, in - 1); };
  if (p.mode != "nearest") a.weights.assign(static_cast<size_t>(in * out), 0.0);
  for (int64_t i = 0; i < out; ++i) {
    const double x = place_of(p, i, in, out, scale, start, end);
    const bool beyond = p.transformation == "tf_crop_and_resize" && (x < 0 || x > static_cast<double>(in - 1));
    a.outside.push_back(beyond ? 1 : 0);
    if (p.mode == "nearest") {
      a.index.push_back(clamp(nearest_of(p, x)));
      continue;
    }
    double* row = a.weights.data() + i * in;
    const auto low = static_cast<int64_t>(std::floor(x));
    const double f = x - std::floor(x);
    if (p.mode == "linear") {
      row[clamp(low)] += 1 - f;
      row[clamp(low + 1)] += f;
    } else {
      const std::vector<double> w = cubic_weights(p.cubic, f);
      double sum = 0;
      for (int64_t k = 0; k < 4; ++k) {
        const int64_t at = low - 1 + k;
        if (p.exclude_outside && (at < 0 || at >= in)) continue;
        row[clamp(at)] += w[static_cast<size_t>(k)];
        sum += w[static_cast<size_t>(k)];
      }
      if (p.exclude_outside)
        for (int64_t k = 0; k < in; ++k) row[k] /= sum;
    }
  }
  return a;
}

int64_t size_of(double x) {
  if (!(x >= 0 && x < 1e9)) Call::refuse(fmt::format("a size of {}", x));
  return static_cast<int64_t>(std::floor(x));
}

Values resized(Call& c, const Plan& p, const Ints& sizes, const std::vector<double>& scales,
               const std::vector<double>& roi) {
  const Tensor x = c.x();
  const Ints in = x.sizes();
  const size_t n = in.size();
  Tensor y = x;
  std::optional<Tensor> beyond;
  for (size_t k = 0; k < n; ++k) {
    if (sane(sizes[k]) < 1 || !(scales[k] > 0)) Call::refuse(fmt::format("an axis of {}", sizes[k]));
    const double start = roi.empty() ? 0 : roi[k], end = roi.empty() ? 1 : roi[k + n];
    const bool crops = p.transformation == "tf_crop_and_resize" && (start != 0 || end != 1);
    if (sizes[k] == in[k] && scales[k] == 1 && !crops) continue;
    if (sizes[k] * in[k] > (int64_t{1} << 26)) Call::refuse("an axis that is too long");
    const AxisPlan a = plan_axis(p, in[k], sizes[k], scales[k], start, end);
    const auto axis = static_cast<int64_t>(k);
    if (p.mode == "nearest") {
      y = take(y, axis, a.index);
    } else {
      const Tensor w = c.constant(HostArray::from_doubles(y.dtype(), {sizes[k], in[k]}, a.weights));
      y = y.transpose(axis, -1).matmul(w.transpose()).transpose(axis, -1);
    }
    if (std::ranges::find(a.outside, 1.0) != a.outside.end()) {
      Shape place(n, Dim(1));
      place[k] = Dim(sizes[k]);
      const Tensor out = c.constant(HostArray::from_doubles(DType::bool_, {sizes[k]}, a.outside)).reshape(place);
      beyond = beyond ? beyond->bitwise_or(out) : out;
    }
  }
  if (beyond) y = beyond->where(p.outside, y);
  return {as_value(y.cast(x.dtype()))};
}

Values resize(Call& c) {
  Plan p;
  p.mode = c.text("mode", "nearest");
  p.transformation = c.text("coordinate_transformation_mode", c.opset() < 11 ? "asymmetric" : "half_pixel");
  p.nearest = c.text("nearest_mode", c.opset() < 11 ? "floor" : "round_prefer_floor");
  p.cubic = c.number("cubic_coeff_a", -0.75);
  p.exclude_outside = c.integer("exclude_outside", 0) != 0;
  p.outside = c.number("extrapolation_value", 0.0);
  if (p.mode != "nearest" && p.mode != "linear" && p.mode != "cubic")
    Call::refuse(fmt::format("the mode \"{}\"", p.mode));
  const Ints in = c.x().sizes();
  std::vector<double> roi, scales;
  const size_t at = c.opset() < 11 ? 1 : 2;
  if (at == 2 && p.transformation == "tf_crop_and_resize") roi = c.doubles(1);
  Ints sizes;
  if (c.has(at) && c.numbers(at).count() > 0) {
    scales = c.doubles(at);
    for (size_t i = 0; i < scales.size() && i < in.size(); ++i) {
      const bool crops = !roi.empty();
      const double length =
          crops ? (roi[i + in.size()] - roi[i]) * static_cast<double>(in[i]) : static_cast<double>(in[i]);
      sizes.push_back(size_of(length * scales[i]));
    }
  } else if (c.has(3)) {
    sizes = c.ints(3);
    for (size_t i = 0; i < sizes.size() && i < in.size(); ++i)
      scales.push_back(static_cast<double>(sizes[i]) / static_cast<double>(in[i]));
  }
  if (sizes.size() != in.size() || scales.size() != in.size()) Call::refuse("it needs a scale or a size for each axis");
  if (!roi.empty() && roi.size() != 2 * in.size()) Call::refuse("its region does not fit");
  return resized(c, p, sizes, scales, roi);
}

Values upsample(Call& c) {
  Plan p;
  p.mode = c.text("mode", "nearest");
  p.transformation = "asymmetric";
  p.nearest = "floor";
  if (p.mode == "bilinear") p.mode = "linear";
  if (p.mode != "nearest" && p.mode != "linear") Call::refuse(fmt::format("the mode \"{}\"", p.mode));
  const Ints in = c.x().sizes();
  const std::vector<double> scales = c.has(1) ? c.doubles(1) : c.floats("scales").value_or(std::vector<double>{});
  if (scales.size() != in.size()) Call::refuse("it needs a scale for each axis");
  Ints sizes;
  for (size_t i = 0; i < in.size(); ++i) sizes.push_back(size_of(static_cast<double>(in[i]) * scales[i]));
  return resized(c, p, sizes, scales, {});
}

// ** places that are given for each element

struct Sampling {
  std::string padding;
  bool aligned;
  // Coordinates along an axis of n, from -1 .. 1.
  Tensor place(const Tensor& g, int64_t n) const {
    return aligned ? (g + 1) * Scalar(static_cast<double>(n - 1) / 2) : ((g + 1) * Scalar(n) - 1) * Scalar(0.5);
  }
  // Brought back into the axis, unless what is outside is zero.
  Tensor kept(const Tensor& x, int64_t n) const {
    if (padding == "zeros") return x;
    if (padding == "border") return x.maximum(0.0).minimum(static_cast<double>(n - 1));
    const double low = aligned ? 0 : -0.5, range = aligned ? static_cast<double>(n - 1) : static_cast<double>(n);
    if (range == 0) return x * 0;
    const Tensor t = (x - Scalar(low)).mod(Scalar(2 * range));
    return t.le(range).where(t, Scalar(2 * range) - t) + Scalar(low);
  }
};

Values grid_sample(Call& c) {
  const Tensor x = c.x(0), grid = c.x(1);
  const Ints s = x.sizes(), g = grid.sizes();
  if (s.size() != 4 || g.size() != 4 || g[3] != 2 || g[0] != s[0]) Call::refuse("it needs images and a grid of pairs");
  const int64_t n = s[0], channels = s[1], h = s[2], w = s[3], count = g[1] * g[2];
  const Sampling how{c.text("padding_mode", "zeros"), c.integer("align_corners", 0) != 0};
  const std::string mode = c.text("mode", "bilinear");
  if (how.padding != "zeros" && how.padding != "border" && how.padding != "reflection")
    Call::refuse(fmt::format("the padding \"{}\"", how.padding));
  const Tensor flat = x.reshape({Dim(n), Dim(channels), Dim(h * w)});
  const auto coordinate = [&](int64_t i, int64_t size) {
    const Tensor part = grid.at({frontend::Ellipsis{}, i}).reshape({Dim(n), Dim(count)});
    return how.kept(how.place(part, size), size);
  };
  const Tensor px = coordinate(0, w), py = coordinate(1, h);
  // The pixels at whole coordinates.
  const auto pixel = [&](const Tensor& y, const Tensor& xs) {
    const auto inside = [](const Tensor& t, int64_t size) { return t.ge(0).bitwise_and(t.le(Scalar(size - 1))); };
    const auto index = [&](const Tensor& t, int64_t size) {
      return how.kept(t, size).round().maximum(0.0).minimum(static_cast<double>(size - 1)).cast(DType::int32);
    };
    const Tensor at = index(y, h) * Scalar(w) + index(xs, w);
    Tensor v = flat.gather(2, at.unsqueeze(1).expand({Dim(n), Dim(channels), Dim(count)}));
    if (how.padding != "zeros") return v;
    return inside(y, h).bitwise_and(inside(xs, w)).unsqueeze(1).where(v, 0);
  };
  std::optional<Tensor> sum;
  const auto add = [&](const Tensor& v, const Tensor& weight) {
    const Tensor part = v * weight.unsqueeze(1);
    sum = sum ? *sum + part : part;
  };
  if (mode == "nearest") {
    sum = pixel(py.round(), px.round());
  } else if (mode == "bilinear" || mode == "linear") {
    const Tensor x0 = px.floor(), y0 = py.floor(), fx = px - x0, fy = py - y0;
    for (int dy = 0; dy < 2; ++dy)
      for (int dx = 0; dx < 2; ++dx) add(pixel(y0 + dy, x0 + dx), (dy == 0 ? 1 - fy : fy) * (dx == 0 ? 1 - fx : fx));
  } else if (mode == "bicubic" || mode == "cubic") {
    const double a = -0.75;
    const Tensor x0 = px.floor(), y0 = py.floor(), fx = px - x0, fy = py - y0;
    const auto weights = [&](const Tensor& f) {
      const auto far = [&](const Tensor& d) {
        return ((d * Scalar(a) - Scalar(5 * a)) * d + Scalar(8 * a)) * d - Scalar(4 * a);
      };
      const auto near = [&](const Tensor& d) { return (d * Scalar(a + 2) - Scalar(a + 3)) * d * d + 1; };
      return std::vector<Tensor>{far(f + 1), near(f), near(1 - f), far(2 - f)};
    };
    const std::vector<Tensor> wx = weights(fx), wy = weights(fy);
    for (int dy = 0; dy < 4; ++dy)
      for (int dx = 0; dx < 4; ++dx)
        add(pixel(y0 + (dy - 1), x0 + (dx - 1)), wy[static_cast<size_t>(dy)] * wx[static_cast<size_t>(dx)]);
  } else {
    Call::refuse(fmt::format("the mode \"{}\"", mode));
  }
  return {as_value(sum->reshape({Dim(n), Dim(channels), Dim(g[1]), Dim(g[2])}).cast(x.dtype()))};
}

}  // namespace

std::span<const Operator> resize_operators() {
  static constexpr Operator kRows[] = {
      {"GridSample", grid_sample},
      {"Resize", resize},
      {"Upsample", upsample},
  };
  return kRows;
}

}  // namespace rangescope::onnx
