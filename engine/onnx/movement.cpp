// Operators that move elements and compute none.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/onnx/operators.h"

namespace rangescope::onnx {

namespace {

// No tensor that is still to be computed has an axis of 0: nothing of it is read.
Tensor nothing(const Tensor& x, const Ints& sizes) {
  return x.context().full(shape_of(sizes), Scalar(0), {.dtype = x.dtype(), .buffer = false});
}

Values reshape(Call& c) {
  const Tensor x = c.x();
  const auto asked = c.ints_or_attribute(1, "shape");
  if (!asked) Call::refuse("it has no shape");
  Ints to = *asked;
  const bool zero_is_zero = c.integer("allowzero", 0) != 0;
  const Ints from = x.sizes();
  int64_t known = 1;
  size_t open = to.size();
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i] == 0 && !zero_is_zero) {
      if (i >= from.size()) Call::refuse(fmt::format("axis {} keeps its size, and there is none", i));
      to[i] = from[i];
    }
    if (sane(to[i]) < -1) Call::refuse(fmt::format("an axis of {}", to[i]));
    if (to[i] == -1 && open != to.size()) Call::refuse("more than one axis is open");
    if (to[i] == -1) open = i;
  }
  Ints rest = to;
  if (open != to.size()) rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(open));
  shape_of(rest);  // refuses what would overflow
  for (const int64_t r : rest) known *= r;
  if (open != to.size()) {
    if (known == 0 || x.numel() % known != 0)
      Call::refuse(fmt::format("{} elements do not divide into {}", x.numel(), known));
    to[open] = x.numel() / known;
    known *= to[open];
  }
  if (known != x.numel())
    Call::refuse(fmt::format("{} does not become {}: {} elements and {}", to_string(x.shape()), to_string(shape_of(to)),
                             x.numel(), known));
  return {as_value(known == 0 ? nothing(x, to) : x.reshape(shape_of(to)))};
}

Values flatten(Call& c) {
  const Tensor x = c.x();
  const Ints s = x.sizes();
  int64_t axis = c.integer("axis", 1);
  if (axis < 0) axis += static_cast<int64_t>(s.size());
  if (axis < 0 || axis > static_cast<int64_t>(s.size())) Call::refuse(fmt::format("there is no axis {}", axis));
  int64_t a = 1, b = 1;
  for (size_t i = 0; i < s.size(); ++i) (static_cast<int64_t>(i) < axis ? a : b) *= s[i];
  return {as_value(x.reshape({Dim(a), Dim(b)}))};
}

Values squeeze(Call& c) {
  const Tensor x = c.x();
  const Ints s = x.sizes();
  const auto given = c.ints_or_attribute(1, "axes");
  Ints to;
  for (size_t i = 0; i < s.size(); ++i) {
    const auto is_it = [&](int64_t a) { return Call::wrapped(a, s.size()) == static_cast<int64_t>(i); };
    const bool gone = given ? std::ranges::any_of(*given, is_it) : s[i] == 1;
    if (gone && s[i] != 1) Call::refuse(fmt::format("axis {} is {} long", i, s[i]));
    if (!gone) to.push_back(s[i]);
  }
  return {as_value(x.reshape(shape_of(to)))};
}

Values unsqueeze(Call& c) {
  const Tensor x = c.x();
  const Ints s = x.sizes();
  const auto given = c.ints_or_attribute(1, "axes");
  if (!given) Call::refuse("it has no axes");
  Ints to(s.size() + given->size(), 0);
  for (const int64_t a : *given) {
    auto& at = to[static_cast<size_t>(Call::wrapped(a, to.size()))];
    if (at == 1) Call::refuse("an axis is given twice");
    at = 1;
  }
  size_t next = 0;
  for (int64_t& t : to)
    if (t == 0) t = s[next++];
  return {as_value(x.reshape(shape_of(to)))};
}

Values transpose(Call& c) {
  const Tensor x = c.x();
  Ints order(x.ndim());
  std::iota(order.rbegin(), order.rend(), 0);
  return {as_value(x.permute(c.list("perm").value_or(order)))};
}

Values expand(Call& c) {
  const Tensor x = c.x();
  const Ints to = c.ints(1);
  Ints from = x.sizes();
  const size_t n = std::max(from.size(), to.size());
  Ints out(n);
  for (size_t i = 0; i < n; ++i) {
    const int64_t a = i < n - from.size() ? 1 : from[i - (n - from.size())];
    const int64_t b = i < n - to.size() ? 1 : to[i - (n - to.size())];
    if (a != b && a != 1 && b != 1) Call::refuse(fmt::format("an axis of {} does not become {}", a, b));
    out[i] = a == 1 ? b : a;
  }
  return {as_value(x.broadcast_to(shape_of(out)))};
}

Values tile(Call& c) {
  const Tensor x = c.x();
  Ints times = c.ints(1);
  if (c.has(2)) {  // before version 6: how often, and along which axis
    const int64_t axis = c.integer(size_t{2}), n = times.at(0);
    times.assign(x.ndim(), 1);
    times[static_cast<size_t>(Call::wrapped(axis, x.ndim()))] = n;
  }
  if (times.size() != x.ndim()) Call::refuse(fmt::format("it needs {} counts", x.ndim()));
  Ints out = x.sizes();
  for (size_t i = 0; i < out.size(); ++i) out[i] *= sane(times[i]);
  shape_of(out);
  if (std::ranges::find(out, 0) != out.end()) return {as_value(nothing(x, out))};
  return {as_value(x.repeat(times))};
}

Values concat(Call& c) {
  std::vector<Tensor> rest;
  std::optional<Tensor> first;
  for (size_t i = 0; i < c.count(); ++i) {
    const Tensor t = c.x(i);
    if (t.numel() == 0 && c.count() > 1 && (first || i + 1 < c.count())) {
      bool other = false;
      for (size_t j = 0; j < c.count(); ++j) other = other || (j != i && c.x(j).numel() > 0);
      if (other) continue;  // adds nothing
    }
    if (!first)
      first = t;
    else
      rest.push_back(t);
  }
  if (!first) Call::refuse("it has no inputs");
  const int64_t axis = c.axis("axis", 1, first->ndim());
  for (const Tensor& t : rest)
    if (t.dtype() != first->dtype()) Call::refuse("its inputs are of several dtypes");
  return {as_value(rest.empty() ? *first : first->cat(rest, axis))};
}

Values split(Call& c) {
  const Tensor x = c.x();
  const int64_t axis = c.axis("axis", 0, x.ndim()), n = x.size(axis);
  auto sizes = c.ints_or_attribute(1, "split");
  if (!sizes) {
    const auto count = static_cast<int64_t>(c.outputs());
    const int64_t each = (n + count - 1) / count;
    sizes.emplace();
    for (int64_t left = n; std::ssize(*sizes) < count; left -= each)
      sizes->push_back(std::clamp<int64_t>(left, 0, each));
  }
  for (const int64_t part : *sizes)
    if (sane(part) < 0) Call::refuse(fmt::format("a part of {}", part));
  if (std::accumulate(sizes->begin(), sizes->end(), int64_t{0}) != n)
    Call::refuse(fmt::format("its parts do not add up to {}", n));
  Values out;
  for (const Tensor& part : x.split(*sizes, axis))
    out.push_back(as_value(part.numel() == 0 ? nothing(x, part.sizes()) : part));
  return out;
}

Values slice(Call& c) {
  Tensor x = c.x();
  const auto starts = c.ints_or_attribute(1, "starts"), ends = c.ints_or_attribute(2, "ends");
  if (!starts || !ends || starts->size() != ends->size()) Call::refuse("it needs as many ends as starts");
  auto axes = c.ints_or_attribute(3, "axes");
  if (!axes) {
    axes.emplace(starts->size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  const Ints steps = c.has(4) ? c.ints(4) : Ints(starts->size(), 1);
  if (axes->size() != starts->size() || steps.size() != starts->size())
    Call::refuse("it needs as many axes and steps as starts");
  Ints sizes = x.sizes();
  std::vector<Tensor::Index> index(x.ndim(), frontend::Slice{});
  for (size_t i = 0; i < axes->size(); ++i) {
    const auto axis = static_cast<size_t>(Call::wrapped((*axes)[i], x.ndim()));
    const int64_t n = sizes[axis], step = std::clamp<int64_t>(steps[i], -(int64_t{1} << 31), int64_t{1} << 31);
    if (step == 0) Call::refuse("a step of 0");
    int64_t start = (*starts)[i], end = (*ends)[i];
    if (start < 0) start = std::max(start, -n - 1) + n;
    if (end < 0) end = std::max(end, -n - 1) + n;
    start = step > 0 ? std::clamp<int64_t>(start, 0, n) : std::clamp<int64_t>(start, 0, std::max<int64_t>(n - 1, 0));
    end = step > 0 ? std::clamp<int64_t>(end, 0, n) : std::clamp<int64_t>(end, -1, n);
    const int64_t count = step > 0 ? (end - start + step - 1) / step : (start - end + (-step) - 1) / -step;
    sizes[axis] = std::max<int64_t>(count, 0);
    frontend::Slice s;
    s.start = Dim(start);
    if (end >= 0) s.stop = Dim(end);
    s.step = step;
    index[axis] = s;
  }
  if (std::ranges::find(sizes, 0) != sizes.end()) return {as_value(nothing(x, sizes))};
  return {as_value(x.at(index))};
}

Values pad(Call& c) {
  const Tensor x = c.x();
  auto pads = c.has(1) || c.opset() >= 11 ? std::optional<Ints>(c.ints(1)) : c.list("pads");
  if (!pads) pads = c.list("paddings");
  if (!pads || pads->size() != 2 * x.ndim()) Call::refuse(fmt::format("it needs {} pads", 2 * x.ndim()));
  double value = c.number("value", 0.0);
  if (c.has(2) && c.numbers(2).count() > 0) value = c.doubles(2).at(0);
  for (const int64_t p : *pads) sane(p);
  frontend::Pads both;
  for (size_t i = 0; i < x.ndim(); ++i) both.emplace_back(Dim((*pads)[i]), Dim((*pads)[i + x.ndim()]));
  const std::string mode = c.text("mode", "constant");
  const Scalar fill = is_float(x.dtype()) ? Scalar(value) : Scalar(static_cast<int64_t>(value));
  if (mode == "constant") return {as_value(x.pad(both, "constant", fill).cast(x.dtype()))};
  if (mode == "reflect" || mode == "edge") return {as_value(x.pad(both, mode == "edge" ? "replicate" : mode))};
  Call::refuse(fmt::format("the mode \"{}\"", mode));
}

Values depth_to_space(Call& c) {
  const Tensor x = c.x();
  const Ints s = x.sizes();
  const int64_t b = std::min<int64_t>(c.integer("blocksize", 0), 1 << 15);
  if (s.size() != 4 || b < 1 || s[1] % (b * b) != 0)
    Call::refuse("it needs 4 axes and channels that divide into blocks");
  const Dim n(s[0]), h(s[2]), w(s[3]), k(b), d(s[1] / (b * b));
  const Tensor apart = c.text("mode", "DCR") == "CRD" ? x.reshape({n, d, k, k, h, w}).permute({0, 1, 4, 2, 5, 3})
                                                      : x.reshape({n, k, k, d, h, w}).permute({0, 3, 4, 1, 5, 2});
  return {as_value(apart.reshape({n, d, Dim(s[2] * b), Dim(s[3] * b)}))};
}

Values space_to_depth(Call& c) {
  const Tensor x = c.x();
  const Ints s = x.sizes();
  const int64_t b = std::min<int64_t>(c.integer("blocksize", 0), 1 << 15);
  if (s.size() != 4 || b < 1 || s[2] % b != 0 || s[3] % b != 0) Call::refuse("it needs 4 axes that divide into blocks");
  const Dim n(s[0]), d(s[1]), h(s[2] / b), w(s[3] / b), k(b);
  return {as_value(x.reshape({n, d, h, k, w, k}).permute({0, 3, 5, 1, 2, 4}).reshape({n, Dim(s[1] * b * b), h, w}))};
}

Values trilu(Call& c) {
  const Tensor x = c.x();
  const int64_t k = c.has(1) ? c.integer(size_t{1}) : 0;
  if (x.numel() == 0) return {as_value(x)};
  return {as_value((c.integer("upper", 1) != 0 ? x.triu(k) : x.tril(k)).cast(x.dtype()))};
}

Values reverse_sequence(Call& c) {
  const Tensor x = c.x();
  const Ints s = x.sizes();
  const int64_t batch = c.axis("batch_axis", 1, s.size()), time = c.axis("time_axis", 0, s.size());
  if (batch + time != 1) Call::refuse("time and batch are the first two axes");
  const auto at = [&](int64_t axis) {
    Shape shape(s.size(), Dim(1));
    shape[static_cast<size_t>(axis)] = Dim(s[static_cast<size_t>(axis)]);
    return shape;
  };
  const int64_t n = s[static_cast<size_t>(time)];
  const Tensor lengths = c.x(1).cast(DType::int32).reshape(at(batch));
  const Tensor step = c.context().arange(Scalar(n)).reshape(at(time));
  const Tensor from = step.lt(lengths).where(lengths - step - 1, step).cast(DType::int32);
  return {as_value(x.gather(time, from.expand(x.shape())))};
}

}  // namespace

Tensor take(const Tensor& x, int64_t axis, const Ints& index) {
  const auto a = static_cast<size_t>(axis);
  std::vector<Tensor::Index> at(x.ndim(), frontend::Slice{});
  const auto n = static_cast<int64_t>(index.size());
  const auto stepped = [&](int64_t step) {
    for (size_t i = 1; i < index.size(); ++i)
      if (index[i] - index[i - 1] != step) return false;
    return true;
  };
  if (n == 1 || (n > 1 && index[1] > index[0] && stepped(index[1] - index[0]))) {
    const int64_t step = n == 1 ? 1 : index[1] - index[0];
    at[a] = frontend::Slice{Dim(index.front()), Dim(index.back() + 1), step};
    return x.at(at);
  }
  const int64_t in = x.size(axis);
  if (in > 0 && n % in == 0) {  // each element the same number of times
    const int64_t times = n / in;
    bool each = true;
    for (int64_t i = 0; i < n && each; ++i) each = index[static_cast<size_t>(i)] == i / times;
    if (each) return x.repeat_interleave(times, axis);
  }
  at[a] = x.context().from_device_data(HostArray::from_ints(DType::int32, {n}, index));
  return x.at(at);
}

Tensor stacked(const std::vector<Tensor>& all, int64_t axis) {
  return all.size() == 1 ? all[0].unsqueeze(axis) : all[0].stack({all.begin() + 1, all.end()}, axis);
}

std::span<const Operator> movement_operators() {
  static constexpr Operator kRows[] = {
      {"Concat", concat},
      {"DepthToSpace", depth_to_space},
      {"Expand", expand},
      {"Flatten", flatten},
      {"Pad", pad},
      {"Reshape", reshape},
      {"ReverseSequence", reverse_sequence},
      {"Slice", slice},
      {"SpaceToDepth", space_to_depth},
      {"Split", split},
      {"Squeeze", squeeze},
      {"Tile", tile},
      {"Transpose", transpose},
      {"Trilu", trilu},
      {"Unsqueeze", unsqueeze},
  };
  return kRows;
}

}  // namespace rangescope::onnx
