// Pooling and resizing (reference: mixin/op.py avg_pool2d, max_pool2d, max_unpool2d, interpolate).

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/frontend/tensor.h"
#include "engine/frontend/window.h"
#include "engine/ir/scalar_alu.h"

namespace rangescope::frontend {

namespace {

Ints last_axes(size_t n) {
  Ints out;
  for (size_t i = 0; i < n; ++i) out.push_back(static_cast<int64_t>(i) - static_cast<int64_t>(n));
  return out;
}

void need_axes(const Tensor& t, const Ints& kernel) {
  if (kernel.size() > t.ndim())
    throw GraphError(fmt::format("pooling over {} axes of a tensor of {}", kernel.size(), t.ndim()));
}

// More padding behind, so that windows that reach over the end count; not for one that would start in the padding.
Ints ceil_pads(const Tensor& t, const Ints& pads, const Ints& k, const Ints& stride, const Ints& dilation) {
  const size_t n = k.size();
  const Ints s = for_each_axis(stride, n, "stride"), d = for_each_axis(dilation, n, "dilation"), sizes = t.sizes();
  const Pads p = grouped(pads, n);
  Ints out;
  for (size_t a = n; a-- > 0;) {
    const int64_t i = sizes[t.ndim() - n + a], before = p[a].first.value, after = p[a].second.value;
    const int64_t span = d[a] * (k[a] - 1) + 1, o = ceildiv(i + before + after - span, s[a]) + 1;
    const int64_t more = s[a] * (o - 1) + span - (i + before + after);
    out.insert(out.end(), {before, after + more - std::max<int64_t>(s[a] * (o - 1) - (before + i - 1), 0)});
  }
  return out;
}

Tensor windows(const Tensor& x, const Ints& pads, const Scalar& fill, const Ints& k, const Ints& s, const Ints& d) {
  return x.pad_constant(grouped(pads, x.ndim()), fill).pool(k, s, d);
}

}  // namespace

Tensor Tensor::avg_pool2d(const Ints& k, const std::optional<Ints>& stride, const Ints& dilation, const Ints& padding,
                          bool ceil_mode, bool count_include_pad) const {
  const Scope scope(context(), "avg_pool2d");
  need_axes(*this, k);
  const Ints s = stride.value_or(k), own = flat_pads(padding, k.size());
  const Axes axes(last_axes(k.size()));
  const Ints pads = ceil_mode ? ceil_pads(*this, own, k, s, dilation) : own;
  const auto pooled = [&](const Tensor& x, const Ints& p) { return windows(x, p, Scalar(0.0), k, s, dilation); };
  if (!count_include_pad) return pooled(*this, pads).sum(axes) / pooled(const_like(1), pads).sum(axes);
  if (!ceil_mode) return pooled(*this, pads).mean(axes);
  Ints more;
  for (size_t i = 0; i < pads.size(); ++i) more.push_back(pads[i] - own[i]);
  const Tensor counted = pad_constant(grouped(own, ndim()), Scalar(0.0)).const_like(1);
  return pooled(*this, pads).sum(axes) / pooled(counted, more).sum(axes);
}

Tensor Tensor::max_pool2d(const Ints& k, const std::optional<Ints>& stride, const Ints& dilation, const Ints& padding,
                          bool ceil_mode) const {
  const Scope scope(context(), "max_pool2d");
  need_axes(*this, k);
  const Ints s = stride.value_or(k);
  Ints pads = flat_pads(padding, k.size());
  if (ceil_mode) pads = ceil_pads(*this, pads, k, s, dilation);
  return windows(*this, pads, dtype_min(dtype()), k, s, dilation).max(Axes(last_axes(k.size())));
}

std::pair<Tensor, Tensor> Tensor::max_pool2d_indices(const Ints& k, const std::optional<Ints>& stride,
                                                     const Ints& dilation, const Ints& padding, bool ceil_mode) const {
  const Scope scope(context(), "max_pool2d");
  need_axes(*this, k);
  const Ints s = stride.value_or(k), all = sizes();
  Ints pads = flat_pads(padding, k.size());
  if (ceil_mode) pads = ceil_pads(*this, pads, k, s, dilation);
  const Axes axes(last_axes(k.size()));
  const Tensor pooled = windows(*this, pads, dtype_min(dtype()), k, s, dilation);
  Shape spatial;
  int64_t count = 1;
  for (size_t i = ndim() - k.size(); i < ndim(); ++i) {
    spatial.emplace_back(all[i]);
    count *= all[i];
  }
  const Tensor places = context().arange(Scalar(count), Scalar(0), Scalar(-1)).reshape(spatial);
  const Tensor hit = pooled.eq(pooled.max(axes, true));
  const Tensor at = hit * windows(places, pads, dtype_min(places.dtype()), k, s, dilation);
  return {pooled.max(axes), Scalar(count) - at.max(axes)};
}

Tensor Tensor::max_unpool2d(const Tensor& indices, const Ints& kernel, const std::optional<Ints>& stride,
                            const Ints& dilation, const Ints& padding, const std::optional<Ints>& output_size) const {
  const Scope scope(context(), "max_unpool2d");
  const Ints s = sizes();
  if (s.size() < 3 || indices.shape() != shape()) throw GraphError("max_unpool2d needs values and as many places");
  const size_t n = s.size() - 2;
  Ints out;
  if (output_size) {
    if (output_size->size() < n) throw GraphError("max_unpool2d: the output size lacks an axis");
    out.assign(output_size->end() - static_cast<std::ptrdiff_t>(n), output_size->end());
  } else {
    const Ints k = for_each_axis(kernel, n, "kernel"), d = for_each_axis(dilation, n, "dilation"),
               st = for_each_axis(stride.value_or(kernel), n, "stride");
    const Pads p = grouped(flat_pads(padding, n), n);
    for (size_t i = 0; i < n; ++i)
      out.push_back((s[i + 2] - 1) * st[i] - (p[i].first.value + p[i].second.value) + (d[i] * (k[i] - 1) + 1));
  }
  const int64_t count = std::accumulate(out.begin(), out.end(), int64_t{1}, std::multiplies<>());
  const Shape rows{Dim(s[0]), Dim(s[1]), Dim(1), Dim(-1)};
  const Tensor flat = indices.reshape(rows).one_hot_along(Dim(count), 2).where(reshape(rows), 0).sum(3);
  Shape to{Dim(s[0]), Dim(s[1])};
  to.insert(to.end(), out.begin(), out.end());
  return flat.reshape(to);
}

Tensor Tensor::interpolate(const Ints& size, std::string_view mode, bool align_corners) const {
  const Scope scope(context(), "interpolate");
  if (size.empty() || size.size() > ndim()) throw GraphError("interpolate needs a size for one axis at least");
  if (mode != "linear" && mode != "nearest" && mode != "nearest-exact")
    throw GraphError(fmt::format("interpolation \"{}\"; there are linear, nearest, nearest-exact", mode));
  if (align_corners && mode != "linear") throw GraphError("corners are aligned in linear interpolation only");
  Tensor x = *this;
  Shape whole = shape();
  for (size_t k = 1; k <= size.size(); ++k) {
    const auto axis = -static_cast<int64_t>(k);
    const int64_t in = this->size(axis), out = size[size.size() - k];
    if (out < 1) throw GraphError(fmt::format("interpolate to a size of {}", out));
    Shape place(ndim(), Dim(1));
    place[ndim() - k] = Dim(out);
    whole[ndim() - k] = Dim(out);
    const auto spread = [&](const Tensor& t) { return t.reshape(place).expand(whole); };
    if (mode == "linear") {
      const Tensor i = context().arange(Scalar(out));
      Tensor num = align_corners ? i * Scalar(in - 1) : (i * 2 + 1) * Scalar(in) - Scalar(out);
      const int64_t den = align_corners ? out - 1 : out * 2;
      num = num.clamp(Operand(0), Operand((in - 1) * den));
      const Tensor low = spread(num.floordiv(den)), high = spread((num + Scalar(den) - 1).floordiv(den));
      const Tensor part = spread((num % Scalar(den)).cast(DType::float32) / Scalar(den));
      x = x.gather(axis, low).lerp(x.gather(axis, high), part);
    } else {
      const double scale = static_cast<double>(in) / static_cast<double>(out);
      const Tensor i = context().arange(Scalar(0), Scalar(out), Scalar(1), DType::float32);
      const Tensor at = mode == "nearest-exact" ? Scalar(scale) * (i + 0.5) : Scalar(scale) * i;
      x = x.gather(axis, spread(at.cast(DType::int32)));
    }
  }
  return x.cast(dtype());
}

}  // namespace rangescope::frontend
