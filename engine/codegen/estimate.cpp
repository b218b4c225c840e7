#include "engine/codegen/estimate.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/ir/dim.h"
#include "engine/ir/traversal.h"
#include "engine/rewrite/driver.h"

namespace rangescope::codegen {

namespace {

// What indices are computed from. A value that is used in an address and elsewhere counts as address.
void mark_indexing(const UOps& linear, Marks& indexing) {
  UOps pending;
  for (const UOp u : linear)
    if (u.in(OpSet{Op::INDEX, Op::SHRINK}))
      for (const UOp s : u.srcs().subspan(std::min<size_t>(1, u.src_count()))) pending.push_back(s);
  while (!pending.empty()) {
    const UOp u = pending.back();
    pending.pop_back();
    if (u.is(Op::END) || !indexing.insert(u)) continue;
    for (const UOp s : u.srcs()) pending.push_back(s);
  }
}

// Invocations stand in the count already: a loop's length may depend on which one it is.
Dim without_invocation(const Dim& d) {
  if (d.is_int()) return d;
  NodeMap map;
  for (const UOp u : toposort(d.sym))
    if (u.is(Op::SPECIAL)) map.set(u, u.const_like(Scalar(0)));
  return Dim(substitute(d.sym, map));
}

// The parameter at the end of the chain of first sources; null: something else is.
UOp reached_param(UOp access) {
  while (access.src_count() > 0 && !access.is(Op::PARAM)) access = access.src(0);
  return access.is(Op::PARAM) ? access : UOp{};
}

Dim smaller(const Dim& a, const Dim& b) {
  if (a.is_int() && b.is_int()) return std::min(a.value, b.value);
  const UOp sym = a.sym ? a.sym : b.sym;
  const Dim& other = a.sym ? b : a;
  return sym.minimum(sym.store().dim(other)).ssimplify();
}

class Counter {
 public:
  explicit Counter(Store& store) : indexing_(store) {}

  Estimate count(const UOps& linear) {
    mark_indexing(linear, indexing_);
    for (const UOp u : linear) add(u);
    for (const auto& [key, bytes] : reached_) total_.bytes = total_.bytes + bytes;
    return {simplified(total_.ops), simplified(total_.access_bytes), simplified(total_.bytes)};
  }

 private:
  static Dim bytes_of(UOp u) { return Dim(u.max_numel()) * Dim(static_cast<int64_t>(itemsize(u.dtype()))); }
  static bool in_registers(UOp access) { return access.src(0).addrspace() == AddrSpace::REG; }

  void reach(UOp access) {
    const UOp param = reached_param(access);
    if (!param) return;
    const std::pair key{param, access.op()};
    auto at = std::ranges::find(reached_, key, [](const auto& r) { return r.first; });
    if (at == reached_.end()) at = reached_.insert(at, {key, Dim(0)});
    at->second = smaller(at->second + bytes_of(access.src(0)) * times_, bytes_of(param));
  }

  void add(UOp u) {
    if (u.in(OpSet{Op::LOAD, Op::STORE})) {
      reach(u);
      if (!in_registers(u)) {
        const int64_t size = itemsize(u.is(Op::LOAD) ? u.dtype() : u.src(1).dtype());
        total_.access_bytes = total_.access_bytes + Dim(u.max_numel()) * Dim(size) * times_;
      }
    } else if (u.is(Op::RANGE)) {
      around_.push_back(times_);
      // a loop without a count goes round an unknown number of times: it counts once
      if (u.dtype() != DType::void_) times_ = without_invocation(times_ * u.src(0).ssimplify());
    } else if (u.is(Op::END)) {
      if (around_.empty()) throw GraphError("a loop ends that has not begun");
      times_ = around_.back();
      around_.pop_back();
    } else if (u.is(Op::SPECIAL)) {
      times_ = times_ * u.src(0).ssimplify();
    } else if (u.in(groups::ALU) && !indexing_.contains(u)) {
      total_.ops = total_.ops + times_ * Dim(u.is(Op::MULACC) ? 2 : 1) * Dim(u.max_numel());
    }
  }

  Estimate total_{0, 0, 0};
  Dim times_{1};             // how often what comes next is done
  std::vector<Dim> around_;  // the same outside the open loops
  std::vector<std::pair<std::pair<UOp, Op>, Dim>> reached_;
  Marks indexing_;
};

}  // namespace

Result<Estimate> estimate(const UOps& linear) {
  if (linear.empty()) return Estimate{0, 0, 0};
  try {
    return Counter(linear.front().store()).count(linear);
  } catch (const GraphError& e) {
    return tl::unexpected(Error{e.message()});
  }
}

}  // namespace rangescope::codegen
