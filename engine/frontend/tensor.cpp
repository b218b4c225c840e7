// What a tensor is, and the pieces that its methods are made of.

#include "engine/frontend/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "engine/frontend/graph_copy.h"
#include "engine/ir/traversal.h"

namespace rangescope::frontend {

Ints Tensor::sizes() const {
  Ints out;
  for (const Dim& d : shape()) {
    if (!d.is_int())
      throw GraphError(fmt::format("this needs known sizes, but the shape is {}; bind its variables or fix them",
                                   to_string(shape())));
    out.push_back(d.value);
  }
  return out;
}

int64_t Tensor::size(int64_t axis) const {
  return sizes().at(static_cast<size_t>(resolve_dim(axis)));
}

int64_t Tensor::numel() const {
  const Ints s = sizes();
  return std::accumulate(s.begin(), s.end(), int64_t{1}, std::multiplies<>());
}

int64_t Tensor::element_size() const {
  if (is_weak(dtype()))
    throw GraphError(fmt::format("an element of {} has no size; cast it to a dtype that has one", dtype_name(dtype())));
  return itemsize(dtype());
}

int64_t Tensor::resolve_dim(int64_t axis) const {
  const auto total = static_cast<int64_t>(ndim());
  const int64_t limit = std::max<int64_t>(1, total);
  if (axis < -limit || axis >= limit)
    throw GraphError(fmt::format("axis {} is out of range for a tensor of shape {}: it can be {} to {}", axis,
                                 to_string(shape()), -limit, limit - 1));
  return axis < 0 ? axis + total : axis;
}

Tensor Tensor::wrap(UOp u) const {
  return context().tensor(u);
}

Tensor Tensor::ufix(const Operand& x) const {
  if (const Tensor* t = x.tensor()) {
    if (&t->context() != &context()) throw GraphError("two tensors of different sessions cannot meet");
    return *t;
  }
  return context().scalar(x.number());
}

// ** graphs

void inherit_metadata(UOp from, UOp to) {
  if (from == to || to.store().metadata(to) != nullptr) return;
  if (const Metadata* m = from.store().metadata(from)) to.store().set_metadata(to, *m);
}

UOps substituted(std::span<const UOp> roots, const std::vector<std::pair<UOp, UOp>>& replacements) {
  if (roots.empty() || replacements.empty()) return {roots.begin(), roots.end()};
  std::unordered_map<uint32_t, UOp> made;  // looked up, never iterated
  for (const auto& [from, to] : replacements) made[from.id()] = to;
  const UOp sink = roots[0].store().sink(roots);
  for (const UOp u : toposort(sink, [&](UOp n) { return !made.contains(n.id()); })) {
    bool changed = false;
    UOps srcs;
    for (const UOp s : u.srcs()) {
      const auto it = made.find(s.id());
      srcs.push_back(it == made.end() ? s : it->second);
      changed = changed || srcs.back() != s;
    }
    if (!changed) continue;
    const UOp now = u.with_srcs(srcs);
    inherit_metadata(u, now);
    made[u.id()] = now;
  }
  UOps out;
  for (const UOp r : roots) {
    const auto it = made.find(r.id());
    out.push_back(it == made.end() ? r : it->second);
  }
  return out;
}

UOp copied_to(UOp root, Store& to) {
  std::unordered_map<uint32_t, UOp> made;
  for (const UOp u : toposort(root)) {
    UOps srcs;
    for (const UOp s : u.srcs()) srcs.push_back(made.at(s.id()));
    const UOp now = to.make(u.op(), u.dtype(), srcs, u.arg(), u.tag());
    inherit_metadata(u, now);
    made[u.id()] = now;
  }
  return made.at(root.id());
}

}  // namespace rangescope::frontend
