#include "engine/schedule/split_kernels.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/call.h"
#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/ir/small_vector.h"
#include "engine/ir/traversal.h"
#include "engine/rewrite/driver.h"
#include "engine/symbolic/range.h"

namespace rangescope::schedule {

using namespace captures;

namespace {

LocalContext& local(const Match& m) {
  return m.context<LocalContext>();
}

bool is_unnumbered(UOp u) {
  const auto* tag = u.tag().get_if<Arg::Tuple>();
  return tag != nullptr && tag->empty();
}

// A kernel that reads a buffer both before and after a store into it has no order to run in.
UOp check_buffer_states(const Match& m) {
  SmallVector<std::pair<UOp, Op>> read_from;  // a kernel reads few buffers
  const auto may_read = [](UOp n) { return !n.is(Op::AFTER) && n.op_in_backward_slice_with_self(Op::INDEX); };
  for (const UOp u : toposort(m[x], may_read)) {
    if (!u.is(Op::INDEX)) continue;
    const UOp buffer = u.buf_uop();
    if (!buffer.is(Op::BUFFER) && !buffer.is(Op::PARAM)) continue;
    const Op op = u.src(0).op();
    const auto before = std::ranges::find(read_from, buffer, &std::pair<UOp, Op>::first);
    if (before == read_from.end())
      read_from.emplace_back(buffer, op);
    else if (before->second != op)
      throw GraphError(fmt::format("a kernel reads {} (node {}) both before and after it is written: that is a cycle",
                                   op_name(buffer.op()), buffer.id()));
  }
  return {};
}

// A buffer is a parameter of the kernel. A variable is a number, not a buffer: a parameter without a slot.
UOp to_parameter(LocalContext& ctx, UOp buffer) {
  if (buffer.is_variable()) return buffer.with_op(Op::PARAM);
  Store& store = buffer.store();
  ParamArg arg;
  arg.slot = ctx.next_slot++;
  arg.dtype = buffer.dtype();
  arg.addrspace = buffer.addrspace();
  arg.device = buffer.device();
  Shape largest;
  for (const int64_t n : buffer.max_shape()) largest.emplace_back(n);
  UOp out = store.make(Op::PARAM, {store.dim(product(largest))}, Arg(std::move(arg))).reshape(largest);
  if (largest != buffer.shape()) out = out.shrink_to(buffer.shape());  // the actual size of a symbolic one
  if (!ctx.arguments.contains(buffer)) ctx.arguments.set(buffer, buffer);
  return out;
}

UOp unnumber_variable(const Match& m) {
  ParamArg arg = m[v].arg().as<ParamArg>();
  if (!arg.name || !arg.bounds || arg.slot == -1) return {};
  arg.slot = -1;
  return m[v].with_arg(Arg(std::move(arg)));
}

UOp number_parameter(const Match& m) {
  const UOp param = m[buf];
  if (!is_unnumbered(param) || param.arg().as<ParamArg>().name || param.shape_or_null() == nullptr) return {};
  return to_parameter(local(m), param);
}

UOp buffer_of_after(const Match& m) {
  if (m[after].addrspace() == AddrSpace::LOCAL) return {};
  const UOp buffer = m[after].buf_uop();
  // bottom-up: the outermost state of a buffer comes first
  if (!local(m).arguments.contains(buffer)) local(m).arguments.set(buffer, m[after]);
  return buffer;
}

UOp stage_without_device(const Match& m) {
  StageArg arg = m[b].arg().as<StageArg>();
  arg.device = std::monostate{};
  return m[b].with_arg(Arg(arg));
}

UOp number_range(const Match& m) {
  if (!is_unnumbered(m[r])) return {};
  Arg::Tuple arg = m[r].arg().as_tuple();
  arg[0] = Arg(local(m).next_range++);
  return m[r].with_arg(Arg(std::move(arg))).with_tag(Arg::none());
}

}  // namespace

const RuleSet& to_define_global() {
  static const RuleSet rules(
      "to_define_global", {
                              {"check-buffer-states", "a kernel reads each buffer in one state",
                               "schedule/rangeify.py:508", pat(Op::STORE).named(x), check_buffer_states},
                              {"buffer-to-parameter", "a buffer becomes the next parameter of the kernel",
                               "schedule/rangeify.py:509", pat({Op::BUFFER, Op::MSTACK, Op::MSELECT}).named(buf),
                               [](const Match& m) { return to_parameter(local(m), m[buf]); }},
                              {"variable-without-slot", "a variable is known by its name, not by a slot",
                               "schedule/rangeify.py:510", pat(Op::PARAM).named(v), unnumber_variable},
                              {"number-parameter", "parameters are numbered as the kernel meets them",
                               "schedule/rangeify.py:514", pat(Op::PARAM).named(buf), number_parameter},
                              {"index-of-scalar", "a scalar parameter is a number already", "schedule/rangeify.py:518",
                               pat(Op::INDEX, {pat(Op::PARAM).named(v)}),
                               [](const Match& m) { return m[v].addrspace() == AddrSpace::ALU ? m[v] : UOp{}; }},
                              {"unbind-variable", "the value of a bound variable is given when the kernel is called",
                               "schedule/rangeify.py:521", pat(Op::AFTER).named(b),
                               [](const Match& m) { return m[b].is_bound_var() ? m[b].src(0) : UOp{}; }},
                              {"after-to-buffer", "the kernel sees the buffer, the call the state it must be in",
                               "schedule/rangeify.py:522", pat(Op::AFTER).named(after), buffer_of_after},
                              {"stage-without-device", "inside a kernel a stage has no device",
                               "schedule/rangeify.py:525", pat(Op::STAGE).named(b), stage_without_device},
                              {"number-range", "ranges are numbered as the kernel meets them",
                               "schedule/rangeify.py:528", pat(Op::RANGE).named(r), number_range},
                          });
  return rules;
}

namespace {

UOp take_options(const Match& m) {
  if (const auto* tuple = m[x].arg().get_if<Arg::Tuple>();
      tuple != nullptr && std::ranges::all_of(*tuple, [](const Arg& o) { return o.is<OptArg>(); })) {
    std::vector<OptArg> opts;
    for (const Arg& o : *tuple) opts.push_back(o.as<OptArg>());
    local(m).opts = std::move(opts);
  }
  return m[x].src(0);
}

}  // namespace

const RuleSet& rangeify_codegen() {
  static const RuleSet rules(
      "rangeify_codegen", {
                              {"drop-contiguous", "CONTIGUOUS has done its work; its options are the kernel's",
                               "schedule/rangeify.py:536", pat(Op::CONTIGUOUS).named(x), take_options},
                              {"drop-noop", "a kernel has no NOOP", "schedule/rangeify.py:540", pat(Op::NOOP).named(x),
                               [](const Match& m) { return m[x].src_count() > 0 ? m[x].src(0) : UOp{}; }},
                          });
  return rules;
}

namespace {

UOp split_store(const Match& m) {
  const UOp store = m[x];
  // inside an open loop there is no kernel; a range over devices is bound at launch
  if (std::ranges::any_of(store.ranges(),
                          [](UOp range) { return !(range.arg().as_tuple().back() == Arg(AxisType::DEVICE)); }))
    return {};
  const UOp stored = store.is(Op::END) ? store.src(0) : store;
  if (stored.is(Op::STORE) && stored.src(0).is_variable()) return {};  // the value of a variable is no kernel

  static const RuleSet rules("kernel split", {&to_define_global(), &symbolic::pm_flatten_range(), &rangeify_codegen()});
  LocalContext ctx;
  const UOp body = graph_rewrite(store, rules, {.name = "kernel split", .context = &ctx, .bottom_up = true});
  KernelInfo info;
  info.opts_to_apply = ctx.opts;
  UOps arguments;
  for (const auto& [buffer, argument] : ctx.arguments.items()) arguments.push_back(argument);
  return call_of(body.sink(Arg(std::move(info))), arguments);
}

}  // namespace

const RuleSet& split_kernels() {
  static const RuleSet rules(
      "split_kernels", {{"split-kernel", "a store that closes all its loops is a kernel", "schedule/rangeify.py:562",
                         pat({Op::STORE, Op::END}).named(x), split_store}});
  return rules;
}

}  // namespace rangescope::schedule
