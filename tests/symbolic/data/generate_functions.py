#!/usr/bin/env python3
"""Writes functions.jsonl.gz beside it by asking the reference:
DEV=NULL PYTHONPATH=<reference>:tests/reference generate_functions.py CORPUS [COUNT [OUT]]

A line: a node table, and under "cases" calls of a function: [function, [argument nodes], result node or null, options].
Functions are asked on nodes that occur in the corpus's kernels and on random ones; rule sets on whole graphs. COUNT
times as many are asked as the file in the repository holds.
"""
import collections, gzip, json, pathlib, random, sys
from tinygrad.dtype import dtypes
from tinygrad.helpers import Context
from tinygrad.uop import Ops
from tinygrad.uop.ops import UOp, PatternMatcher, graph_rewrite
from tinygrad.uop import divandmod, symbolic, weak
from tinygrad.codegen import simplify
from tinygrad.codegen.decomp import transcendental
from uopjson import Table, load, dec, DT
import uopjson

RNG = random.Random(20261130)

def nodes_of(program):
  us = []
  for op, dt, src, arg, tag in program["nodes"]:
    a = dec(arg)
    if op == "CONST" and isinstance(a, float): a = uopjson.ConstFloat(a)
    us.append(UOp(Ops[op], DT[dt] if dt != "void" else dtypes.void, tuple(us[s] for s in src), a, dec(tag)))
  return us

REFUSED = (ZeroDivisionError, AssertionError, RuntimeError, ValueError, TypeError, KeyError)

class Out:
  def __init__(self, name): self.name, self.table, self.cases = name, Table(), []
  def case(self, fn, args, call, **options):
    try: result = call()
    except REFUSED as e: result, options = None, {**options, "raises": type(e).__name__}
    self.cases.append([fn, [self.table.add(a) for a in args], None if result is None else self.table.add(result), options])
  def line(self): return json.dumps({"name": self.name, "nodes": self.table.nodes, "root": 0, "cases": self.cases}, separators=(",", ":"))

def transcendentals():
  out = Out("transcendental")
  for dt in (dtypes.float16, dtypes.float32, dtypes.float64):
    buf = UOp.param(0, dt, (16,), "CPU")
    d, e = buf.index(UOp.range(16, 0)), buf.index(UOp.const(3))
    for u in (d, UOp.const(0.5, dt)):
      out.case("xexp2", [u], lambda: transcendental.xexp2(u))
      out.case("xlog2", [u], lambda: transcendental.xlog2(u))
      out.case("xsin", [u], lambda: transcendental.xsin(u))
      out.case("xsin", [u], lambda: transcendental.xsin(u, fast=True), fast=True)
      out.case("xsin", [u], lambda: transcendental.xsin(u, switch_over=12.5), switch_over=12.5)
    for x, y in ((d, e), (d, d.const_like(0.5)), (d.const_like(-2.0), e), (d, UOp.const(3))):
      out.case("xpow", [x, y], lambda: transcendental.xpow(x, y))
  out.case("xsin", [i := UOp.param(1, dtypes.int32, (4,), "CPU").index(UOp.const(1))], lambda: transcendental.xsin(i))
  return out

def simplified(u):
  """Some random expressions make the reference loop, or divide by zero: those are left as they are."""
  try:
    with Context(REWRITE_STACK_LIMIT=20000): return u.simplify()
  except REFUSED: return u

def random_index(depth, variables):
  r = RNG.random()
  if depth == 0 or r < 0.15: return RNG.choice(variables)
  x = random_index(depth - 1, variables)
  k = RNG.choice([2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 60, 64, 100, -1, -2, -3, -4, -6])
  if r < 0.35: return x + random_index(depth - 1, variables)
  if r < 0.45: return x + k
  if r < 0.7: return x * k
  if r < 0.85: return x // k
  if r < 0.97: return x % k
  return x * random_index(depth - 1, variables) if r < 0.985 else x // (random_index(depth - 1, variables) % 5 + 1)

def random_clause(variables):
  x, c = random_index(2, variables), UOp.const(RNG.choice([0, 1, 1, 2, 3, 5, 8, 12, 40]))
  r = RNG.random()
  if r < 0.25: return (UOp.usum(*RNG.sample(variables, min(2, len(variables)))) < 1).ne(True)
  return (x < c) if r < 0.6 else (x < c).ne(True) if r < 0.9 else c < x

def randoms(count):
  for i in range(count):
    out = Out(f"random {i}")
    variables = [UOp.variable(f"v{k}", RNG.choice([0, 0, 0, 1, -3, -20]), RNG.choice([3, 7, 8, 15, 63, 100]), param=True, multiple_of=RNG.choice([1, 1, 1, 2, 4])) for k in range(2)] \
      + [UOp.range(RNG.choice([2, 3, 4, 8, 16, 30, 64, 600]), k) for k in range(4)]
    for _ in range(6):
      x = simplified(random_index(3, variables))
      d = x.alu(RNG.choice([Ops.FLOORDIV, Ops.FLOORMOD]), UOp.const(RNG.choice([2, 3, 4, 6, 8, 12, 16, 24, 48, 60, 64, 120, 360, -2, -6])) if RNG.random() < 0.85
                else simplified(random_index(1, variables)))
      out.case("fold_divmod_general", [d], lambda: divandmod.fold_divmod_general(d))
    for _ in range(6):
      u = random_index(4, variables) if RNG.random() < 0.7 else random_clause(variables)
      if RNG.random() < 0.2: u = random_clause(variables).where(random_index(3, variables), random_index(3, variables))
      if simplified(u) is not u: out.case("simplify", [u], lambda: u.simplify())
    for _ in range(4):
      valid = UOp.uprod(*[random_clause(variables) for _ in range(RNG.randrange(1, 4))])
      if RNG.random() < 0.7: valid = simplified(valid)
      u = random_index(4, variables)
      if RNG.random() < 0.2: u = u.stack(random_index(3, variables))
      simplex = RNG.random() < 0.6
      out.case("uop_given_valid", [valid, u], lambda: symbolic.uop_given_valid(valid, u, simplex), try_simplex=simplex)
      out.case("simplify_valid", [valid], lambda: symbolic.simplify_valid(valid))
    yield out

def kernels(corpus, count):
  """Calls on what occurs in the corpus's kernels, and whole passes that no pass of the corpus is alone."""
  files = sorted((corpus / "codegen").glob("*.jsonl.gz"))
  lines = [(f, line) for f in files for line in gzip.open(f, "rt") if len(line) < 400_000 * max(1, count // 4)]
  for f, line in RNG.sample(lines, min(len(lines), 14 * count)):
    program = json.loads(line)
    us = nodes_of(program)
    out = Out(program["name"])
    at = collections.defaultdict(list)
    for p in program["passes"]:
      if p[5] is not None: at[p[1]].append(p[5])
    seen = set()
    gated = [u for u in us if u.op is Ops.WHERE and u.src[2].is_invalid and u.dtype is dtypes.weakint]
    for u in RNG.sample(gated, min(len(gated), 6)):
      for simplex in (True, False):
        out.case("uop_given_valid", [u.src[0], u.src[1]], lambda: symbolic.uop_given_valid(u.src[0], u.src[1], simplex), try_simplex=simplex)
    ands = [u for u in us if u.op is Ops.AND and u.dtype is dtypes.bool]
    for u in RNG.sample(ands, min(len(ands), 4)): out.case("simplify_valid", [u], lambda: symbolic.simplify_valid(u))
    divs = [u for u in us if u.op in {Ops.FLOORDIV, Ops.FLOORMOD} and u.dtype is dtypes.weakint]
    for u in RNG.sample(divs, min(len(divs), 10)): out.case("fold_divmod_general", [u], lambda: divandmod.fold_divmod_general(u))
    if len(program["nodes"]) < 3000 * max(1, count // 2):
      for p in at["lower all index dtypes"]:
        out.case("pm_lower_index_dtype", [us[p]], lambda: graph_rewrite(us[p], weak.pm_lower_index_dtype, ctx={}))
        out.case("pm_commit_weak", [us[p]], lambda: graph_rewrite(us[p], weak.pm_commit_weak))
        out.case("pm_cast_weak", [us[p]], lambda: graph_rewrite(us[p], weak.pm_cast_weak + weak.pm_commit_weak))
      for p in at["View Base AST"]:
        out.case("pm_reduce_simplify", [us[p]], lambda: graph_rewrite(us[p], symbolic.symbolic + simplify.pm_reduce_simplify))
        out.case("sym", [us[p]], lambda: graph_rewrite(us[p], symbolic.sym))
        out.case("simplify_ranges_in_copy", [us[p]], lambda: graph_rewrite(us[p], symbolic.sym + simplify.pm_flatten_range + simplify.pm_simplify_ranges, ctx={}))
    if out.cases: yield out

def main(corpus, count, path):
  out = gzip.GzipFile(path, "wb", mtime=0)
  tally = collections.Counter()
  for o in (transcendentals(), *randoms(40 * count), *kernels(pathlib.Path(corpus), count)):
    tally.update(c[0] for c in o.cases)
    out.write(o.line().encode() + b"\n")
  out.close()
  print(dict(tally))

if __name__ == "__main__":
  main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1, sys.argv[3] if len(sys.argv) > 3 else pathlib.Path(__file__).parent / "functions.jsonl.gz")
