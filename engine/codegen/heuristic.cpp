#include "engine/codegen/heuristic.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "engine/codegen/axis.h"
#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/ir/traversal.h"

namespace rangescope::codegen {

namespace {

// What differs between the reference's choice, made for GPUs, and the one for processors.
struct Knobs {
  bool workgroup_sums = true;                 // a workgroup shares a reduction
  std::vector<int64_t> upcasts = {3, 4};      // those first are preferred
  std::vector<int64_t> upcasts_in_step = {};  // before them, of an axis along which every access takes the next element
  bool upcast_without_sums = true;
  int64_t most_upcast = 32, most_upcast_to_unroll = 64;
  std::vector<int64_t> last_upcasts = {4};          // of the last axis, where nothing else was upcast
  std::vector<int64_t> last_upcasts_unrolled = {};  // the same, where a reduction was unrolled
  std::vector<int64_t> locals = {32, 16, 8, 4, 3, 2};
  int64_t most_local = 128, least_groups = 1;
  bool one_local_axis = false;
  bool tiles_in_blocks = false;
  int64_t wide = 4;  // elements of one access to memory
};

OptArg opt(OptOp op, int64_t axis, int64_t amount) {
  return {op, axis, {Arg(amount)}};
}

// The size of an axis that is known to be a number.
int64_t size_at(const KernelAxes& k, int64_t axis) {
  const Dim& d = k.full_shape().at(static_cast<size_t>(axis));
  if (!d.is_int()) throw GraphError("the optimiser meets a symbolic axis where it needs a number");
  return d.value;
}
UOp range_at(const KernelAxes& k, int64_t axis) {
  return k.rngs().at(static_cast<size_t>(axis));
}
bool divisible(const Dim& d, int64_t by) {
  return d.is_int() && d.value % by == 0;
}
UOp index_without_gate(UOp index) {
  return index.src(1).get_idx();
}

// Elements of the output along the axes that could be upcast.
Int upcastable_outputs(const KernelAxes& k) {
  Int n = 1;
  for (const int64_t i : k.upcastable_dims()) n *= max_of(k.output_size(static_cast<size_t>(i)));
  return n;
}

// A matrix times a vector: a workgroup shares each row's sum.
bool optimize_matvec(KernelAxes& k) {
  constexpr int64_t kBlock = 4, kThreadsPerRow = 8, kRowsPerThread = 4;
  const UOp reduce = k.reduceop();
  if (!k.target().has_local || !k.target().has_shared || !reduce || k.shape_len() < 2) return false;
  if (reduce.arg().as_tuple().at(0) != Arg(Op::ADD)) return false;
  const UOp mul = reduce.src(0);
  if (!mul.is(Op::MUL) || !mul.src(0).is(Op::INDEX) || !mul.src(1).is(Op::INDEX)) return false;
  const UOp idx0 = index_without_gate(mul.src(0)), idx1 = index_without_gate(mul.src(1));
  const UOps reduces = k.ranges_of({AxisType::REDUCE});
  if (reduces.empty()) return false;
  const UOps terms = idx0.split(Op::ADD);
  if (std::ranges::find(terms, reduces[0]) == terms.end()) return false;
  if (!std::ranges::all_of(idx0.ranges(), [&](UOp r) { return idx1.has_range(r); })) return false;
  for (const int64_t axis : k.axes_of({AxisType::GLOBAL})) {
    if (!reduces[0].src(0).divides(Int(kThreadsPerRow))) continue;
    if (!divisible(k.full_shape()[static_cast<size_t>(axis)], kBlock * kRowsPerThread)) continue;
    try {
      k.apply_opt(opt(OptOp::GROUP, 0, kThreadsPerRow));
    } catch (const OptDeclined&) {
      // the rest is worth it alone
    }
    k.apply_opt(opt(OptOp::LOCAL, axis, kBlock));
    k.apply_opt(opt(OptOp::UPCAST, axis, kRowsPerThread));
    return true;
  }
  return false;
}

// Few outputs: a workgroup shares a reduction.
void group_reduction(KernelAxes& k) {
  if (upcastable_outputs(k) > Int(2048)) return;
  for (int64_t axis = 0; axis < 3; ++axis) {
    try {
      k.apply_opt(opt(OptOp::GROUPTOP, axis, 16));
      return;
    } catch (const OptDeclined&) {
      continue;
    }
  }
}

// Small axes that conditions depend on: unrolled, the conditions become constants.
void upcast_masked(KernelAxes& k) {
  std::set<uint32_t> gates;
  for (const UOp u : toposort(k.ast()))
    if (u.is(Op::WHERE))
      for (const UOp r : u.src(0).ranges()) gates.insert(r.id());
  std::vector<int64_t> chosen;
  Int total = 1;
  for (const int64_t axis : k.upcastable_dims()) {
    const int64_t size = size_at(k, axis);
    if (size > 7 || !gates.contains(range_at(k, axis).id()) || total * Int(size) > Int(49)) continue;
    chosen.push_back(axis);
    total *= size;
  }
  for (size_t i = chosen.size(); i-- > 0;) k.apply_opt(opt(OptOp::UPCAST, chosen[i], 0));
}

// How an access moves along a range: (number of accesses that do, sum of their strides).
std::pair<int64_t, Int> strides_along(const UOps& bufs, UOp rng) {
  int64_t count = 0;
  Int sum = 0;
  for (const UOp b : bufs) {
    const UOp idx = index_without_gate(b);
    if (idx.in_backward_slice(rng)) ++count;
    for (const UOp c : idx.split(Op::ADD)) {
      if (c == rng) sum += 1;
      if (c.is(Op::MUL) && c.src(0) == rng && c.src(1).is_const()) sum += c.src(1).val().to_int();
      if (c.is(Op::MUL) && c.src(1) == rng && c.src(0).is_const()) sum += c.src(0).val().to_int();
    }
  }
  return {count, sum};
}

// More upcasts, as long as there are outputs enough: an axis that some access stays put along can be reused.
void upcast_more(KernelAxes& k, const Knobs& knobs) {
  std::set<int64_t> done;
  while (upcastable_outputs(k) >= Int(1024) && k.upcast_size() < Int(knobs.most_upcast)) {
    std::vector<std::tuple<int64_t, Int, int64_t, size_t, int64_t>> choices;  // ..., axis, preference, amount
    const UOps bufs = k.bufs(), upcast = k.ranges_of({AxisType::UPCAST, AxisType::UNROLL});
    for (const int64_t axis : k.upcastable_dims()) {
      const UOp rng = range_at(k, axis);
      const auto [count, sum] = strides_along(bufs, rng);
      std::vector<int64_t> amounts;
      if (sum == Int(static_cast<int64_t>(bufs.size()))) amounts = knobs.upcasts_in_step;
      amounts.insert(amounts.end(), knobs.upcasts.begin(), knobs.upcasts.end());
      for (size_t preference = 0; preference < amounts.size(); ++preference) {
        const int64_t amount = amounts[preference];
        if (done.contains(axis) || size_at(k, axis) % amount != 0) continue;
        const bool reused = std::ranges::any_of(bufs, [&](UOp b) {
          const UOp idx = index_without_gate(b);
          return !idx.in_backward_slice(rng) &&
                 std::ranges::all_of(upcast, [&](UOp r) { return idx.in_backward_slice(r); });
        });
        if (reused) choices.emplace_back(count, sum, axis, preference, amount);
      }
    }
    if (choices.empty()) return;
    const auto [count, sum, axis, preference, amount] = *std::ranges::min_element(choices);
    k.apply_opt(opt(OptOp::UPCAST, axis, amount));
    done.insert(axis);
  }
}

// A small last reduction is unrolled, a large one by four.
void unroll_reduction(KernelAxes& k, const Knobs& knobs) {
  const auto last = [&] { return static_cast<int64_t>(k.unrollable_dims().size()) - 1; };
  if (k.unrollable_dims().empty()) return;
  if (k.upcast_size() > Int(4) && !k.axes_of({AxisType::UNROLL}).empty()) return;
  if (k.upcast_size() >= Int(knobs.most_upcast_to_unroll)) return;
  const int64_t size = size_at(k, k.unrollable_dims().back());
  try {
    if (size <= 32) {
      k.apply_opt(opt(OptOp::UNROLL, last(), 0));
      const std::vector<int64_t> left = k.unrollable_dims();
      if (!left.empty() && size <= 3 && size_at(k, left.back()) <= 3) k.apply_opt(opt(OptOp::UNROLL, last(), 0));
    } else if (size % 4 == 0) {
      k.apply_opt(opt(OptOp::UNROLL, last(), 4));
    }
  } catch (const OptDeclined&) {
    // several reductions of other sizes
  }
}

// The last axis by the first of these amounts that divides it.
void upcast_last(KernelAxes& k, const std::vector<int64_t>& amounts) {
  const int64_t axis = k.upcastable_dims().back();
  for (const int64_t amount : amounts) {
    if (size_at(k, axis) % amount != 0) continue;
    k.apply_opt(opt(OptOp::UPCAST, axis, amount));
    return;
  }
}

// Axes that become local, those first that some access does not depend on.
void choose_locals(KernelAxes& k, const Knobs& knobs) {
  if (!k.target().has_local) return;
  std::vector<std::pair<bool, int64_t>> ranking;
  const UOps bufs = k.bufs();
  const std::vector<int64_t> axes =
      k.target().shares_work ? k.axes_of({AxisType::GLOBAL, AxisType::WEAK}) : k.axes_of({AxisType::GLOBAL});
  for (const int64_t axis : axes) {
    const UOp rng = range_at(k, axis);
    if (!rng.src(0).is_const()) continue;
    const bool expands =
        std::ranges::any_of(bufs, [&](UOp b) { return !index_without_gate(b).in_backward_slice(rng); });
    ranking.emplace_back(expands, axis);
  }
  std::ranges::stable_sort(ranking, std::ranges::greater{});
  std::vector<std::pair<int64_t, int64_t>> locals;
  int64_t total = 1;
  // invocations there are, to leave some workgroups for every core
  Int invocations = 1;
  for (const auto& [expands, axis] : ranking) invocations *= size_at(k, axis);
  for (const auto& [expands, axis] : ranking) {
    if (knobs.one_local_axis && !locals.empty()) break;
    for (const int64_t size : knobs.locals) {
      if ((size == 32 && axis != 0 && !knobs.one_local_axis) || size_at(k, axis) % size != 0) continue;
      if (total * size > knobs.most_local || Int(total * size * knobs.least_groups) > invocations) continue;
      locals.emplace_back(axis, size);
      total *= size;
      break;
    }
  }
  if (locals.size() > 3) locals.resize(3);
  std::ranges::sort(locals);
  int64_t gone = 0;
  for (const auto& [axis, size] : locals) {
    const bool whole = size == size_at(k, axis - gone);
    k.apply_opt(opt(OptOp::LOCAL, axis - gone, size));
    if (whole) ++gone;
  }
}

// A product of matrices: workgroups of 8 by 8 tiles, the columns first, so that one after another reads the same part
// of the second matrix while it is in the cache.
bool block_tiles(KernelAxes& k) {
  constexpr int64_t kSide = 8;
  if (!k.target().has_local || k.axes_of({AxisType::UPCAST}).size() != 2) return false;
  const std::vector<int64_t> global = k.axes_of({AxisType::GLOBAL});
  if (global.size() < 2) return false;
  const int64_t row = global[global.size() - 2], column = global.back();
  if (size_at(k, row) % kSide != 0 || size_at(k, column) % kSide != 0) return false;
  k.apply_opt(opt(OptOp::SWAP, row, column));
  const bool whole = size_at(k, row) == kSide;  // then there is no axis left behind
  k.apply_opt(opt(OptOp::LOCAL, row, kSide));   // what was the columns
  k.apply_opt(opt(OptOp::LOCAL, whole ? row : column, kSide));
  return true;
}

// Reductions and what is mapped over their results, all of it loops of one invocation: wide accesses in each of them.
void widen_loops(KernelAxes& k, const Knobs& knobs) {
  for (auto axis = static_cast<int64_t>(k.unrollable_dims().size()); axis-- > 0;)
    if (size_at(k, k.unrollable_dims()[static_cast<size_t>(axis)]) % knobs.wide == 0)
      k.apply_opt(opt(OptOp::UNROLL, axis, knobs.wide));
  const int64_t last = k.axes_of({AxisType::WEAK}).back();
  if (divisible(k.full_shape()[static_cast<size_t>(last)], knobs.wide))
    k.apply_opt(opt(OptOp::UPCAST, last, knobs.wide));
}

KernelAxes optimized(const KernelAxes& kernel, const Knobs& knobs) {
  // the reference tries tensor cores first; the target has none
  KernelAxes k(kernel);
  if (!k.target().shares_work && !k.axes_of({AxisType::WEAK}).empty() && k.reduceop()) {
    widen_loops(k, knobs);
    choose_locals(k, knobs);
    return k;
  }
  if (knobs.workgroup_sums) {
    if (optimize_matvec(k)) return k;
    group_reduction(k);
    if (!k.axes_of({AxisType::GROUP_REDUCE}).empty()) return k;
  }
  upcast_masked(k);
  if (knobs.upcast_without_sums || k.reduceop()) upcast_more(k, knobs);
  unroll_reduction(k, knobs);
  const std::vector<int64_t> upcastable = k.upcastable_dims();
  if (k.axes_of({AxisType::UPCAST}).empty() && !upcastable.empty())
    upcast_last(k, k.axes_of({AxisType::UNROLL}).empty() ? knobs.last_upcasts : knobs.last_upcasts_unrolled);
  if (knobs.tiles_in_blocks && block_tiles(k)) return k;
  choose_locals(k, knobs);
  return k;
}

}  // namespace

KernelAxes hand_coded_optimizations(const KernelAxes& kernel) {
  static const Knobs reference;
  return optimized(kernel, reference);
}

KernelAxes processor_optimizations(const KernelAxes& kernel) {
  static const Knobs processor = {
      .workgroup_sums = false,
      .upcasts = {8, 4, 3},
      .upcasts_in_step = {16},
      .upcast_without_sums = false,
      .most_upcast = 64,
      .most_upcast_to_unroll = 65,
      .last_upcasts = {4},
      .last_upcasts_unrolled = {16, 8, 4},
      .locals = {1024, 512, 256, 128, 64, 32, 16, 8, 4, 3, 2},
      .most_local = 1024,
      .least_groups = 32,
      .one_local_axis = true,
      .tiles_in_blocks = true,
  };
  return optimized(kernel, processor);
}

}  // namespace rangescope::codegen
