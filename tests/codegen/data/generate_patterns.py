#!/usr/bin/env python3
"""Writes patterns.tsv beside it by asking the reference: PYTHONPATH=<reference>:tests/symbolic/data DEV=NULL generate_patterns.py

A row: rule set, index in it, where its outermost pattern is built, ops that must be among the sources, the pattern as
to_string(Pat) prints it.
"""
import importlib, importlib.util, pathlib
from tinygrad.uop import Ops

HERE = pathlib.Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("patterns_of_symbolic", HERE.parent.parent / "symbolic/data/generate_patterns.py")
shared = importlib.util.module_from_spec(spec)
spec.loader.exec_module(shared)

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
  module = importlib.import_module(module)
  if name == "early decompositions": return module.get_simplifying_rewrite_patterns(NONE)
  if name == "late decompositions": return module.get_late_rewrite_patterns(ALL, False)
  return getattr(module, name)

def main():
  with open(HERE / "patterns.tsv", "w") as f:
    for module, names in SETS.items():
      for name in names:
        for i, (p, _) in enumerate(matcher_of(module, name).patterns):
          where = p.location[0].split("/tinygrad/")[-1] + ":" + str(p.location[1])
          # the size of a buffer is called n here
          print(name, i, where, shared.ops_text(p.early_reject), shared.text(p).replace("(sz)", "(n)"), sep="\t", file=f)

if __name__ == "__main__": main()
