#include "engine/schedule/limit_buffers.h"

#include <algorithm>
#include <string_view>

#include "engine/ir/postorder.h"
#include "engine/rewrite/driver.h"
#include "engine/schedule/flags.h"
#include "engine/schedule/stage.h"

namespace rangescope::schedule {

using namespace captures;

namespace {

constexpr OpSet kBuffers{Op::STAGE, Op::AFTER, Op::PARAM, Op::MSELECT, Op::MSTACK};

// What the device can bind to one kernel; 0: no limit is known. One name is looked up as it stands.
int64_t most_buffers(Store& store, const Device& device) {
  if (const int64_t n = flags(store).max_kernel_buffers; n != 0) return n;
  std::string_view name = device.names.empty() ? std::string_view{} : device.names[0];
  if (device.is_tuple) name = name.substr(0, name.find(':'));
  if (name == "METAL" || name == "CPU") return 31;
  return name == "WEBGPU" ? 8 : 0;
}

void compute_read(LimitBuffers& ctx, UOp u) {
  static const LimitBuffers::Buffers none;
  if (u.in(kBuffers)) {
    ctx.read[u] = &ctx.lists.emplace_back(LimitBuffers::Buffers{u.id()});
    return;
  }
  const LimitBuffers::Buffers* first = &none;
  LimitBuffers::Buffers all;
  for (const UOp s : u.srcs()) {
    const LimitBuffers::Buffers* more = *ctx.read.find(s);
    if (more == first || more->empty()) continue;
    if (first->empty() && all.empty()) {
      first = more;
      continue;
    }
    if (all.empty()) all = *first;
    LimitBuffers::Buffers merged;
    std::ranges::set_union(all, *more, std::back_inserter(merged));
    all = std::move(merged);
  }
  ctx.read[u] = all.empty() ? first : &ctx.lists.emplace_back(std::move(all));
}

size_t buffers_read(LimitBuffers& ctx, UOp u) {
  compute_postorder(
      u, [&](UOp n) { return ctx.read.contains(n); },
      [](UOp n) { return n.in(kBuffers) ? std::span<const UOp>{} : n.srcs(); }, [&](UOp n) { compute_read(ctx, n); });
  return (*ctx.read.find(u))->size();
}

// The operand over new ranges, staged, and read at the old ones. A range over devices stays a launched axis.
UOp staged(LimitBuffers& ctx, UOp operand) {
  const Ranges& original = operand.ranges();
  UOps ended;
  std::vector<std::pair<UOp, UOp>> map;
  for (const UOp r : original) {
    const bool keep = !r.is(Op::RANGE) || r.arg().as_tuple().back() == Arg(AxisType::DEVICE);
    ended.push_back(keep ? r : r.with_arg(Arg(Arg::Tuple{Arg(ctx.next_range++), Arg(AxisType::WEAK)})));
    map.emplace_back(r, ended.back());
  }
  StageArg arg;
  arg.device = stage_device(operand.device());
  return substitute(operand, map).bufferize(ended, arg).index(original);
}

UOp limit_buffers(const Match& m) {
  auto& ctx = m.context<LimitBuffers>();
  const UOp node = m[root];
  const Device& device = node.device();
  if (device.is_none()) return {};  // arithmetic on indices
  const int64_t most = most_buffers(m.store(), device);
  if (most == 0 || static_cast<int64_t>(buffers_read(ctx, node)) <= most - 1) return {};  // one is the output's
  UOps srcs;
  for (const UOp s : node.srcs())
    srcs.push_back(s.in(groups::Elementwise) && !s.device().is_none() ? staged(ctx, s) : s);
  return node.with_srcs(srcs);
}

}  // namespace

const RuleSet& pm_limit_bufs() {
  static const RuleSet rules(
      "pm_limit_bufs",
      {{"limit-buffers", "operands of a kernel that reads too many buffers get buffers of their own",
        "schedule/rangeify.py:382", pat(groups::Binary | groups::Ternary).named(root), limit_buffers}});
  return rules;
}

}  // namespace rangescope::schedule
