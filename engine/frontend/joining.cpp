// Tensors joined and parted (reference: mixin/movement.py, and cat of mixin/op.py).

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/frontend/tensor.h"
#include "engine/frontend/window.h"

namespace rangescope::frontend {

namespace {

UOps nodes_of(const std::vector<Tensor>& tensors) {
  UOps out;
  for (const Tensor& t : tensors) out.push_back(t.uop());
  return out;
}

}  // namespace

Tensor Tensor::stack(const std::vector<Tensor>& more, int64_t axis) const {
  const Scope scope(context(), "stack");
  for (const Tensor& t : more)
    if (t.shape() != shape())
      throw GraphError(fmt::format("stack needs one shape: {} and {} are given", rangescope::to_string(shape()),
                                   rangescope::to_string(t.shape())));
  return wrap(uop().stack(nodes_of(more), axis));
}

Tensor Tensor::cat(const std::vector<Tensor>& more, int64_t axis) const {
  const Scope scope(context(), "cat");
  if (ndim() == 0) throw GraphError("tensors without axes cannot be joined along one; stack them");
  return wrap(uop().cat(nodes_of(more), axis));
}

std::vector<Tensor> Tensor::split(int64_t size, int64_t axis) const {
  const int64_t n = this->size(axis);
  Ints sizes;
  for (int64_t i = 0; i < std::max<int64_t>(1, n); i += std::max<int64_t>(1, size))
    sizes.push_back(std::min(size, n - i));
  return split(sizes, axis);
}

std::vector<Tensor> Tensor::split(const Ints& sizes, int64_t axis) const {
  const Scope scope(context(), "split");
  const auto d = static_cast<size_t>(resolve_dim(axis));
  const int64_t n = size(axis), sum = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
  if (sum != n) throw GraphError(fmt::format("split needs sizes that sum to {}, these sum to {}", n, sum));
  std::vector<Tensor> out;
  int64_t from = 0;
  for (const int64_t s : sizes) {
    std::vector<std::optional<std::pair<Dim, Dim>>> cut(ndim());
    cut[d] = {Dim(from), Dim(from + s)};
    out.push_back(shrink(cut));
    from += s;
  }
  return out;
}

std::vector<Tensor> Tensor::chunk(int64_t count, int64_t axis) const {
  const Scope scope(context(), "chunk");
  if (count <= 0) throw GraphError(fmt::format("cannot part into {} chunks", count));
  const int64_t n = size(axis);
  return n == 0 ? split(Ints(static_cast<size_t>(count), 0), axis) : split(ceildiv(n, count), axis);
}

std::vector<Tensor> Tensor::meshgrid(const std::vector<Tensor>& more, std::string_view indexing) const {
  const Scope scope(context(), "meshgrid");
  if (indexing != "ij" && indexing != "xy") throw GraphError(R"(meshgrid is indexed by "ij" or "xy")");
  if (more.empty()) return {*this};
  std::vector<Tensor> all{*this};
  all.insert(all.end(), more.begin(), more.end());
  const size_t last = all.size() - 1;
  Shape out(all.size(), Dim(1));
  for (size_t i = 0; i < all.size(); ++i) {
    size_t place = i;
    if (indexing == "xy" && i < 2) place = 1 - i;
    Shape to{Dim(-1)};
    to.insert(to.end(), last - place, Dim(1));
    all[i] = all[i].reshape(to);
    out[place] = all[i].shape()[0];
  }
  for (Tensor& t : all) t = t.broadcast_to(out);
  return all;
}

}  // namespace rangescope::frontend
