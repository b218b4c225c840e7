#include "engine/codegen/gpudims.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <span>

#include "engine/codegen/axis.h"
#include "engine/codegen/target.h"
#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/ir/traversal.h"
#include "engine/rewrite/driver.h"

namespace rangescope::codegen {

namespace {

using Limits = std::array<int64_t, 3>;

// d > limit, where it must be decided.
bool exceeds(const Dim& d, int64_t limit) {
  if (d.is_int()) return d.value > limit;
  const UOp c = gt(d.sym, Scalar(limit)).simplify();
  if (!python_equal(c.vmin(), c.vmax()))
    throw GraphError(fmt::format("cannot tell whether the launch size {} is within {}", to_string(d), limit));
  return c.vmin().truthy();
}
bool any_exceeds(std::span<const Dim> dims, const Limits& limits) {
  for (size_t i = 0; i < std::min(dims.size(), limits.size()); ++i)
    if (exceeds(dims[i], limits[i])) return true;
  return false;
}

[[noreturn]] void cannot_limit(std::span<const Dim> dims, const Limits& limits) {
  throw GraphError(fmt::format("the launch size {} cannot be brought within ({}, {}, {})", to_string(dims), limits[0],
                               limits[1], limits[2]));
}

// (a, b, c, d) -> (ab, c, d), as long as there are too many dimensions or one is too large.
std::optional<Shape> group_dims(Shape dims, const Limits& limits) {
  while (dims.size() > limits.size() || any_exceeds(dims, limits)) {
    bool grouped = false;
    for (size_t i = 0; i < limits.size() && i + 1 < dims.size() && !grouped; ++i) {
      if (Int(max_of(dims[i])) * Int(max_of(dims[i + 1])) > Int(limits[i])) continue;
      dims[i] = dims[i] * dims[i + 1];
      dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      grouped = true;
    }
    if (!grouped) return std::nullopt;
  }
  return dims;
}

// (a,) -> (b, c): factors of a dimension that is too large go to the next one.
Shape split_dims(const Shape& dims, const Limits& limits) {
  if (!any_exceeds(dims, limits)) return dims;
  if (!all_int(dims)) cannot_limit(dims, limits);
  Shape d = dims;
  while (d.size() < 3) d.emplace_back(1);
  for (size_t i = 0; i < d.size(); ++i) {
    while (d[i].value > limits.at(i)) {
      const int64_t n = d[i].value;
      const auto last = static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(n))));
      int64_t div = 1;
      for (int64_t f = 2; f <= last && div == 1; ++f)
        if (n % f == 0) div = f;
      if (div == 1) cannot_limit(dims, limits);
      Dim& next = d[(i + 1) % d.size()];
      next = next * Dim(div);
      d[i] = n / div;
    }
  }
  if (d[2] == Dim(1)) d.resize(2);
  return d;
}

UOp as_uop(Store& store, const Dim& d) {
  return store.dim(d);
}

// The index along each of `dims`, from at most three indices that the device gives.
std::vector<Dim> grouped_dims(Store& store, const std::string& prefix, Shape dims, const Limits& limits, bool reverse) {
  if (reverse) {
    std::ranges::reverse(dims);
    std::vector<Dim> r = grouped_dims(store, prefix, dims, limits, false);
    std::ranges::reverse(r);
    return r;
  }
  std::optional<Shape> grouped = group_dims(dims, limits);
  Shape limited = grouped && !grouped->empty() ? *grouped : dims;
  if (limited.size() > limits.size()) cannot_limit(dims, limits);
  if (limited == dims) limited = split_dims(dims, limits);
  if (dims.empty()) return {};
  UOp flat = store.constant(0);
  for (size_t i = 0; i < limited.size(); ++i) {
    const UOp raw = store.special(limited[i], prefix + std::to_string(i));
    flat = flat + raw * as_uop(store, product(std::span<const Dim>(limited).subspan(i + 1)));
  }
  std::vector<Dim> out;
  for (size_t i = 0; i < dims.size(); ++i) {
    const UOp below = as_uop(store, product(std::span<const Dim>(dims).subspan(i + 1)));
    const UOp at = floordiv(flat, below);
    out.push_back((i == 0 ? at : at % as_uop(store, dims[i])).ssimplify());
  }
  return out;
}

UOp add_gpudims(const Match& m) {
  const auto& target = m.context<const Target>();
  const UOp s = m[captures::s];
  const auto* info = s.arg().get_if<KernelInfo>();
  if (info == nullptr) return {};
  Store& store = m.store();
  const UOps topo = toposort(s);
  if (std::ranges::any_of(topo, [](UOp u) { return u.is(Op::SPECIAL); })) return {};

  std::map<std::vector<int64_t>, UOp> all_ranges;  // by ids: sorted as the reference sorts them
  const auto ids_of = [](UOp r) {
    std::vector<int64_t> ids;
    const Arg::Tuple& t = r.arg().as_tuple();
    for (size_t i = 0; i + 1 < t.size(); ++i) ids.push_back(t[i].as_int64());
    return ids;
  };
  for (const UOp u : topo)
    if (u.is(Op::RANGE)) all_ranges[ids_of(u)] = u;
  std::vector<std::vector<int64_t>> global_dims, local_dims, both;
  for (const auto& [ids, r] : all_ranges) {
    const AxisType t = axis_type(r);
    if (t == AxisType::GLOBAL || t == AxisType::THREAD) global_dims.push_back(ids);
    if (t == AxisType::WARP || t == AxisType::LOCAL || t == AxisType::GROUP_REDUCE) local_dims.push_back(ids);
  }
  if (global_dims.empty() && local_dims.empty()) return {};
  Shape global_shape, local_shape;
  for (const auto& d : global_dims) global_shape.push_back(all_ranges[d].src(0).ssimplify());
  for (const auto& d : local_dims) local_shape.push_back(all_ranges[d].src(0).ssimplify());

  std::vector<Dim> idxs;
  if (info->dont_use_locals) {
    if (!local_dims.empty()) throw GraphError("a kernel without local indices has local ranges");
    idxs = grouped_dims(store, "idx", global_shape, target.global_max, true);
  } else {
    idxs = grouped_dims(store, "gidx", global_shape, target.global_max, true);
    for (const Dim& d : grouped_dims(store, "lidx", local_shape, target.local_max, false)) idxs.push_back(d);
  }

  both = global_dims;
  both.insert(both.end(), local_dims.begin(), local_dims.end());
  NodeMap subs;
  for (const UOp r : topo) {
    // a store that does not depend on a local range is done by the first invocation along it alone
    if (r.is(Op::STORE) && r.src(0).src(0).addrspace() == AddrSpace::GLOBAL) {
      const UOp idx = r.src(0);
      UOp mask;
      for (const auto& d : local_dims) {
        if (idx.has_range(all_ranges[d])) continue;
        const UOp first = all_ranges[d].eq(Scalar(0));
        mask = mask ? mask & first : first;
      }
      if (mask) {
        if (idx.src_count() != 2) throw GraphError("a store in a workgroup has an index of several dimensions");
        subs.set(idx, idx.with_srcs({idx.src(0), idx.src(1).valid(mask)}));
      }
    }
    if (!r.is(Op::RANGE)) continue;
    const auto at = std::ranges::find(both, ids_of(r));
    if (at == both.end() || second_is(r, {AxisType::REDUCE})) continue;
    subs.set(r, as_uop(store, idxs.at(static_cast<size_t>(at - both.begin()))));
  }
  return substitute(s, subs);
}

UOp device_variable(const Match& m) {
  const UOp r = m[captures::r];
  if (axis_type(r) != AxisType::DEVICE) return {};
  return m.store().variable("_device_num", Scalar(0), r.vmax(), r.dtype(), true);
}

bool is_device_variable(UOp u) {
  return u.is(Op::PARAM) && u.arg().as<ParamArg>().name == "_device_num";
}

UOp drop_device_end(const Match& m) {
  const UOp e = m[captures::e];
  if (std::ranges::none_of(e.srcs().subspan(1), is_device_variable)) return {};
  UOps srcs{e.src(0)};
  for (const UOp u : e.srcs().subspan(1))
    if (!u.is(Op::PARAM)) srcs.push_back(u);
  return e.with_srcs(srcs);
}

}  // namespace

const RuleSet& pm_add_gpudims() {
  using namespace captures;
  static const RuleSet rules(
      "pm_add_gpudims", {
                            {"add-gpudims", "global and local ranges become the indices of workgroup and invocation",
                             "codegen/gpudims.py:100", pat(Op::SINK).named(s), add_gpudims},
                            {"device-range-to-variable", "the axis over devices is a number that each device is given",
                             "codegen/gpudims.py:92", pat(Op::RANGE).named(r), device_variable},
                            {"drop-device-end", "the axis over devices is no loop to end", "codegen/gpudims.py:94",
                             pat(Op::END).named(e), drop_device_end},
                        });
  return rules;
}

}  // namespace rangescope::codegen
