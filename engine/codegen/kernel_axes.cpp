#include "engine/codegen/kernel_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

#include "engine/codegen/axis.h"
#include "engine/codegen/heuristic.h"
#include "engine/codegen/kernel_name.h"
#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/ir/traversal.h"
#include "engine/rewrite/driver.h"
#include "engine/symbolic/range.h"

namespace rangescope::codegen {

namespace {

bool one_of(AxisType t, std::initializer_list<AxisType> types) {
  return std::ranges::find(types, t) != types.end();
}

bool has(const UOps& list, UOp u) {
  return std::ranges::find(list, u) != list.end();
}

void check(bool holds, const char* why) {
  if (!holds) throw OptDeclined{why};
}

// What a range's ids look like in the reference: (0,) or (0, 1).
std::string ids_text(UOp range) {
  const Arg::Tuple& t = range.arg().as_tuple();
  std::string s = "(";
  for (size_t i = 0; i + 1 < t.size(); ++i) s += (i > 0 ? ", " : "") + std::to_string(t[i].as_int64());
  return s + (t.size() == 2 ? ",)" : ")");
}

std::string lower(std::string_view text) {
  std::string s(text);
  for (char& c : s) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return s;
}

int64_t int_arg(const OptArg& opt) {
  check(opt.arg.size() == 1 && opt.arg[0].is_int(), "the optimisation needs a number");
  return opt.arg[0].as_int64();
}

std::optional<AxisType> axis_made_by(OptOp op) {
  switch (op) {
    case OptOp::LOCAL:
      return AxisType::LOCAL;
    case OptOp::UPCAST:
      return AxisType::UPCAST;
    case OptOp::UNROLL:
      return AxisType::UNROLL;
    case OptOp::GROUP:
    case OptOp::GROUPTOP:
      return AxisType::GROUP_REDUCE;
    case OptOp::THREAD:
      return AxisType::THREAD;
    default:
      return std::nullopt;
  }
}

}  // namespace

KernelAxes::KernelAxes(UOp ast, const Target& target) : target_(&target) {
  if (const auto* info = ast.arg().get_if<KernelInfo>()) {
    dont_use_locals_ = info->dont_use_locals;
    applied_opts_ = info->applied_opts;
  }
  set_ast(ast);
  next_range_ = 1;
  for (size_t i = 0; i < rngs_.size(); ++i)
    next_range_ = i == 0 ? axis_id(rngs_[i]) + 1 : std::max(next_range_, axis_id(rngs_[i]) + 1);
}

void KernelAxes::set_ast(UOp ast) {
  ast_ = ast;
  rngs_.clear();
  for (const UOp u : toposort(ast))
    if (u != ast && u.is(Op::RANGE) && u.dtype() != DType::void_ && python_less(Scalar(0), u.vmax()) &&
        axis_type(u) != AxisType::DEVICE)
      rngs_.push_back(u);
  std::ranges::stable_sort(rngs_, [](UOp a, UOp b) {
    const std::optional<int> x = axis_position(axis_type(a)), y = axis_position(axis_type(b));
    if (!x || !y) throw GraphError("an axis of no kind in a kernel");
    if (*x != *y) return *x < *y;
    return axis_key(a).compare(axis_key(b)) < 0;
  });
  full_shape_.clear();
  for (const UOp r : rngs_) full_shape_.push_back(r.src(0).ssimplify());
}

AxisType KernelAxes::axis_type_at(size_t axis) const {
  return axis_type(rngs_.at(axis));
}

std::vector<int64_t> KernelAxes::axes_of(std::initializer_list<AxisType> types) const {
  std::vector<int64_t> r;
  for (size_t i = 0; i < rngs_.size(); ++i)
    if (one_of(axis_type(rngs_[i]), types)) r.push_back(static_cast<int64_t>(i));
  return r;
}

UOps KernelAxes::ranges_of(std::initializer_list<AxisType> types) const {
  UOps r;
  for (const UOp u : rngs_)
    if (one_of(axis_type(u), types)) r.push_back(u);
  return r;
}

std::vector<int64_t> KernelAxes::upcastable_dims() const {
  std::vector<int64_t> r = axes_of({AxisType::GLOBAL, AxisType::LOCAL, AxisType::WEAK});
  std::erase_if(r, [&](int64_t i) {
    const Dim& d = full_shape_[static_cast<size_t>(i)];
    return !d.is_int() || d.value <= 1;
  });
  return r;
}

std::vector<int64_t> KernelAxes::unrollable_dims() const {
  std::vector<int64_t> r = axes_of({AxisType::GROUP_REDUCE, AxisType::REDUCE});
  std::erase_if(r, [&](int64_t i) {
    const Dim& d = full_shape_[static_cast<size_t>(i)];
    return !d.is_int() || d.value <= 1;
  });
  return r;
}

Dim KernelAxes::output_size(size_t axis) const {
  return one_of(axis_type_at(axis), {AxisType::REDUCE, AxisType::UNROLL, AxisType::GROUP_REDUCE}) ? Dim(1)
                                                                                                  : full_shape_[axis];
}

Int KernelAxes::upcast_size() const {
  Int n = 1;
  for (const int64_t a : axes_of({AxisType::UPCAST, AxisType::UNROLL})) {
    const Dim& d = full_shape_[static_cast<size_t>(a)];
    if (!d.is_int()) throw GraphError("an upcast axis has a symbolic size");
    n *= d.value;
  }
  return n;
}

UOp KernelAxes::reduceop() const {
  for (const UOp u : toposort(ast_))
    if (u != ast_ && u.is(Op::REDUCE)) return u.store().make(Op::REDUCE, u.srcs(), u.arg());
  return {};
}

UOps KernelAxes::bufs() const {
  UOps r;
  for (const UOp u : toposort(ast_))
    if (u.is(Op::INDEX)) r.push_back(u);
  std::ranges::reverse(r);
  return r;
}

UOps KernelAxes::output_rngs() const {
  UOps r;
  for (const UOp s : ast_.srcs()) {
    if (!s.is(Op::END)) continue;
    for (const UOp u : ast_.store().sink(s.srcs().subspan(1)).ranges())
      if (axis_type(u) != AxisType::REDUCE) r.push_back(u);
  }
  return r;
}

UOps KernelAxes::globalizable_rngs() const {
  UOps r = output_rngs();
  erase_if(r, [](UOp u) { return axis_type(u) != AxisType::WEAK; });
  // a range that some staged value does not have is no index of the whole kernel
  for (const UOp x : toposort(ast_))
    if (x.is(Op::STAGE)) erase_if(r, [&](UOp u) { return !x.has_range(u); });
  if (!target_->shares_work) {
    const UOps again = reduced_again_along();
    erase_if(r, [&](UOp u) { return has(again, u); });
  }
  return r;
}

// Axes of an output along which a reduction of what is in memory stays the same.
UOps KernelAxes::reduced_again_along() const {
  UOps r;
  for (const UOp s : ast_.srcs()) {
    if (!s.is(Op::END)) continue;
    const UOps outputs = ast_.store().sink(s.srcs().subspan(1)).ranges();
    for (const UOp x : toposort(s.src(0))) {
      if (!x.is(Op::REDUCE) || !x.op_in_backward_slice_with_self(Op::PARAM)) continue;
      for (const UOp u : outputs)
        if (!x.has_range(u) && !has(r, u)) r.push_back(u);
    }
  }
  return r;
}

void KernelAxes::convert_loop_to_global() {
  if (!target_->has_local) return;
  const UOps global = globalizable_rngs();
  NodeMap map;
  for (const UOp r : rngs_)
    if (has(global, r)) map.set(r, with_axis(r, axis_key(r), AxisType::GLOBAL));
  set_ast(substitute(ast_, map));
}

std::string KernelAxes::range_text(UOp range) const {
  return range.src(0).render();
}

std::string KernelAxes::kernel_name() const {
  std::string name = reduceop() ? "r" : "E";
  const std::string separator = colored("_", "BLACK");
  UOps special;
  for (const UOp u : toposort(ast_))
    if (u.is(Op::SPECIAL)) special.push_back(u);
  const auto name_of = [](UOp u) -> const std::string& { return u.arg().as<std::string>(); };
  std::ranges::stable_sort(special, {}, name_of);
  for (const UOp u : special)
    name +=
        separator + colored((u.vmax().as_int() + Int(1)).to_string(), name_of(u).starts_with('g') ? "blue" : "cyan");
  const UOps outputs = output_rngs(), global = globalizable_rngs();
  for (const UOp r : rngs_) {
    const AxisType t = axis_type(r);
    std::string_view color = axis_color(t);
    if (dont_use_locals_ && t == AxisType::GLOBAL)
      color = "BLUE";
    else if (t == AxisType::WEAK && !has(outputs, r))
      color = "BLACK";
    else if (t == AxisType::WEAK && !has(global, r))
      color = "white";
    name += separator + colored(range_text(r), color);
  }
  return name;
}

UOp KernelAxes::get_optimized_ast(const std::optional<std::string>& name) {
  KernelInfo info;
  info.name = name ? *name : kernel_name();
  info.applied_opts = applied_opts_;
  info.dont_use_locals = dont_use_locals_;
  set_ast(graph_rewrite(ast_, symbolic::pm_flatten_range(), {.name = "flatten range"}));
  return ast_.with_arg(Arg(std::move(info))).with_tag(Arg(1));
}

std::pair<UOp, UOp> KernelAxes::shift_to(UOp rng, int64_t amount, AxisType type, bool top) {
  const UOp old_size = rng.src(0).divides(Int(amount));
  if (!old_size) throw OptDeclined{fmt::format("{} does not divide {}", amount, range_text(rng))};
  Store& store = ast_.store();
  const int64_t id = next_range_++;
  const UOp added = store.range(Dim(amount), std::span<const int64_t>(&id, 1), type, rng.dtype());
  const UOp rest = rng.with_srcs({old_size});
  const UOp both = top ? added * old_size + rest : rest * Scalar(amount) + added;
  NodeMap map;
  map.set(rng, both);
  const std::string name = fmt::format("shift {} {} {}", ids_text(rng), amount, lower(axis_name(type)));
  set_ast(substitute(ast_, map, {.name = name}));
  return {rest, added};
}

int64_t KernelAxes::real_axis(OptOp op, std::optional<int64_t> axis) const {
  if (!axis || op == OptOp::TC) return -1;
  const auto pick = [&](const std::vector<int64_t>& from) {
    const int64_t i = *axis < 0 ? *axis + static_cast<int64_t>(from.size()) : *axis;
    check(i >= 0 && i < static_cast<int64_t>(from.size()), "no such axis");
    return from[static_cast<size_t>(i)];
  };
  if (op == OptOp::UNROLL) return pick(unrollable_dims());
  if (op == OptOp::GROUP || op == OptOp::GROUPTOP) return pick(axes_of({AxisType::REDUCE}));
  check(*axis < static_cast<int64_t>(shape_len()), "no such axis");
  return *axis;
}

void KernelAxes::check_split(const OptArg& opt, UOp rng, int64_t amount) const {
  const bool groups = opt.op == OptOp::GROUP || opt.op == OptOp::GROUPTOP;
  const UOp reduce = reduceop();
  if (reduce && (groups || !axes_of({AxisType::GROUP_REDUCE}).empty())) {
    Int shared = amount;
    for (const int64_t a : axes_of({AxisType::UPCAST, AxisType::WARP, AxisType::LOCAL, AxisType::GROUP_REDUCE}))
      shared *= max_of(full_shape_[static_cast<size_t>(a)]);
    shared *= itemsize(reduce.dtype());
    check(shared <= Int(target_->shared_max), "more shared memory than there is");
  }
  if (reduce && groups) {
    for (const UOp u : toposort(ast_)) {
      if (u == ast_ || !u.is(Op::REDUCE)) continue;
      const bool over = std::ranges::any_of(u.srcs().subspan(1), [&](UOp r) { return r.has_range(rng); });
      if (!over) continue;
      for (const UOp r : u.ranges())
        check(!one_of(axis_type(r), {AxisType::REDUCE, AxisType::UNROLL, AxisType::GROUP_REDUCE}),
              "a reduction inside another cannot be shared by a workgroup");
      break;
    }
  }
  const AxisType t = axis_type(rng);
  switch (opt.op) {
    case OptOp::UNROLL:
      check(amount <= 32, "unrolled too far");
      check(one_of(t, {AxisType::GROUP_REDUCE, AxisType::REDUCE}), "only a reduction is unrolled");
      break;
    case OptOp::UPCAST:
      check(amount <= 16, "upcast too far");
      check(one_of(t, {AxisType::GLOBAL, AxisType::LOCAL, AxisType::WEAK}), "a reduction is not upcast");
      break;
    case OptOp::LOCAL:
      check(!dont_use_locals_, "the kernel has no local axes");
      check(one_of(t, {AxisType::GLOBAL, AxisType::WEAK}), "only a global axis becomes local");
      break;
    case OptOp::GROUP:
    case OptOp::GROUPTOP:
      check(std::ranges::none_of(applied_opts_, [](const OptArg& o) { return o.op == OptOp::TC; }),
            "no grouping with tensor cores");
      check(!dont_use_locals_, "the kernel has no local axes");
      check(t == AxisType::REDUCE, "only a reduction is grouped");
      break;
    default:
      throw OptDeclined{"the target has no threads"};
  }
}

std::optional<std::pair<UOp, UOp>> KernelAxes::apply_opt(const OptArg& opt, bool append) {
  std::optional<std::pair<UOp, UOp>> made;
  if (opt.op == OptOp::NOLOCALS) {
    check(axes_of({AxisType::WARP, AxisType::LOCAL, AxisType::GROUP_REDUCE}).empty(), "the kernel has local axes");
    if (append) applied_opts_.push_back(opt);
    dont_use_locals_ = true;
    return made;
  }
  if (opt.op == OptOp::LOCAL || opt.op == OptOp::GROUP || opt.op == OptOp::GROUPTOP)
    check(target_->has_local, "the target has no workgroups");
  const int64_t axis = real_axis(opt.op, opt.axis);
  check(opt.op != OptOp::TC, "the target has no tensor cores");
  check(axis >= 0, "the optimisation needs an axis");
  const UOp rng = rngs_.at(static_cast<size_t>(axis));
  if (const std::optional<AxisType> type = axis_made_by(opt.op)) {
    const int64_t given = int_arg(opt), amount = given == 0 ? axis_size(rng) : given;
    check_split(opt, rng, amount);
    made = shift_to(rng, amount, *type, opt.op == OptOp::GROUPTOP || opt.op == OptOp::THREAD);
  } else if (opt.op == OptOp::PADTO) {
    pad_to(rng, opt);
  } else {
    swap_axes(rng, opt);
  }
  if (append) applied_opts_.push_back(opt);
  return made;
}

void KernelAxes::pad_to(UOp rng, const OptArg& opt) {
  const int64_t multiple = int_arg(opt), size = axis_size(rng);
  check(rng.src(0).is_const(), "only an axis of constant size is padded");
  check(!one_of(axis_type(rng), {AxisType::UPCAST, AxisType::UNROLL, AxisType::THREAD}), "this axis cannot be padded");
  check(multiple > 0, "padded to a multiple of nothing");
  const int64_t padded = (size + multiple - 1) / multiple * multiple;
  check(size > padded / 4, "the padding is more than four times the work");
  Store& store = ast_.store();
  const UOp wide = rng.with_srcs({store.constant(Scalar(padded), rng.dtype())});
  const UOp valid = lt(wide, Scalar(size));
  NodeMap map;
  map.set(rng, wide);
  UOps stored;
  for (const UOp s : toposort(ast_))
    if (s.is(Op::STORE)) stored.push_back(s.src(0));
  for (const UOp b : bufs()) {
    const UOp i = b.src(1).get_idx();
    if (!i.in_backward_slice_with_self(rng)) continue;
    const UOp gated = b.with_srcs({b.src(0), i.valid(valid & b.src(1).get_valid())});
    map.set(b, has(stored, b) ? gated : valid.where(gated, store.invalid()));
  }
  const std::string name = fmt::format("padto {} {}", ids_text(rng), multiple);
  set_ast(substitute(ast_, map, {.name = name}));
}

void KernelAxes::swap_axes(UOp rng, const OptArg& opt) {
  const int64_t other = int_arg(opt);
  check(other >= 0 && other < static_cast<int64_t>(shape_len()), "no such axis");
  const UOp alt = rngs_[static_cast<size_t>(other)];
  check(axis_type(rng) == AxisType::GLOBAL && axis_type(alt) == AxisType::GLOBAL, "only global axes are swapped");
  NodeMap map;
  map.set(rng, with_axis(rng, axis_key(alt), axis_type(rng)).with_tag(Arg(1)));
  map.set(alt, with_axis(alt, axis_key(rng), axis_type(alt)).with_tag(Arg(1)));
  const std::string name = fmt::format("swap {} {}", ids_text(rng), ids_text(alt));
  UOp ast = substitute(ast_, map, {.name = name});
  static const RuleSet untag("remove_all_tags",
                             {{"remove-tag", "a mark of the pass before is taken off", "uop/ops.py:1756",
                               pat(groups::All).named(captures::x), [](const Match& m) {
                                 const UOp x = m[captures::x];
                                 return x.tag().is_none() ? UOp{} : x.with_tag(Arg());
                               }}});
  set_ast(graph_rewrite(ast, untag, {.name = "swap remove tags"}));
}

UOp apply_opts(UOp ast, const Target& target, const Settings& settings) {
  if (!ast.tag().is_none()) return ast;
  KernelAxes k(ast, target);
  k.convert_loop_to_global();
  const auto* info = ast.arg().get_if<KernelInfo>();
  try {
    if (info != nullptr && info->opts_to_apply) {
      for (const OptArg& opt : *info->opts_to_apply) k.apply_opt(opt);
    } else if (!settings.noopt && (info == nullptr || info->applied_opts.empty())) {
      const Optimizer choose = settings.optimizer != nullptr ? settings.optimizer : hand_coded_optimizations;
      if (!k.ast().op_in_backward_slice_with_self(Op::STAGE)) k = choose(k);
    }
  } catch (const OptDeclined& declined) {
    throw GraphError("an optimisation of the kernel does not apply: " + declined.why);
  }
  const bool named = info != nullptr && info->name != "test";
  return k.get_optimized_ast(named ? std::optional(info->name) : std::nullopt);
}

}  // namespace rangescope::codegen
