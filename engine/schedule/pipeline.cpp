#include "engine/schedule/pipeline.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "engine/ir/store.h"
#include "engine/ir/traversal.h"
#include "engine/rewrite/driver.h"
#include "engine/schedule/copy_to_store.h"
#include "engine/schedule/earliest_rewrites.h"
#include "engine/schedule/flags.h"
#include "engine/schedule/fold_moved_after.h"
#include "engine/schedule/indexing_calls.h"
#include "engine/schedule/kernel_spec.h"
#include "engine/schedule/limit_buffers.h"
#include "engine/schedule/movement_cache.h"
#include "engine/schedule/movement_ops.h"
#include "engine/schedule/multi.h"
#include "engine/schedule/rangeify.h"
#include "engine/schedule/remove_bufferize.h"
#include "engine/schedule/split_kernels.h"
#include "engine/schedule/stage_to_store.h"
#include "engine/symbolic/reduce.h"
#include "engine/symbolic/symbolic.h"

namespace rangescope::schedule {

namespace {

const RuleSet& early_rules() {
  static const RuleSet rules("earliest rewrites", {&pm_mops(), &earliest_rewrites()});
  return rules;
}

const RuleSet& cleanup_rules() {
  static const RuleSet rules("symbolic+reduce_collapse+debuf", {&symbolic::symbolic(), &symbolic::pm_reduce_simplify(),
                                                                &pm_const_buffer_folding(), &pm_remove_bufferize()});
  return rules;
}

const RuleSet& store_rules() {
  static const RuleSet rules("stage to store", {&pm_add_buffers(), &pm_add_param_range_tags()});
  return rules;
}

// A pass that only shows the graph.
const RuleSet& no_rules() {
  static const RuleSet rules("view", std::vector<Rule>{});
  return rules;
}

int64_t first_free_range(UOp sink) {
  int64_t last = -1;
  for (const UOp u : toposort(sink))
    if (u.is(Op::RANGE)) last = std::max(last, u.arg().as_tuple().at(0).as_int64());
  return last + 1;
}

int64_t first_free_slot(UOp sink) {
  int64_t last = -1;
  for (const UOp u : toposort(sink))
    if (u.is(Op::BUFFER) && u.addrspace() == AddrSpace::GLOBAL) last = std::max(last, u.arg().as<ParamArg>().slot);
  return last + 1;
}

constexpr uint32_t kKeepAll = UINT32_MAX;

// Lets go what a pass left behind where that is `many` nodes.
UOp swept(UOp sink, uint32_t many) {
  Store& store = sink.store();
  // to ask for a function's shape again would be a pass
  if (store.node_count() < many || sink.below_ops().contains(Op::FUNCTION)) return sink;
  UOps roots{sink};
  CarriedMovements carried(store, roots);
  const UOps kept = store.keep_only(roots);
  carried.put_back(store, std::span(kept).subspan(1));
  return kept[0];
}

UOp run_passes(UOp sink, uint32_t many) {
  Store& store = sink.store();
  const Flags& flag = flags(store);
  const PassGroup group(store, "get_kernel_graph");

  // what the tensors say
  sink = graph_rewrite(sink, multi_pm(), {.name = "multi_pm"});
  if (flag.openpilot_hacks != 0) {
    NodeMap stored;
    sink = graph_rewrite(sink, pm_fold_moved_after(), {.name = "fold moved afters", .context = &stored});
  }
  sink = graph_rewrite(sink, early_rules(), {.name = "earliest rewrites", .bottom_up = true});
  SlotCounter copy_slots;
  sink = graph_rewrite(sink, pm_copy_to_store(),
                       {.name = "convert copy to store", .context = &copy_slots, .bottom_up = true});
  sink = swept(sink, many);

  // movement becomes ranges
  sink = run_rangeify(sink);
  sink = swept(sink, many);

  // what is worth a buffer
  sink = graph_rewrite(sink, cleanup_rules(), {.name = "symbolic+reduce_collapse+debuf"});
  LimitBuffers limit;
  limit.next_range = first_free_range(sink);
  sink = graph_rewrite(sink, pm_limit_bufs(), {.name = "limit buffers", .context = &limit});
  graph_rewrite(sink, no_rules(), {.name = "View Rangeify"});
  sink = swept(sink, many);

  // stores become kernels
  SlotCounter slots{first_free_slot(sink)};
  sink = graph_rewrite(sink, store_rules(), {.name = "stage to store", .context = &slots, .bottom_up = true});
  sink = graph_rewrite(sink, split_kernels(), {.name = "split kernels", .bottom_up = true});
  sink = graph_rewrite(sink, pm_no_indexing_calls(), {.name = "remove indexing from call args"});
  graph_rewrite(sink, no_rules(), {.name = "View Kernel Graph"});
  if (flag.spec != 0) verify_kernel_graph(sink);
  return sink;
}

Result<UOp> run_passes_or_refuse(UOp sink, uint32_t many) {
  try {
    return run_passes(sink, many);
  } catch (const GraphError& e) {
    return tl::unexpected(Error{e.message()});
  } catch (const std::out_of_range&) {
    return tl::unexpected(
        Error{"the graph is malformed: an axis, a range or an argument that an op needs is not there"});
  }
}

}  // namespace

Result<UOp> get_kernel_graph(UOp sink) {
  return run_passes_or_refuse(sink, kKeepAll);
}

Result<UOp> get_kernel_graph_alone(UOp sink, uint32_t many) {
  return run_passes_or_refuse(sink, many);
}

}  // namespace rangescope::schedule
