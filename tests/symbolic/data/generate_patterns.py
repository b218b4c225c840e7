#!/usr/bin/env python3
"""Writes patterns.tsv beside it by asking the reference: PYTHONPATH=<reference> DEV=NULL generate_patterns.py

A row: rule set, index in it, where its outermost pattern is built, ops that must be among the sources, the pattern as
to_string(Pat) prints it.
"""
import importlib, pathlib
from tinygrad.dtype import DType, DTypes, Invalid
from tinygrad.uop import Ops, GroupOp
from tinygrad.uop.ops import PatternMatcher, UPat

HERE = pathlib.Path(__file__).parent
SETS = {
  "tinygrad.uop.symbolic": ["div_and_mod_symbolic", "mop_cleanup", "pm_data_invalid", "pm_remove_invalid", "symbolic_simple", "commutative",
                            "symbolic", "pm_drop_and_clauses", "pm_move_where_on_load", "pm_simplify_valid", "pm_clean_up_group_sink", "sym"],
  "tinygrad.uop.weak": ["pm_cast_weak", "pm_commit_weak", "pm_lower_weak", "pm_lower_index_dtype"],
  "tinygrad.codegen.simplify": ["pm_flatten_range", "pm_simplify_ranges", "pm_split_ranges", "pm_reduce_unparented", "pm_reduce_collapse",
                                "pm_reduce_load_collapse", "pm_reduce_simplify", "pm_load_collapse"],
  "tinygrad.codegen.decomp.transcendental": ["transcendental"],
}
DTYPE_NAMES = {v: k for k, v in reversed([(k, v) for k, v in DTypes.__dict__.items() if isinstance(v, DType)])}
DTYPE_ORDER = ["void", "weakint", "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "weakfloat", "fp8e4m3",
               "fp8e5m2", "fp8e4m3fnuz", "fp8e5m2fnuz", "float16", "bfloat16", "float32", "float64"]

def ops_text(ops):
  if ops is None: return ""
  for name, group in (("movement", GroupOp.Movement), ("binary", GroupOp.Binary), ("alu", GroupOp.ALU), ("any op", GroupOp.All)):
    if set(ops) == set(group): return name
  return "|".join(o.name for o in sorted(set(ops)))

def arg_text(a):
  if a is Invalid: return "Invalid"
  if isinstance(a, Ops): return a.name
  if isinstance(a, str): return f'"{a}"'
  if isinstance(a, tuple): return "(" + ", ".join(arg_text(x) for x in a) + ")"
  return str(a) if isinstance(a, (bool, int, float)) else "..."

def text(p: UPat) -> str:
  if p.is_any: return "(" + " or ".join(text(x) for x in p.src[0]) + ")"
  s = (p.name + (":" if p.op is not None else "") if p.name is not None else "") + ops_text(p.op)
  s = s or "_"
  if p.arg is not None: s += "=" + arg_text(p.arg)
  if p.match_dtype is not None: s += "<" + "|".join(sorted({DTYPE_NAMES[d] for d in p.match_dtype}, key=DTYPE_ORDER.index)) + ">"
  src = p._in_src
  if src is None: return s
  open_, close = ("{", "}") if isinstance(src, list) else ("(", ")")
  if isinstance(src, UPat): return f"{s}({text(src)}*)"
  return s + open_ + ", ".join(text(x) for x in src) + ("" if p.strict_length else ", ...") + close

def matcher_of(module, name) -> PatternMatcher:
  module = importlib.import_module(module)
  return module.get_transcendental_patterns((), True) if name == "transcendental" else getattr(module, name)

def main():
  with open(HERE / "patterns.tsv", "w") as f:
    for module, names in SETS.items():
      for name in names:
        matcher = matcher_of(module, name)
        for i, (p, _) in enumerate(matcher.patterns):
          where = p.location[0].split("/tinygrad/")[-1] + ":" + str(p.location[1])
          print(name, i, where, ops_text(p.early_reject), text(p), sep="\t", file=f)

if __name__ == "__main__": main()
