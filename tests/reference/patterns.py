"""The reference's rule sets as the rows of a patterns.tsv: rule set, index in it, where its outermost pattern is built, ops that must be among
the sources, the pattern as to_string(Pat) prints it. For the generate_patterns.py of each folder."""
import importlib
from tinygrad.dtype import DType, DTypes, Invalid
from tinygrad.uop import Ops, GroupOp
from tinygrad.uop.ops import UPat

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

def attribute(module, name): return getattr(importlib.import_module(module), name)

def write(path, sets, matcher_of=attribute, renamed=("", "")):
  """sets: names of rule sets by module. renamed: what a capture is called in the reference, and in ours."""
  with open(path, "w") as f:
    for module, names in sets.items():
      for name in names:
        for i, (p, _) in enumerate(matcher_of(module, name).patterns):
          where = p.location[0].split("/tinygrad/")[-1] + ":" + str(p.location[1])
          print(name, i, where, ops_text(p.early_reject), text(p).replace(*renamed) if renamed[0] else text(p), sep="\t", file=f)
