#include "app/checks/reduce.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/ir/call.h"
#include "engine/ir/error.h"
#include "engine/ir/store.h"
#include "engine/ir/traversal.h"
#include "engine/rewrite/driver.h"

namespace rangescope::app {

namespace {

int64_t first_free_slot(UOp root) {
  int64_t next = 0;
  for (const UOp u : toposort(root))
    if (const auto* p = u.in(groups::Defines) ? u.arg().get_if<ParamArg>() : nullptr)
      next = std::max(next, p->slot + 1);
  return next;
}

const Shape* shape_of(UOp u) {
  try {
    return u.shape_or_null();
  } catch (const GraphError&) {
    return nullptr;
  }
}

class Reducer {
 public:
  Reducer(UOp root, const std::function<bool(UOp)>& fails, const ReduceLimits& limits)
      : root_(root), fails_(fails), limits_(limits), start_(std::chrono::steady_clock::now()) {
    const UOps all = toposort(root);
    size_ = all.size();
    slot_ = first_free_slot(root);
  }

  Reduced run() {
    Reduced out;
    out.nodes_before = size_;
    for (bool helped = true; helped && !spent();) {
      helped = drop_outputs();
      helped = replace_nodes() || helped;
    }
    out.root = root_;
    out.nodes_after = size_;
    out.checks = checks_;
    out.limited = spent();
    return out;
  }

 private:
  bool spent() const {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    return checks_ >= limits_.checks || elapsed.count() > limits_.seconds;
  }

  // Takes the graph if it is smaller and the check still fails on it.
  bool take(UOp candidate) {
    if (!candidate || candidate == root_ || spent()) return false;
    const size_t size = toposort(candidate).size();
    if (size >= size_) return false;
    ++checks_;
    if (!fails_(candidate)) return false;
    root_ = candidate;
    size_ = size;
    return true;
  }

  // Fewer sources of the SINK: halves first, then quarters, down to one at a time.
  bool drop_outputs() {
    bool helped = false;
    if (!root_.is(Op::SINK)) return false;
    for (size_t chunk = root_.src_count() / 2; chunk > 0; chunk /= 2)
      for (size_t from = 0; from < root_.src_count() && root_.src_count() > 1;) {
        UOps left;
        for (size_t i = 0; i < root_.src_count(); ++i)
          if (i < from || i >= from + chunk) left.push_back(root_.src(i));
        if (!left.empty() && take(root_.with_srcs(left)))
          helped = true;
        else
          from += chunk;
      }
    return helped;
  }

  UOp substituted(UOp from, UOp to) const {
    const std::pair<UOp, UOp> map[] = {{from, to}};
    try {
      const Untracked untracked(root_.store());
      return substitute(root_, map, {.walk = true});
    } catch (const GraphError&) {
      return {};
    }
  }

  UOps replacements(UOp u) const {
    UOps out;
    const Shape* shape = shape_of(u);
    if (shape == nullptr) {
      // an effect: one below it, such as an AFTER that waits for less
      for (const UOp s : u.srcs())
        if (s.dtype() == u.dtype()) out.push_back(s);
      return out;
    }
    for (const UOp s : u.srcs()) {
      const Shape* of = shape_of(s);
      if (of != nullptr && s.dtype() == u.dtype() && *of == *shape) out.push_back(s);
    }
    const bool fixed = std::ranges::all_of(*shape, [](const Dim& d) { return d.is_int(); });
    if (!fixed || u.dtype() == DType::void_ || u.in(groups::Defines) || u.is_const() || u.is(Op::STACK)) return out;
    try {
      const UOp one = u.store().constant(Scalar(1), u.dtype());
      out.push_back(shape->empty() ? one : one.reshape(Shape(shape->size(), Dim(1))).expand(*shape));
      if (!u.is_weak()) {
        ParamArg arg;
        arg.slot = slot_;
        arg.dtype = u.dtype();
        arg.device = u.device();
        out.push_back(param(u.store(), arg, shape));
      }
    } catch (const GraphError&) {
      // no device, or a shape that no parameter has
    }
    return out;
  }

  // Users first: what goes with them need not be tried.
  bool replace_nodes() {
    bool helped = false;
    UOps order = toposort(root_, false);
    for (size_t i = order.size(); i-- > 0 && !spent();) {
      const UOp u = order[i];
      if (u == root_ || !root_.in_backward_slice(u)) continue;
      for (const UOp r : replacements(u))
        if (take(substituted(u, r))) {
          helped = true;
          ++slot_;
          break;
        }
    }
    return helped;
  }

  UOp root_;
  const std::function<bool(UOp)>& fails_;
  ReduceLimits limits_;
  std::chrono::steady_clock::time_point start_;
  size_t size_ = 0, checks_ = 0;
  int64_t slot_ = 0;
};

}  // namespace

Reduced reduce(UOp root, const std::function<bool(UOp)>& fails, const ReduceLimits& limits) {
  return Reducer(root, fails, limits).run();
}

}  // namespace rangescope::app
