#include "engine/schedule/rule_sets.h"

#include "engine/schedule/apply_rangeify.h"
#include "engine/schedule/contiguous_view.h"
#include "engine/schedule/copy_kernels.h"
#include "engine/schedule/copy_to_store.h"
#include "engine/schedule/earliest_rewrites.h"
#include "engine/schedule/fold_moved_after.h"
#include "engine/schedule/indexing_calls.h"
#include "engine/schedule/kernel_spec.h"
#include "engine/schedule/limit_buffers.h"
#include "engine/schedule/linear.h"
#include "engine/schedule/movement_ops.h"
#include "engine/schedule/multi.h"
#include "engine/schedule/realize_map.h"
#include "engine/schedule/remove_bufferize.h"
#include "engine/schedule/resolve_function.h"
#include "engine/schedule/split_kernels.h"
#include "engine/schedule/stage_to_store.h"
#include "engine/schedule/tensor_spec.h"

namespace rangescope::schedule {

std::span<const NamedRuleSet> rule_sets() {
  static constexpr NamedRuleSet sets[] = {
      {"multi_pm", multi_pm},
      {"pm_fold_moved_after", pm_fold_moved_after},
      {"pm_mops", pm_mops},
      {"pm_gather_params", pm_gather_params},
      {"pm_contiguous_view_offset", pm_contiguous_view_offset},
      {"earliest_rewrites", earliest_rewrites},
      {"pm_copy_to_store", pm_copy_to_store},
      {"pm_generate_realize_map", pm_generate_realize_map},
      {"pm_apply_rangeify", pm_apply_rangeify},
      {"pm_fix_deviceless", pm_fix_deviceless},
      {"pm_const_buffer_folding", pm_const_buffer_folding},
      {"pm_gate_substitute", pm_gate_substitute},
      {"pm_remove_bufferize", pm_remove_bufferize},
      {"pm_limit_bufs", pm_limit_bufs},
      {"pm_flatten_bufferize", pm_flatten_bufferize},
      {"pm_add_buffers", pm_add_buffers},
      {"pm_add_param_range_tags", pm_add_param_range_tags},
      {"split_kernels", split_kernels},
      {"to_define_global", to_define_global},
      {"rangeify_codegen", rangeify_codegen},
      {"pm_no_indexing_calls", pm_no_indexing_calls},
      {"spec_kernel_graph", spec_kernel_graph},
      {"spec_tensor", spec_tensor},
      {"pm_schedule", pm_schedule},
      {"pm_post_sched_cache", pm_post_sched_cache},
      {"pm_resolve_linear_call", pm_resolve_linear_call},
      {"pm_copy_from_store", pm_copy_from_store},
  };
  return sets;
}

}  // namespace rangescope::schedule
