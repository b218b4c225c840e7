#!/usr/bin/env python3
"""Writes patterns.tsv beside it by asking the reference: PYTHONPATH=<reference>:tests/reference DEV=NULL LATE_ALLREDUCE=0 generate_patterns.py

LATE_ALLREDUCE=0 adds the row that is always there in ours and asks the setting itself.
"""
import pathlib, patterns

SETS = {
  "tinygrad.schedule.multi": ["multi_pm"],
  "tinygrad.schedule.rangeify": ["pm_fold_moved_after", "pm_mops", "pm_gather_params", "earliest_rewrites", "pm_copy_to_store",
                                 "pm_const_buffer_folding", "pm_gate_substitute", "pm_remove_bufferize", "pm_limit_bufs", "pm_flatten_bufferize",
                                 "pm_add_buffers", "pm_add_param_range_tags", "split_kernels", "to_define_global", "rangeify_codegen",
                                 "pm_no_indexing_calls"],
  "tinygrad.schedule.indexing": ["pm_generate_realize_map", "pm_apply_rangeify", "pm_fix_deviceless"],
  "tinygrad.uop.ops": ["pm_contiguous_view_offset"],
  "tinygrad.uop.spec": ["spec_kernel_graph", "spec_tensor"],
  "tinygrad.schedule": ["pm_schedule", "pm_post_sched_cache", "pm_resolve_linear_call", "pm_copy_from_store"],
}

if __name__ == "__main__": patterns.write(pathlib.Path(__file__).parent / "patterns.tsv", SETS, renamed=("b2:", "buf:"))
