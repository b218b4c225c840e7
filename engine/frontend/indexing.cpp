// t[...] and t[...] = v (reference: mixin/op.py _getitem, mixin/movement.py _parse_view_index and _apply_view_ops).
// Ints and slices are views; tensors of ints select by masks over the axis that are summed away, so a kernel needs no
// loads at computed places, and neighbouring ones are first brought down to one index.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/frontend/tensor.h"
#include "engine/frontend/window.h"

namespace rangescope::frontend {

namespace {

using Index = Tensor::Index;

// What one entry of an index does: the part of the axis that it takes, in which steps, and whether the axis goes.
struct Entry {
  Dim size = 0, begin = 0, end = 0;
  int64_t stride = 1;
  bool collapses = false;
  bool is_new = false;
  std::optional<Tensor> tensor;
};

template <class T>
bool holds(const Index& i) {
  return std::holds_alternative<T>(i);
}

// With a slice of everything for each axis that the index does not name.
std::vector<Index> for_every_axis(const Tensor& t, std::vector<Index> index) {
  size_t real = 0, ellipses = 0, at = index.size();
  for (size_t i = 0; i < index.size(); ++i) {
    if (holds<Ellipsis>(index[i])) {
      ++ellipses;
      at = i;
    } else if (!holds<NewAxis>(index[i])) {
      ++real;
    }
  }
  if (ellipses > 1) throw GraphError("an index can hold one ellipsis");
  if (real > t.ndim()) throw GraphError(fmt::format("{} indices for a tensor of {} axes", real, t.ndim()));
  if (ellipses == 1) index.erase(index.begin() + static_cast<std::ptrdiff_t>(at));
  index.insert(index.begin() + static_cast<std::ptrdiff_t>(at), t.ndim() - real, Slice{});
  return index;
}

// slice.indices of Python: bounds within the axis.
Entry parse_slice(const Slice& s, const Dim& size) {
  if (s.step && *s.step == 0) throw GraphError("a slice cannot have a step of 0");
  const int64_t step = s.step.value_or(1);
  const auto known = [](const std::optional<Dim>& d) { return !d || d->is_int(); };
  Entry e;
  e.stride = step;
  if (known(s.start) && known(s.stop) && (size.is_int() || s.stop)) {
    const int64_t n = max_of(size);
    const auto clamp = [&](int64_t v) {
      if (v < 0) v += n;
      return std::clamp(v, step < 0 ? int64_t{-1} : int64_t{0}, step < 0 ? n - 1 : n);
    };
    int64_t begin = s.start ? clamp(s.start->value) : step < 0 ? n - 1 : 0;
    int64_t end = s.stop ? clamp(s.stop->value) : step < 0 ? -1 : n;
    if (step * (end - begin) < 0) {
      begin = end = 0;
    } else if (step < 0) {
      std::swap(begin, end);
      ++begin;
      ++end;
    }
    e.begin = begin;
    e.end = end;
    e.size = ceildiv(end - begin, std::abs(step));
    return e;
  }
  e.begin = s.start.value_or(Dim(0));
  e.end = s.stop.value_or(size);
  if (e.begin.is_int() && e.begin.value < 0) e.begin = e.begin + size;
  if (e.end.is_int() && e.end.value < 0) e.end = e.end + size;
  if (step != 1 || !resolve_ge(e.end - e.begin, Dim(0), false))
    throw GraphError("a slice with a symbolic bound needs a step of 1 and a stop that is not before its start");
  e.size = e.end - e.begin;
  return e;
}

Entry parse(const Tensor& t, const Index& index, const Dim& size) {
  Entry e;
  if (holds<NewAxis>(index)) {
    e.size = 1;
    e.end = 1;
    e.is_new = true;
    return e;
  }
  if (const auto* s = std::get_if<Slice>(&index)) return parse_slice(*s, size);
  e.size = size;
  e.end = size;
  if (const auto* i = std::get_if<int64_t>(&index)) {
    if (size.is_int() && (*i >= size.value || *i < -size.value))
      throw GraphError(fmt::format("index {} is out of bounds for an axis of {}", *i, size.value));
    e.begin = *i >= 0 ? Dim(*i) : Dim(*i) + size;
    e.end = e.begin + Dim(1);
    e.collapses = true;
    return e;
  }
  const auto& by = std::get<Tensor>(index);
  if (!is_int(by.dtype()))
    throw GraphError(fmt::format("a tensor of {} cannot index; cast it to an integer dtype", dtype_name(by.dtype())));
  if (!by.device().is_none() && !t.device().is_none() && by.device() != t.device())
    throw GraphError("an index must lie on the device of the tensor that it indexes");
  if (!size.is_int()) throw GraphError("a tensor cannot index an axis of symbolic size");
  e.tensor = by.lt(0).where(by + Scalar(size.value), by);  // negative ones count from the end
  return e;
}

Shape slice_of(const Shape& s, size_t from, size_t to) {
  return {s.begin() + static_cast<std::ptrdiff_t>(from), s.begin() + static_cast<std::ptrdiff_t>(to)};
}
Shape joined(std::initializer_list<Shape> parts) {
  Shape out;
  for (const Shape& p : parts) out.insert(out.end(), p.begin(), p.end());
  return out;
}
Shape ones(size_t n) {
  return Shape(n, Dim(1));
}

// Shrinks, flips, and takes every step-th element by views alone.
Tensor apply_views(const Tensor& t, const std::vector<Entry>& entries) {
  std::vector<std::optional<std::pair<Dim, Dim>>> cut;
  Ints flipped;
  bool strided = false;
  for (size_t i = 0; i < entries.size(); ++i) {
    cut.emplace_back(std::pair(entries[i].begin, entries[i].end));
    if (entries[i].stride < 0) flipped.push_back(static_cast<int64_t>(i));
    strided = strided || std::abs(entries[i].stride) != 1;
  }
  Tensor x = t.shrink(cut).flip(flipped);
  if (!strided) return x;
  const Ints sizes = x.sizes();
  std::vector<std::optional<Dim>> rounded, first;
  Shape apart, rest;
  for (size_t i = 0; i < entries.size(); ++i) {
    const int64_t step = std::abs(entries[i].stride), whole = round_up(sizes[i], step);
    rounded.emplace_back(Dim(whole));
    apart.insert(apart.end(), {Dim(whole / step), Dim(step)});
    first.insert(first.end(), {Dim(whole / step), Dim(1)});
    rest.emplace_back(whole / step);
  }
  return x.pad_to(rounded).reshape(apart).shrink_to(first).reshape(rest);
}

class Getter {
 public:
  Getter(const Tensor& self, const std::vector<Index>& index) : self_(self) {
    size_t axis = 0;
    for (const Index& i : for_every_axis(self, index)) {
      const Dim size = holds<NewAxis>(i) ? Dim(1) : self.shape()[axis];
      entries_.push_back(parse(self, i, size));
      if (!entries_.back().is_new) {
        views_.push_back(entries_.back());
        ++axis;
      }
    }
  }

  // What is read; or, with a value, the tensor as it is after the value is written.
  Tensor run(const Tensor* value) {
    Tensor x = apply_views(self_, views_);
    std::vector<Entry> kept;
    Shape shape;
    for (const Entry& e : entries_)
      if (!e.collapses) {
        kept.push_back(e);
        shape.push_back(e.size);
      }
    x = x.reshape(shape);
    for (size_t d = 0; d < kept.size(); ++d)
      if (kept[d].tensor) {
        dims_.push_back(d);
        tensors_.push_back(*kept[d].tensor);
      }
    if (dims_.empty()) return value != nullptr ? write(value->broadcast_to(x.shape())) : x;
    return by_tensors(x, value);
  }

 private:
  Tensor by_tensors(Tensor x, const Tensor* value);
  Tensor linear(const Tensor& x, const Shape& big);
  Tensor write(Tensor v);

  const Tensor& self_;
  std::vector<Entry> entries_, views_;
  std::vector<size_t> dims_;
  std::vector<Tensor> tensors_;
};

// Several neighbouring indices become one over the axes joined.
Tensor Getter::linear(const Tensor& x, const Shape& big) {
  Ints sizes;
  for (const size_t d : dims_) sizes.push_back(x.sizes()[d]);
  std::optional<Tensor> place, valid;
  int64_t stride = std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
  const int64_t whole = stride;
  for (size_t i = 0; i < sizes.size(); ++i) {
    stride = sizes[i] != 0 ? stride / sizes[i] : 0;
    const Tensor term = tensors_[i] * Scalar(stride);
    const Tensor inside = tensors_[i].ge(0) & tensors_[i].lt(sizes[i]);
    place = place ? *place + term : term;
    valid = valid ? *valid & inside : inside;
  }
  const Shape before = slice_of(x.shape(), 0, dims_.front()), after = slice_of(x.shape(), dims_.back() + 1, x.ndim());
  std::vector<Index> index(before.size(), Slice{});
  index.emplace_back(valid->where(*place, 0));
  const Tensor found = x.reshape(joined({before, {Dim(whole)}, after})).at(index);
  return valid->reshape(joined({ones(before.size()), big, ones(after.size())})).where(found, 0);
}

Tensor Getter::by_tensors(Tensor x, const Tensor* value) {
  std::vector<const Shape*> shapes;
  for (const Tensor& t : tensors_) shapes.push_back(&t.shape());
  const Shape big = broadcast_shape(shapes);
  const bool neighbours = dims_.back() - dims_.front() + 1 == dims_.size();
  if (value == nullptr && dims_.size() > 1 && neighbours) return linear(x, big);

  const size_t first = dims_.front();
  const Shape before = slice_of(x.shape(), 0, first), after = slice_of(x.shape(), first, x.ndim());
  const Shape whole = joined({before, big, after});
  std::optional<Tensor> mask;
  for (size_t i = 0; i < dims_.size(); ++i) {
    const Tensor spread =
        tensors_[i].reshape(joined({tensors_[i].shape(), ones(x.ndim() - first)})).broadcast_to(whole);
    const auto axis = static_cast<int64_t>(dims_[i]) - static_cast<int64_t>(x.ndim());
    const Tensor m = spread.one_hot_along(x.shape()[dims_[i]], axis);
    mask = mask ? *mask & m : m;
  }
  const Tensor before_sum = x;
  Ints summed;
  for (const size_t d : dims_) summed.push_back(static_cast<int64_t>(d + big.size()));
  x = mask->where(x.reshape(joined({before, ones(big.size()), after})), 0).sum(Axes(summed), false, x.dtype());
  const bool moved = first != 0 && dims_.size() != 1 && !neighbours;
  if (moved) {  // axes of indices that are not neighbours come first
    const auto in_front = [&](const Tensor& y) {
      Ints order;
      for (size_t i = 0; i < big.size(); ++i) order.push_back(static_cast<int64_t>(first + i));
      for (size_t i = 0; i < first; ++i) order.push_back(static_cast<int64_t>(i));
      for (size_t i = first + big.size(); i < y.ndim(); ++i) order.push_back(static_cast<int64_t>(i));
      return y.permute(order);
    };
    mask = in_front(*mask);
    x = in_front(x);
  }
  if (value == nullptr) return x;
  const Shape* both[] = {&x.shape(), &value->shape()};
  Tensor v = value->broadcast_to(broadcast_shape(both));
  for (const int64_t d : summed) v = v.unsqueeze(d);
  Ints axes(big.size());
  std::iota(axes.begin(), axes.end(), static_cast<int64_t>(moved ? 0 : first));
  return write(before_sum.masked_merge(v, *mask, axes));
}

// The value laid out where the index points, chosen there, the tensor itself elsewhere.
Tensor Getter::write(Tensor v) {
  Shape aligned;
  for (const Entry& e : views_) aligned.push_back(e.collapses ? Dim(1) : e.size);
  v = v.reshape(aligned);
  std::optional<Tensor> mask;
  Ints flipped;
  Pads around;
  for (size_t d = 0; d < views_.size(); ++d) {
    const Entry& e = views_[d];
    const int64_t step = std::abs(e.stride);
    if (step != 1 && v.size(static_cast<int64_t>(d)) > 1) {  // apart again, with zeros between
      v = v.unsqueeze(static_cast<int64_t>(d) + 1);
      std::vector<std::optional<Dim>> wide(v.ndim()), cut(v.ndim() - 1);
      wide[d + 1] = Dim(step);
      v = v.pad_to(wide).flatten(static_cast<int64_t>(d), static_cast<int64_t>(d) + 1);
      cut[d] = e.end - e.begin;
      v = v.shrink_to(cut);
    }
    const Dim size = self_.shape()[d];
    Shape place = ones(self_.ndim());
    place[d] = size;
    const Tensor i = self_.context().arange(Scalar(self_.sizes()[d])).reshape(place);
    const Scalar from(e.begin.value), to(e.end.value);
    const Tensor offset = e.stride < 0 ? Scalar(e.end.value - 1) - i : i - from;
    const Tensor here = i.ge(from) & i.lt(to) & (offset % Scalar(step)).eq(0);
    mask = mask ? *mask & here : here;
    if (e.stride < 0) flipped.push_back(static_cast<int64_t>(d));
    around.emplace_back(e.begin, size - e.end);
  }
  v = v.flip(flipped).pad(around);
  return (mask ? *mask : self_.context().scalar(true)).where(v, self_);
}

}  // namespace

Tensor Tensor::at(const std::vector<Index>& index) const {
  const Scope scope(context(), "__getitem__");
  return Getter(*this, index).run(nullptr);
}

Tensor Tensor::set(const std::vector<Index>& index, const Operand& value) const {
  const Scope scope(context(), "__setitem__");
  const Tensor v = ufix(value);
  return Getter(*this, index).run(&v);
}

}  // namespace rangescope::frontend
