// Padding in all its modes, and the windows that convolutions and pooling are made of (reference: mixin/op.py pad and
// its helpers, mixin/movement.py _pool).

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/frontend/tensor.h"
#include "engine/frontend/window.h"

namespace rangescope::frontend {

namespace {

using Cut = std::vector<std::optional<std::pair<Dim, Dim>>>;

int64_t number(const Dim& d) {
  if (!d.is_int()) throw GraphError("this kind of padding needs known sizes");
  return d.value;
}

// What negative pads cut off.
Tensor cut_by(const Tensor& x, const Pads& pads) {
  Cut cut;
  for (size_t i = 0; i < pads.size(); ++i) {
    const int64_t before = number(pads[i].first), after = number(pads[i].second), s = number(x.shape()[i]);
    cut.emplace_back(std::pair(Dim(-std::min<int64_t>(before, 0)), Dim(std::min(after + s, s))));
  }
  return x.shrink(cut);
}

Pads positive(const Pads& pads) {
  Pads out;
  for (const auto& [before, after] : pads)
    out.emplace_back(Dim(std::max<int64_t>(number(before), 0)), Dim(std::max<int64_t>(number(after), 0)));
  return out;
}

Tensor pad_circular(const Tensor& t, const Pads& given) {
  const Tensor x = cut_by(t, given);
  const Pads pads = positive(given);
  const Ints s = x.sizes();
  Ints times;
  for (size_t i = 0; i < s.size(); ++i) {
    const int64_t before = pads[i].first.value, after = pads[i].second.value;
    if (before > s[i] || after > s[i]) throw GraphError("circular padding wraps around once only: pad by less");
    times.push_back(1 + (before != 0 ? 1 : 0) + (after != 0 ? 1 : 0));
  }
  const Tensor wide = x.repeat(times);
  Cut cut;
  for (size_t i = 0; i < s.size(); ++i) {
    const int64_t before = pads[i].first.value, after = pads[i].second.value, n = wide.sizes()[i];
    cut.emplace_back(std::pair(Dim(before == 0 ? 0 : s[i] - before), Dim(after == 0 ? n : n - s[i] + after)));
  }
  return wide.shrink(cut);
}

// The neighbour of an edge: its mirror image, or the edge again and again.
Tensor edge(const Tensor& x, size_t axis, int64_t count, bool before, bool mirror) {
  const int64_t s = x.sizes()[axis];
  if (!mirror) {
    Cut cut(x.ndim());
    cut[axis] = before ? std::pair(Dim(0), Dim(1)) : std::pair(Dim(s - 1), Dim(s));
    Shape to(x.ndim(), Dim(-1));
    to[axis] = Dim(count);
    return x.shrink(cut).expand(to);
  }
  std::vector<Tensor::Index> index(x.ndim(), Slice{});
  if (before)
    index[axis] = Slice{Dim(count), Dim(0), -1};
  else
    index[axis] = Slice{Dim(s - 2), s - 2 - count >= 0 ? std::optional(Dim(s - 2 - count)) : std::nullopt, -1};
  return x.at(index);
}

Tensor pad_edges(const Tensor& t, const Pads& given, bool mirror) {
  const Pads pads = positive(given);
  Tensor x = t;
  for (size_t d = 0; d < pads.size(); ++d) {
    const int64_t before = pads[d].first.value, after = pads[d].second.value, s = x.sizes()[d];
    if (mirror && (before >= s || after >= s))
      throw GraphError(fmt::format("reflecting {} and {} elements needs an axis of more than that, axis {} has {}",
                                   before, after, d, s));
    std::vector<Tensor> parts;
    if (before > 0) parts.push_back(edge(x, d, before, true, mirror));
    parts.push_back(x);
    if (after > 0) parts.push_back(edge(x, d, after, false, mirror));
    x = parts[0].cat({parts.begin() + 1, parts.end()}, static_cast<int64_t>(d));
  }
  return cut_by(x, given);  // afterwards: edges are those of the whole
}

}  // namespace

Ints for_each_axis(const Ints& given, size_t n, const char* what) {
  if (given.size() == 1) return Ints(n, given[0]);
  if (given.size() != n) throw GraphError(fmt::format("{} needs one number or {}, not {}", what, n, given.size()));
  return given;
}

Ints flat_pads(const Ints& given, size_t n) {
  if (given.size() == 2 * n) return given;
  if (given.size() == 1) return Ints(2 * n, given[0]);
  if (given.size() != n)
    throw GraphError(fmt::format("padding needs one number, {} or {}, not {}", n, 2 * n, given.size()));
  Ints out;
  for (size_t i = n; i-- > 0;) out.insert(out.end(), 2, given[i]);
  return out;
}

Pads grouped(const Ints& flat, size_t ndim) {
  Pads out(ndim - flat.size() / 2, {Dim(0), Dim(0)});
  for (size_t i = flat.size(); i >= 2; i -= 2) out.emplace_back(Dim(flat[i - 2]), Dim(flat[i - 1]));
  return out;
}

Tensor Tensor::pad_constant(const Pads& pads, const Scalar& value) const {
  bool cuts = false;
  for (const auto& [before, after] : pads) cuts = cuts || !resolve_ge(before, Dim(0)) || !resolve_ge(after, Dim(0));
  const Tensor x = cuts ? cut_by(*this, pads) : *this;
  const Pads around = cuts ? positive(pads) : pads;
  Tensor base = wrap(x.uop().pad(around));
  if (!value.is_invalid() && python_equal(value, Scalar(0))) return base;
  return wrap(x.const_like(true, DType::bool_).uop().pad(around)).where(base, value);
}

Tensor Tensor::pad(const Pads& pads, std::string_view mode, const Scalar& value) const {
  const Scope scope(context(), "pad");
  if (pads.size() != ndim())
    throw GraphError(
        fmt::format("pad needs one pair an axis: {} given for {}", pads.size(), rangescope::to_string(shape())));
  if (mode == "constant") return pad_constant(pads, value);
  sizes();
  if (mode == "circular") return pad_circular(*this, pads);
  if (mode == "reflect") return pad_edges(*this, pads, true);
  if (mode == "replicate") return pad_edges(*this, pads, false);
  throw GraphError(
      fmt::format("padding mode \"{}\" is not known; there are constant, reflect, replicate, circular", mode));
}

Tensor Tensor::pad_flat(const Ints& pads, std::string_view mode, const Scalar& value) const {
  if (pads.size() % 2 != 0 || pads.size() / 2 > ndim())
    throw GraphError(fmt::format("padding of {} numbers does not fit {} axes: it is two an axis", pads.size(), ndim()));
  return pad(grouped(pads, ndim()), mode, value);
}

Tensor Tensor::pad_to(const std::vector<std::optional<Dim>>& to, const Scalar& value) const {
  const Scope scope(context(), "pad_to");
  if (to.size() != ndim()) throw GraphError(fmt::format("pad_to needs {} sizes, not {}", ndim(), to.size()));
  Shape whole;
  for (size_t i = 0; i < to.size(); ++i) {
    whole.push_back(to[i].value_or(shape()[i]));
    if (whole.back().is_int() && shape()[i].is_int() && whole.back().value < shape()[i].value)
      throw GraphError(fmt::format("pad_to cannot make {} of {}", whole.back().value, shape()[i].value));
  }
  const UOp ret = uop().pad_to(whole);
  if (ret == uop()) return *this;
  if (python_equal(value, Scalar(0))) return wrap(ret);
  return wrap(const_like(true, DType::bool_).uop().pad_to(whole)).where(wrap(ret), value);
}

// The input is repeated and cut so that a reshape gives windows: no index arithmetic, views alone.
Tensor Tensor::pool(const Ints& k, const Ints& stride, const Ints& dilation) const {
  const size_t n = k.size();
  if (n > ndim()) throw GraphError(fmt::format("a window of {} axes over a tensor of {}", n, ndim()));
  const Ints s = for_each_axis(stride, n, "stride"), d = for_each_axis(dilation, n, "dilation");
  const size_t outer = ndim() - n;
  Ints in, out, f;
  for (size_t a = 0; a < n; ++a) {
    const Dim& size = shape()[outer + a];
    if (!size.is_int()) throw GraphError("a window slides over axes of known size only");
    const int64_t i = size.value;
    if (k[a] < 1 || s[a] < 1 || d[a] < 1)
      throw GraphError(fmt::format("a window of {}, stride {}, dilation {}: all must be 1 at least", k[a], s[a], d[a]));
    if (d[a] * (k[a] - 1) + 1 > i)
      throw GraphError(fmt::format("a window that spans {} is larger than the axis of {} that it slides over",
                                   d[a] * (k[a] - 1) + 1, i));
    in.push_back(i);
    out.push_back(ceildiv(i - d[a] * (k[a] - 1), s[a]));
    f.push_back(std::max<int64_t>(1, ceildiv(out[a] * s[a] - d[a], i)));
  }
  Ints times(outer, 1);
  std::vector<std::optional<Dim>> whole(outer), strided(outer), one(outer);
  Shape rows(shape().begin(), shape().begin() + static_cast<std::ptrdiff_t>(outer)), steps = rows, done = rows;
  for (size_t a = 0; a < n; ++a) {
    const int64_t span = in[a] * f[a] + d[a];
    times.push_back(ceildiv(k[a] * span, in[a]));
    whole.emplace_back(Dim(k[a] * span));
    rows.insert(rows.end(), {Dim(k[a]), Dim(span)});
    strided.insert(strided.end(), {Dim(k[a]), Dim(out[a] * s[a])});
    steps.insert(steps.end(), {Dim(k[a]), Dim(out[a]), Dim(s[a])});
    one.insert(one.end(), {Dim(k[a]), Dim(out[a]), Dim(1)});
    done.insert(done.end(), {Dim(k[a]), Dim(out[a])});
  }
  const Tensor x =
      repeat(times).shrink_to(whole).reshape(rows).shrink_to(strided).reshape(steps).shrink_to(one).reshape(done);
  Ints order(outer);
  std::iota(order.begin(), order.end(), 0);
  for (size_t a = 0; a < n; ++a) order.push_back(static_cast<int64_t>(outer + 2 * a + 1));
  for (size_t a = 0; a < n; ++a) order.push_back(static_cast<int64_t>(outer + 2 * a));
  return x.permute(order);
}

}  // namespace rangescope::frontend
