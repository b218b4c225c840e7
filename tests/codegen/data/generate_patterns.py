#!/usr/bin/env python3
"""Writes patterns.tsv beside it by asking the reference: PYTHONPATH=<reference>:tests/reference DEV=NULL generate_patterns.py"""
import pathlib, patterns
from tinygrad.uop import Ops

SETS = {
  "tinygrad.codegen": ["expander2", "pm_wmma_add", "pm_expand_broadcast", "ew_devectorizer", "devectorizer2", "pm_reduce_local", "pm_add_loads",
                       "pm_add_local_buffers", "pm_cast_float_alu", "pm_implicit_barriers", "pm_casted_consts", "pm_number_params"],
  "tinygrad.codegen.gpudims": ["pm_add_gpudims"],
  "tinygrad.codegen.late.coalesce": ["indexing_simplify", "pm_simplify_add_image"],
  "tinygrad.codegen.late.gater": ["pm_move_gates_from_index"],
  "tinygrad.codegen.late.linearizer": ["pm_split_ends", "pm_add_control_flow"],
  "tinygrad.codegen.decomp.dtype": ["pm_dtype_decomps", "pm_long_decomp", "pm_float_decomp"],
  "tinygrad.codegen.decomp.op": ["early decompositions", "late decompositions"],
}
ALL = tuple(Ops)
NONE = (Ops.SHR, Ops.AND, Ops.CMPLT)  # what is decomposed into

def matcher_of(module, name):
  if name == "early decompositions": return patterns.attribute(module, "get_simplifying_rewrite_patterns")(NONE)
  if name == "late decompositions": return patterns.attribute(module, "get_late_rewrite_patterns")(ALL, False)
  return patterns.attribute(module, name)

# the size of a buffer is called n in ours
if __name__ == "__main__": patterns.write(pathlib.Path(__file__).parent / "patterns.tsv", SETS, matcher_of, ("(sz)", "(n)"))
