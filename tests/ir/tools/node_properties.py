#!/usr/bin/env python3
"""Write what the reference derives for every node of corpus programs: the expected values of tests/ir/properties_test.cpp.

usage: PYTHONPATH=<checkout>:<oracle>/tools DEV=NULL node_properties.py GOLDEN_DIR FILE[:LIMIT] ... -o OUT.jsonl.gz [--max-nodes N]

FILE is relative to GOLDEN_DIR; LIMIT takes that many programs, spread over the file. One line a program:
  {"file", "line", "name", "nodes": [[shape, ranges, [min, max], device, axis, addrspace, base, buffer, ended, factor], ...]}
A value that the reference refuses is "!". shape: null, or a list of ints and of texts (rendered without simplification).
ranges, ended, base and buffer are node indices; buffer is an op's name where it is no node of the table. factor is
const_factor() of an integer node, null for others. A column that repeats the last node's is not packed: gzip does that.
"""
import sys, json, gzip, resource
from tinygrad.uop import Ops
from tinygrad.uop.ops import UOp
from tinygrad.dtype import dtypes
from uopjson import dec, enc, DT
from tinygrad.dtype import ConstFloat

def attempt(f):
  try: return f()
  except RecursionError: raise
  except Exception: return "!"

def nodes_of(table):
  us = []
  for op, dt, src, arg, tag in table:
    a = dec(arg)
    if op == "CONST" and isinstance(a, float): a = ConstFloat(a)
    us.append(UOp(Ops[op], DT[dt] if dt != "void" else dtypes.void, tuple(us[s] for s in src), a, dec(tag)))
  return us

def properties(us):
  at = {}
  for i, u in enumerate(us): at.setdefault(u, i)
  dim = lambda d: d if isinstance(d, int) and not isinstance(d, bool) else enc(d) if not isinstance(d, UOp) else d.render(simplify=False)
  shape = lambda u: None if (s := u._shape) is None else [dim(d) for d in s]
  buffer = lambda u: at.get(b := u.buf_uop, b.op.name)
  factor = lambda u: enc(u.const_factor()) if dtypes.is_int(u.dtype) else None
  return [[attempt(lambda: shape(u)), attempt(lambda: [at[r] for r in u.ranges]), attempt(lambda: enc(u._min_max)), attempt(lambda: enc(u.device)),
           attempt(lambda: u.axis), attempt(lambda: a.name if (a := u.addrspace) is not None else None), attempt(lambda: at[u.base]),
           attempt(lambda: buffer(u)), attempt(lambda: [at[r] for r in u.ended_ranges]), attempt(lambda: factor(u))] for u in us]

def main():
  args = sys.argv[1:]
  options = {}
  for name in ("-o", "--max-nodes"):
    if name in args: i = args.index(name); options[name] = args[i + 1]; del args[i:i + 2]
  sys.setrecursionlimit(20000)
  golden, most = args[0], int(options.get("--max-nodes", 10**9))
  with gzip.GzipFile(options["-o"], "wb", mtime=0) as out:
    for spec in args[1:]:
      file, _, limit = spec.partition(":")
      lines = [(i, l) for i, l in enumerate(gzip.open(f"{golden}/{file}", "rt"), 1)]
      if limit: lines = lines[::max(1, len(lines) // int(limit))]
      for i, l in lines:
        p = json.loads(l)
        if len(p["nodes"]) > most: continue
        us = nodes_of(p["nodes"])
        record = {"file": file, "line": i, "name": p["name"], "nodes": properties(us)}
        out.write((json.dumps(record, separators=(",", ":")) + "\n").encode())

if __name__ == "__main__": main()
