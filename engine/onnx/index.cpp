// Operators that pick elements by index, and those that put some there.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

#include "engine/onnx/operators.h"

namespace rangescope::onnx {

namespace {

int64_t product_of(const Ints& s, size_t from, size_t to) {
  return std::accumulate(s.begin() + static_cast<std::ptrdiff_t>(from), s.begin() + static_cast<std::ptrdiff_t>(to),
                         int64_t{1}, std::multiplies<>());
}

Shape as_shape(const Ints& s) {
  Shape shape;
  for (const int64_t d : s) shape.emplace_back(d);
  return shape;
}

// Indices from the end are negative.
Tensor wrapped(const Tensor& index, int64_t n) {
  return index.lt(0).where(index + Scalar(n), index).cast(index.dtype());
}

Values gather(Call& c) {
  const Tensor x = c.x(0);
  const auto axis = static_cast<size_t>(c.axis("axis", 0, x.ndim()));
  std::vector<Tensor::Index> at(x.ndim(), frontend::Slice{});
  const Value& index = c.value(1);
  if (index->known && index->known->count() == 1) {  // a slice, which costs nothing
    const int64_t n = x.size(static_cast<int64_t>(axis));
    int64_t i = index->known->to_ints()[0];
    if (i < -n || i >= n) Call::refuse(fmt::format("index {} into an axis of {}", i, n));
    if (i < 0) i += n;
    if (index->known->shape.empty()) {
      at[axis] = i;
      return {as_value(x.at(at))};
    }
    if (index->known->shape.size() == 1) {
      at[axis] = frontend::Slice{Dim(i), Dim(i + 1), std::nullopt};
      return {as_value(x.at(at))};
    }
  }
  at[axis] = c.x(1);
  return {as_value(x.at(at).cast(x.dtype()))};
}

Values gather_elements(Call& c) {
  const Tensor x = c.x(0);
  const int64_t axis = c.axis("axis", 0, x.ndim());
  return {as_value(x.gather(axis, wrapped(c.x(1), x.size(axis))).cast(x.dtype()))};
}

// Indices of rows as numbers of the flattened leading axes; the last axis of `index` names a place.
Tensor flat_index(const Tensor& index, const Ints& sizes, size_t first, size_t count) {
  std::optional<Tensor> flat;
  for (size_t i = 0; i < count; ++i) {
    const Tensor part = index.at({frontend::Ellipsis{}, static_cast<int64_t>(i)}).cast(DType::int32);
    const Tensor at = wrapped(part, sizes[first + i]);
    flat = flat ? *flat * Scalar(sizes[first + i]) + at : at;
  }
  return *flat;
}

Values gather_nd(Call& c) {
  const Tensor x = c.x(0), index = c.x(1);
  const Ints s = x.sizes(), i = index.sizes();
  const auto batch = static_cast<size_t>(c.integer("batch_dims", 0));
  if (i.empty() || batch >= i.size()) Call::refuse("its indices have too few axes");
  const auto depth = static_cast<size_t>(i.back());
  if (depth < 1 || batch + depth > s.size()) Call::refuse("its indices name more axes than there are");
  Tensor at = flat_index(index, s, batch, depth);
  const int64_t batches = product_of(s, 0, batch), places = product_of(s, batch, batch + depth);
  if (batch > 0) {
    Shape place(at.ndim(), Dim(1));
    for (size_t b = 0; b < batch; ++b) place[b] = Dim(s[b]);
    at = at + c.context().arange(Scalar(batches)).reshape(place) * Scalar(places);
  }
  Ints rows{batches * places};
  rows.insert(rows.end(), s.begin() + static_cast<std::ptrdiff_t>(batch + depth), s.end());
  return {as_value(x.reshape(as_shape(rows)).at({at.cast(DType::int32)}).cast(x.dtype()))};
}

Tensor scattered(const Tensor& x, int64_t axis, const Tensor& index, const Tensor& updates, const std::string& how) {
  if (how == "none") return x.scatter(axis, index, updates).cast(x.dtype());
  if (how == "add") return x.scatter_reduce(axis, index, updates, "sum").cast(x.dtype());
  if (how == "mul") return x.scatter_reduce(axis, index, updates, "prod").cast(x.dtype());
  if (how == "max") return x.scatter_reduce(axis, index, updates, "amax").cast(x.dtype());
  if (how == "min") return x.scatter_reduce(axis, index, updates, "amin").cast(x.dtype());
  Call::refuse(fmt::format("the reduction \"{}\"", how));
}

Values scatter_elements(Call& c) {
  const Tensor x = c.x(0);
  const int64_t axis = c.axis("axis", 0, x.ndim());
  return {as_value(scattered(x, axis, wrapped(c.x(1), x.size(axis)), c.x(2), c.text("reduction", "none")))};
}

Values scatter_nd(Call& c) {
  const Tensor x = c.x(0), index = c.x(1), updates = c.x(2);
  const Ints s = x.sizes(), i = index.sizes();
  if (i.empty()) Call::refuse("its indices have no axes");
  const auto depth = static_cast<size_t>(i.back());
  if (depth < 1 || depth > s.size()) Call::refuse("its indices name more axes than there are");
  const int64_t places = product_of(s, 0, depth), row = product_of(s, depth, s.size()),
                count = product_of(i, 0, i.size() - 1);
  const Tensor at = flat_index(index, s, 0, depth).reshape({Dim(count), Dim(1)}).expand({Dim(count), Dim(row)});
  const Tensor flat = x.reshape({Dim(places), Dim(row)});
  const Tensor y = scattered(flat, 0, at, updates.reshape({Dim(count), Dim(row)}), c.text("reduction", "none"));
  return {as_value(y.reshape(x.shape()))};
}

Values one_hot(Call& c) {
  const Tensor index = c.x(0), values = c.x(2);
  const int64_t depth = sane(c.numbers(1).to_ints().at(0));
  if (depth < 1) Call::refuse(fmt::format("a depth of {}", depth));
  const int64_t axis = c.axis("axis", -1, index.ndim() + 1);
  const Tensor at = wrapped(is_float(index.dtype()) ? index.cast(DType::int64) : index, depth).unsqueeze(axis);
  Shape place(index.ndim() + 1, Dim(1));
  place[static_cast<size_t>(axis)] = Dim(depth);
  const Tensor hit = at.eq(c.context().arange(Scalar(depth)).reshape(place));
  return {as_value(hit.where(values.at({int64_t{1}}), values.at({int64_t{0}})).cast(values.dtype()))};
}

// ** results whose size depends on values: these must be known

Values compress(Call& c) {
  Tensor x = c.x(0);
  const Ints condition = c.ints(1);
  int64_t axis = 0;
  if (c.has_attribute("axis"))
    axis = c.axis("axis", 0, x.ndim());
  else
    x = x.flatten();
  Ints kept;
  for (size_t i = 0; i < condition.size(); ++i)
    if (condition[i] != 0) kept.push_back(static_cast<int64_t>(i));
  if (kept.empty() || kept.back() >= x.size(axis)) Call::refuse("its condition selects nothing, or beyond the axis");
  return {as_value(take(x, axis, kept))};
}

Values non_zero(Call& c) {
  const HostArray& x = c.numbers(0);
  const std::vector<double> v = x.to_doubles();
  std::vector<Ints> places(x.shape.size());
  int64_t found = 0;
  for (size_t i = 0; i < v.size(); ++i) {
    if (v[i] == 0) continue;
    ++found;
    auto rest = static_cast<int64_t>(i);
    for (size_t a = x.shape.size(); a-- > 0;) {
      places[a].push_back(rest % x.shape[a]);
      rest /= x.shape[a];
    }
  }
  Ints flat;
  for (const Ints& p : places) flat.insert(flat.end(), p.begin(), p.end());
  return {as_value(HostArray::from_ints(DType::int64, {static_cast<int64_t>(places.size()), found}, flat))};
}

Values unique(Call& c) {
  HostArray x = c.numbers(0);
  if (!c.has_attribute("axis")) x.shape = {x.count()};
  const auto axis = static_cast<size_t>(c.axis("axis", 0, x.shape.size()));
  const int64_t n = x.shape[axis], outer = product_of(x.shape, 0, axis),
                inner = product_of(x.shape, axis + 1, x.shape.size());
  const std::vector<double> v = x.to_doubles();
  std::vector<std::vector<double>> rows(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i)
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t j = 0; j < inner; ++j)
        rows[static_cast<size_t>(i)].push_back(v[static_cast<size_t>((o * n + i) * inner + j)]);
  std::map<std::vector<double>, size_t> number;
  Ints first, inverse, counts;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto [it, fresh] = number.emplace(rows[i], first.size());
    if (fresh) {
      first.push_back(static_cast<int64_t>(i));
      counts.push_back(0);
    }
    inverse.push_back(static_cast<int64_t>(it->second));
    ++counts[it->second];
  }
  if (c.integer("sorted", 1) != 0) {  // the map is in order
    Ints now(first.size()), f, k;
    for (const auto& [row, at] : number) {
      now[at] = static_cast<int64_t>(f.size());
      f.push_back(first[at]);
      k.push_back(counts[at]);
    }
    for (int64_t& i : inverse) i = now[static_cast<size_t>(i)];
    first = f;
    counts = k;
  }
  const auto step = static_cast<size_t>(itemsize(x.dtype)), run = static_cast<size_t>(inner) * step;
  std::vector<std::byte> bytes;
  for (int64_t o = 0; o < outer; ++o)
    for (const int64_t i : first) {
      const std::byte* at = x.bytes->data() + static_cast<size_t>(o * n + i) * run;
      bytes.insert(bytes.end(), at, at + run);
    }
  std::vector<int64_t> shape = x.shape;
  shape[axis] = static_cast<int64_t>(first.size());
  return {as_value(HostArray::from_bytes(x.dtype, shape, bytes)), as_value(first), as_value(inverse), as_value(counts)};
}

// Boxes one after the other by score; one that overlaps a chosen one too much is left out.
Values non_max_suppression(Call& c) {
  const HostArray &boxes = c.numbers(0), &scores = c.numbers(1);
  if (boxes.shape.size() != 3 || scores.shape.size() != 3 || boxes.shape[2] != 4 || scores.shape[2] != boxes.shape[1] ||
      scores.shape[0] != boxes.shape[0])
    Call::refuse("boxes and scores do not fit");
  const int64_t most = c.has(2) ? c.integer(size_t{2}) : 0;
  const double overlap = c.has(3) ? c.doubles(3).at(0) : 0;
  const bool has_least = c.has(4);
  const double least = has_least ? c.doubles(4).at(0) : 0;
  const bool centres = c.integer("center_point_box", 0) != 0;
  const std::vector<double> b = boxes.to_doubles(), s = scores.to_doubles();
  const int64_t batches = boxes.shape[0], n = boxes.shape[1], classes = scores.shape[1];
  struct Box {
    double y0, x0, y1, x1;
  };
  const auto box_of = [&](int64_t batch, int64_t i) {
    const double* p = b.data() + (batch * n + i) * 4;
    if (centres) return Box{p[1] - p[3] / 2, p[0] - p[2] / 2, p[1] + p[3] / 2, p[0] + p[2] / 2};
    return Box{std::min(p[0], p[2]), std::min(p[1], p[3]), std::max(p[0], p[2]), std::max(p[1], p[3])};
  };
  const auto shared = [](const Box& p, const Box& q) {
    const double h = std::min(p.y1, q.y1) - std::max(p.y0, q.y0), w = std::min(p.x1, q.x1) - std::max(p.x0, q.x0);
    if (h <= 0 || w <= 0) return 0.0;
    const auto area = [](const Box& r) { return (r.y1 - r.y0) * (r.x1 - r.x0); };
    return h * w / (area(p) + area(q) - h * w);
  };
  Ints chosen;
  for (int64_t batch = 0; batch < batches; ++batch)
    for (int64_t k = 0; k < classes; ++k) {
      const double* score = s.data() + (batch * classes + k) * n;
      Ints order;
      for (int64_t i = 0; i < n; ++i)
        if (!has_least || score[i] > least) order.push_back(i);
      std::ranges::stable_sort(order, [&](int64_t p, int64_t q) { return score[p] > score[q]; });
      std::vector<Box> taken;
      for (const int64_t i : order) {
        if (static_cast<int64_t>(taken.size()) >= most) break;
        const Box box = box_of(batch, i);
        if (std::ranges::any_of(taken, [&](const Box& t) { return shared(t, box) > overlap; })) continue;
        taken.push_back(box);
        chosen.insert(chosen.end(), {batch, k, i});
      }
    }
  return {as_value(HostArray::from_ints(DType::int64, {static_cast<int64_t>(chosen.size()) / 3, 3}, chosen))};
}

}  // namespace

std::span<const Operator> index_operators() {
  static constexpr Operator kRows[] = {
      {"Compress", compress},
      {"Gather", gather},
      {"GatherElements", gather_elements},
      {"GatherND", gather_nd},
      {"NonMaxSuppression", non_max_suppression},
      {"NonZero", non_zero},
      {"OneHot", one_hot},
      {"Scatter", scatter_elements},
      {"ScatterElements", scatter_elements},
      {"ScatterND", scatter_nd},
      {"Unique", unique},
  };
  return kRows;
}

}  // namespace rangescope::onnx
