// Copies, stores and calls of sharded values.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/ir/call.h"
#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/ir/sharding.h"
#include "engine/rewrite/driver.h"
#include "engine/schedule/multi.h"
#include "engine/schedule/multi_rules.h"

namespace rangescope::schedule {

using namespace captures;

namespace {

// Which shard along the range's axis the device holds.
int64_t shard_index(UOp range, int64_t device) {
  for (const UOp r : range.ranges()) {
    if (!(r.arg().as_tuple().back() == Arg(AxisType::DEVICE))) continue;
    const std::pair<UOp, UOp> at[] = {{r, r.const_like(Scalar(device))}};
    const Dim i = substitute(range, at).ssimplify();
    if (i.is_int()) return i.value;
    if (!python_equal(i.sym.vmin(), i.sym.vmax()))
      throw GraphError(fmt::format("which shard device {} holds is not decided (node {})", device, range.id()));
    return max_of(i);
  }
  return 0;
}

struct Piece {
  std::vector<int64_t> at;  // which shard along each sharded axis
  UOp value;
};

// The shards joined on one device, along the sharded axes from last to first.
UOp join_on(UOp multi, const Device& device) {
  const auto sharding = multi.sharding();
  std::vector<Piece> pieces;
  for (int64_t i = 0; i < static_cast<int64_t>(multi.device().names.size()); ++i) {
    Piece piece;
    for (const auto& [axis, range] : sharding) piece.at.push_back(shard_index(range, i));
    piece.value = copy_to_device(mselect(multi.src(0), i), device);
    pieces.push_back(std::move(piece));
  }
  for (size_t j = sharding.size(); j-- > 0;) {
    std::map<std::vector<int64_t>, std::vector<std::pair<int64_t, UOp>>> groups;
    for (Piece& p : pieces) {
      const int64_t at = p.at[j];
      p.at.erase(p.at.begin() + static_cast<std::ptrdiff_t>(j));
      groups[p.at].emplace_back(at, p.value);
    }
    pieces.clear();
    for (auto& [key, group] : groups) {
      std::ranges::stable_sort(group, {}, [](const auto& g) { return g.first; });
      UOps rest;
      for (size_t k = 1; k < group.size(); ++k) rest.push_back(group[k].second);
      pieces.push_back({key, group[0].second.cat(rest, sharding[j].first)});
    }
  }
  if (pieces.empty()) throw GraphError(fmt::format("UNSHARD (node {}) has no devices to copy from", multi.id()));
  return pieces[0].value;
}

}  // namespace

UOp copy_multi(UOp multi, const Device& device) {
  if (!device.is_tuple && !device.is_none()) return join_on(multi, device);
  // to several devices: each pads its shard to the whole, and an allreduce adds them up
  UOp value = multi.src(0);
  for (const auto& [ax, range] : multi.sharding()) {
    const auto axis = static_cast<size_t>(ax);
    const Dim block = value.shape().at(axis);
    const Dim begin = block * Dim(range);
    std::vector<std::pair<Dim, Dim>> around(value.ndim(), {Dim(0), Dim(0)});
    around[axis] = {begin, block * Dim(max_of(Dim(range))) - begin};
    value = value.pad(around);
  }
  return allreduce(value, Op::ADD, device);
}

UOp shard_value(UOp u) {
  return u.is(Op::UNSHARD) ? u.src(0) : u;
}

UOp shard_subview(UOp full, UOp multi) {
  if (!(full.shape() == multi.shape()))
    throw GraphError(fmt::format("a value of shape {} stands for a sharded one of shape {}", to_string(full.shape()),
                                 to_string(multi.shape())));
  // a scalar expanded to the whole is the same scalar expanded to the shard
  if (full.is(Op::EXPAND) && full.src(0).shape().empty()) return full.src(0).expand(multi.src(0).shape());
  for (const auto& [axis, range] : multi.sharding()) full = shard_of(full, axis, range);
  return full;
}

UOp store_after_multi(const Match& m) {
  return unshard_like(m[dest].after({m[dest].store_value(m[src].src(0))}), m[src]);
}

UOp store_value_multi(const Match& m) {
  return shard_subview(m[dest], m[multi]).store_value(m[multi].src(0));
}

UOp store_dest_multi(const Match& m) {
  UOps srcs{m[multi].src(0)};
  for (const UOp u : m[root].srcs().subspan(1)) {
    const bool whole = !u.is(Op::UNSHARD) && u.shape() == m[multi].shape();
    srcs.push_back(whole ? shard_subview(u, m[multi]) : shard_value(u));
  }
  return m.store().make(m[root].op(), m[root].dtype(), srcs, m[root].arg());
}

UOp passthrough_multi(const Match& m) {
  UOps srcs;
  for (const UOp u : m[root].srcs()) srcs.push_back(shard_value(u));
  return unshard_like(m.store().make(m[root].op(), m[root].dtype(), srcs, m[root].arg()), m[multi]);
}

UOp rewrite_into_function(const Match& m) {
  const UOp function = m[call];
  if (function.arg().as<CallInfo>().precompile) return {};
  const UOp body = graph_rewrite(function.src(0), multi_pm(), {.name = "subcall"});
  if (!body.is(Op::TUPLE)) throw GraphError(fmt::format("the body of FUNCTION (node {}) is no TUPLE", function.id()));
  UOps srcs{body};
  for (const UOp a : function.srcs().subspan(1)) srcs.push_back(shard_value(a));
  if (std::ranges::none_of(body.srcs(), [](UOp v) { return v.is(Op::UNSHARD); })) return function.with_srcs(srcs);
  // the function computes shards, each element of its result says how it is sharded
  UOps values;
  for (const UOp v : body.srcs()) values.push_back(shard_value(v));
  srcs[0] = maketuple(values);
  const UOp shard_call = function.with_srcs(srcs);
  for (size_t i = 0; i < values.size(); ++i) {
    const UOp element = gettuple(shard_call, static_cast<int64_t>(i));
    values[i] = body.src(i).is(Op::UNSHARD) ? unshard_like(element, body.src(i)) : element;
  }
  return maketuple(values);
}

UOp param_to_multi(const Match& m) {
  const std::optional<int64_t> axis = m[p].axis();
  if (!axis) return {};
  ParamArg arg = m[p].arg().as<ParamArg>();
  arg.dtype = m[p].dtype();
  arg.axis.reset();
  arg.is_volatile = false;
  const Shape shard = m[p].shard_shape();
  return unshard(param(m.store(), std::move(arg), &shard), *axis);
}

}  // namespace rangescope::schedule
