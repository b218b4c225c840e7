#include "engine/codegen/pipeline.h"

#include <algorithm>
#include <stdexcept>

#include "engine/codegen/broadcast.h"
#include "engine/codegen/coalesce.h"
#include "engine/codegen/control_flow.h"
#include "engine/codegen/decompositions.h"
#include "engine/codegen/devectorize.h"
#include "engine/codegen/dtype_decomposition.h"
#include "engine/codegen/expander.h"
#include "engine/codegen/final.h"
#include "engine/codegen/gater.h"
#include "engine/codegen/gpudims.h"
#include "engine/codegen/kernel_axes.h"
#include "engine/codegen/linearize.h"
#include "engine/codegen/program_info.h"
#include "engine/codegen/recompute.h"
#include "engine/codegen/reduce.h"
#include "engine/ir/traversal.h"
#include "engine/rewrite/driver.h"
#include "engine/schedule/flags.h"
#include "engine/schedule/movement_ops.h"
#include "engine/schedule/multi.h"
#include "engine/schedule/spec.h"
#include "engine/schedule/tensor_spec.h"
#include "engine/symbolic/range.h"
#include "engine/symbolic/reduce.h"
#include "engine/symbolic/symbolic.h"
#include "engine/symbolic/weak.h"

namespace rangescope::codegen {

namespace {

// Sets that passes put together.
struct PassRules {
  RuleSet none{"no rules", std::vector<Rule>{}};
  RuleSet split_ranges{"split ranges", {&symbolic::pm_split_ranges(), &symbolic::pm_flatten_range()}};
  RuleSet initial_symbolic{"initial symbolic", {&symbolic::sym(), &symbolic::pm_flatten_range()}};
  RuleSet simplify_ranges{"simplify ranges", {&symbolic::pm_flatten_range(), &symbolic::pm_simplify_ranges()}};
  RuleSet postopt_symbolic{"postopt symbolic",
                           {&symbolic::sym(), &symbolic::pm_move_where_on_load(), &symbolic::pm_flatten_range(),
                            &symbolic::pm_reduce_unparented()}};
  RuleSet remove_reduces{"remove reduces", {&symbolic::mop_cleanup(), &pm_reduce_local()}};
  RuleSet expand_broadcast{"expand broadcast / add loads",
                           {&symbolic::symbolic_simple(), &pm_expand_broadcast(), &pm_add_loads()}};
  RuleSet devectorize{"devectorize2", {&symbolic::symbolic_simple(), &devectorizer2(), &indexing_simplify()}};
  RuleSet add_images{"add images", {&symbolic::symbolic_simple(), &ew_devectorizer(), &pm_simplify_add_image()}};
  RuleSet extra_symbolic{"extra symbolic", {&symbolic::sym(), &indexing_simplify()}};
  RuleSet lower_index_dtypes{"lower all index dtypes",
                             {&symbolic::symbolic_simple(), &symbolic::pm_lower_index_dtype(), &indexing_simplify()}};
  RuleSet decomp_dtypes{"decomp dtypes", {&pm_dtype_decomps(), &symbolic::pm_commit_weak()}};
};

const PassRules& pass_rules() {
  static const PassRules rules;
  return rules;
}

// Ranges as the optimiser wants them.
UOp prepare(UOp sink, const Target& target) {
  const PassRules& rules = pass_rules();
  if (!target.shares_work) sink = graph_rewrite(sink, pm_recompute_stages(), {.name = "recompute stages"});
  sink = graph_rewrite(sink, symbolic::pm_load_collapse(), {.name = "load collapse"});
  NodeMap split, shrink;
  sink = graph_rewrite(sink, rules.split_ranges, {.name = "split ranges", .context = &split});
  sink = graph_rewrite(sink, rules.initial_symbolic, {.name = "initial symbolic"});
  return graph_rewrite(sink, rules.simplify_ranges, {.name = "simplify ranges", .context = &shrink});
}

// The value of every element, without vectors, reductions and parallel axes.
UOp expand(UOp sink, Target& target, const Settings& settings) {
  const PassRules& rules = pass_rules();
  sink = graph_rewrite(sink, rules.postopt_symbolic, {.name = "postopt symbolic"});
  RangeMap range_map = build_range_map(sink);
  sink = graph_rewrite(sink, expander2(), {.name = "expander", .context = &range_map});
  ReduceContext reduce{.sums_outlast_stages = settings.sums_outlast_stages};
  sink = graph_rewrite(sink, rules.remove_reduces, {.name = "remove reduces", .context = &reduce});
  int64_t local_slot = 0;
  sink = graph_rewrite(sink, pm_add_local_buffers(), {.name = "add local buffers", .context = &local_slot});
  sink = graph_rewrite(sink, pm_add_gpudims(), {.name = "add gpudims", .context = &target});
  sink = graph_rewrite(sink, rules.expand_broadcast, {.name = "*** expand broadcast / add loads"});
  sink = graph_rewrite(sink, rules.devectorize, {.name = "devectorize2", .context = &target});
  sink = graph_rewrite(sink, symbolic::sym(), {.name = "early symbolic"});
  return sink;
}

// Wide memory accesses, indices of concrete dtypes, and only ops that the target has.
UOp lower(UOp sink, Target& target, const Settings& settings) {
  const PassRules& rules = pass_rules();
  sink = memory_coalescing(sink, target);
  sink = graph_rewrite(sink, rules.add_images, {.name = "add images", .bottom_up = true});
  sink = graph_rewrite(sink, rules.extra_symbolic, {.name = "extra symbolic"});
  NodeMap lowered;
  sink = graph_rewrite(sink, rules.lower_index_dtypes, {.name = "lower all index dtypes", .context = &lowered});
  sink = graph_rewrite(sink, symbolic::symbolic(), {.name = "final symbolic"});
  sink = graph_rewrite(sink, pm_cast_float_alu(), {.name = "cast float alu operands"});

  const Decompositions decomp = decompositions(target, settings);
  sink = graph_rewrite(sink, *decomp.early, {.name = "early decompositions"});
  DTypeDecompContext dtypes{&target, {}};
  sink = graph_rewrite(sink, rules.decomp_dtypes, {.name = "decomp dtypes", .context = &dtypes});
  sink = graph_rewrite(sink, *decomp.late, {.name = "late decompositions", .context = &target});
  sink = graph_rewrite(sink, pm_move_gates_from_index(), {.name = "move gates from index"});
  return graph_rewrite(sink, *decomp.final, {.name = "final rewrite", .context = &target});
}

// An order of execution.
UOp order(UOp sink) {
  sink = graph_rewrite(sink, pm_casted_consts(), {.name = "casted consts", .walk = true});
  sink = graph_rewrite(sink, pm_implicit_barriers(), {.name = "add implicit barriers"});
  NodeMap edges = control_flow_edges(sink);
  sink = graph_rewrite(sink, pm_add_control_flow(), {.name = "add control flow", .context = &edges, .bottom_up = true});
  const UOps topo = toposort(sink);
  int64_t next_slot =
      std::ranges::count_if(topo, [](UOp x) { return x.is(Op::PARAM) && x.arg().as<ParamArg>().slot != -1; });
  return graph_rewrite(sink, pm_number_params(),
                       {.name = "number params with -1", .context = &next_slot, .walk = true});
}

UOp without_movement(UOp ast) {
  const UOp sink = graph_rewrite(ast, schedule::multi_pm(), {.name = "multi_pm"});
  return graph_rewrite(sink, schedule::pm_mops(), {.name = "early movement ops", .bottom_up = true});
}

UOp full_rewrite_to_sink(UOp ast, Target& target, const Settings& settings) {
  graph_rewrite(ast, pass_rules().none, {.name = "View Base AST"});
  if (schedule::flags(ast.store()).spec != 0) schedule::type_verify(ast, schedule::spec_tensor(), true);
  UOp sink = without_movement(ast);
  if (ast.tag().is_none()) sink = apply_opts(prepare(sink, target), target, settings);
  sink = order(lower(expand(sink, target, settings), target, settings));
  graph_rewrite(sink, pass_rules().none, {.name = "View Output AST"});
  return sink;
}

}  // namespace

Result<KernelProgram> generate(UOp ast, const Target& target, const Settings& settings) {
  try {
    if (!ast.is(Op::SINK) || !ast.arg().is<KernelInfo>())
      throw GraphError("code is generated from a kernel: a SINK with kernel info");
    Target own = target;
    KernelProgram program = program_from_sink(full_rewrite_to_sink(ast, own, settings));
    program.linear = add_gates(linearize(program.sink));
    return program;
  } catch (const GraphError& e) {
    return tl::unexpected(Error{e.message()});
  } catch (const std::out_of_range&) {  // a source or argument that every kernel of a scheduler has
    return tl::unexpected(Error{"this is no kernel that a scheduler makes: an op has too few sources or arguments"});
  }
}

Result<std::optional<KernelAxes>> searchable_axes(UOp ast, const Target& target) {
  const auto* info = ast.arg().get_if<KernelInfo>();
  if (!ast.is(Op::SINK) || info == nullptr) return tl::unexpected(Error{"only a kernel has axes to optimise"});
  if (!ast.tag().is_none() || info->opts_to_apply || !info->applied_opts.empty()) return std::nullopt;
  try {
    KernelAxes axes(prepare(without_movement(ast), target), target);
    axes.convert_loop_to_global();
    if (axes.ast().op_in_backward_slice_with_self(Op::STAGE)) return std::nullopt;
    return axes;
  } catch (const GraphError& e) {
    return tl::unexpected(Error{e.message()});
  }
}

UOp with_opts(UOp ast, std::vector<OptArg> opts) {
  KernelInfo info = ast.arg().as<KernelInfo>();
  info.opts_to_apply = std::move(opts);
  return ast.with_arg(Arg(std::move(info)));
}

}  // namespace rangescope::codegen
