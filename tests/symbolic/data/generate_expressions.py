#!/usr/bin/env python3
"""Writes random_expressions.jsonl.gz beside it, random expressions and what the reference simplifies them to, in the
format of tests/golden/symbolic.jsonl.gz: PYTHONPATH=<reference>:tests/reference DEV=NULL
generate_expressions.py [seed [count [file]]]

An expression that the reference refuses has an "error".
"""
import gzip, json, pathlib, random, sys
from tinygrad.dtype import dtypes, Invalid
from tinygrad.uop import Ops
from tinygrad.uop.ops import UOp
from uopjson import Table, enc

HERE = pathlib.Path(__file__).parent
CONSTS = [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 8, 10, 12, 15, 16, 24, 31, 32, 64, 100, -1, -1, -2, -3, -4, -7, -8, -12]
FLOATS = [0.0, 1.0, 2.0, 0.5, -1.0, 3.0, -2.5, 4.0, float("inf"), float("nan")]

class Expressions:
  def __init__(self, rng):
    self.rng = rng
    r = rng.choice
    self.leaves = [UOp.variable(f"v{i}", lo := r([0, 0, 0, 1, -5, -1, 3]), lo + r([0, 1, 3, 7, 9, 31, 127]), param=True) for i in range(3)]
    self.leaves += [UOp.range(r([1, 2, 3, 4, 8, 10, 16, 32]), i) for i in range(3)] + [UOp.special(r([4, 8, 32]), "gidx0")]
    self.flags = [UOp.variable(f"p{i}", False, True, dtypes.bool, param=True) for i in range(2)]
    self.strong = {dt: [UOp.variable(f"{dt.name.replace(' ', '')}{i}", lo, hi, dt, param=True) for i, (lo, hi) in enumerate(b)]
                   for dt, b in {dtypes.int32: [(0, 9), (-2**31, 2**31 - 1)], dtypes.int64: [(0, 100), (-2**63, 2**63 - 1)],
                                 dtypes.uint32: [(0, 9), (0, 2**32 - 1)], dtypes.uint8: [(0, 255)],
                                 dtypes.float32: [(-float("inf"), float("inf"))] * 2}.items()}
    self.buf = UOp.param(0, dtypes.float32, (64,), "CPU")
    self.ibuf = UOp.param(1, dtypes.int32, (64,), "CPU")

  def one_in(self, n): return self.rng.randrange(n) == 0
  def const(self): return UOp.const(self.rng.choice(CONSTS))

  def index(self, d):
    """Index arithmetic."""
    r = self.rng
    if d == 0 or self.one_in(8): return r.choice(self.leaves) if r.random() < 0.8 else self.const()
    k, x = r.randrange(24), self.index(d - 1)
    if k < 6: return x + (self.index(d - 1) if r.random() < 0.7 else self.const())
    if k < 10: return x * (self.const() if r.random() < 0.85 else self.index(d - 1))
    if k < 13: return x // UOp.const(r.choice([c for c in CONSTS if c]))
    if k < 16: return x % UOp.const(r.choice([c for c in CONSTS if c]))
    if k == 16: return x.maximum(self.index(d - 1) if r.random() < 0.5 else self.const())
    if k == 17: return x - self.index(d - 1)
    if k == 18: return self.cond(d - 1).where(x, self.index(d - 1) if r.random() < 0.5 else self.const())
    if k == 19: return x.minimum(self.const())
    if k == 20: return self.cond(d - 1).cast(dtypes.weakint) * x
    if k == 21:
      c, m = r.choice([2, 3, 4, 8]), r.choice([1, 1, 2, 3])
      parts = [x % c * m, x // c * (c * m)]
      r.shuffle(parts)
      return parts[0] + (self.index(d - 1) if self.one_in(3) else UOp.const(0)) + parts[1]
    if k == 22: return -x
    y = r.choice(self.leaves) + r.choice([1, 2, 6])
    return (x // y if self.one_in(2) else x % y) if y.vmin > 0 else x

  def cond(self, d):
    r = self.rng
    if d == 0: return r.choice(self.flags) if self.one_in(3) else r.choice(self.leaves) < self.const()
    k = r.randrange(12)
    if k < 4: return self.index(d - 1) < (self.const() if r.random() < 0.8 else self.index(d - 1))
    if k == 4: return self.const() < self.index(d - 1)
    if k == 5: return self.index(d - 1).ne(self.const() if r.random() < 0.7 else self.index(d - 1))
    if k < 8: return self.cond(d - 1) & self.cond(d - 1)
    if k == 8: return self.cond(d - 1) | self.cond(d - 1)
    if k == 9: return self.cond(d - 1).logical_not()
    if k == 10: return self.cond(d - 1).where(self.cond(d - 1), self.cond(d - 1))
    return self.cond(d - 1) ^ self.cond(d - 1)

  def integer(self, dt, d):
    r = self.rng
    if d == 0: return r.choice(self.strong[dt]) if r.random() < 0.8 else UOp.const(abs(r.choice(CONSTS)), dt)
    k, x = r.randrange(18), self.integer(dt, d - 1)
    if k < 3: return x + (self.integer(dt, d - 1) if self.one_in(2) else UOp.const(r.choice(CONSTS)))
    if k < 5: return x * (self.integer(dt, d - 1) if self.one_in(2) else UOp.const(r.choice(CONSTS)))
    if k == 5: return x & UOp.const(r.choice([0, 1, 3, 7, 8, 15, 255, -1, -4, -8]))
    if k == 6: return x ^ (self.integer(dt, d - 1) if self.one_in(2) else UOp.const(r.choice([0, 1, 5])))
    if k == 7: return x | UOp.const(r.choice([0, 1, 8]))
    if k == 8: return x << r.choice([0, 1, 3])
    if k == 9: return x >> r.choice([0, 1, 2, 3])
    if k == 10: return x // r.choice([1, 2, 3, 4, 8])
    if k == 11: return x % r.choice([1, 2, 3, 8])
    if k == 12: return self.index(d - 1).cast(dt)
    if k == 13: return self.integer(r.choice([dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint32]), d - 1).cast(dt)
    if k == 14: return self.cond(d - 1).where(x, self.integer(dt, d - 1))
    if k == 15: return self.cond(d - 1).cast(dt)
    if k == 16: return x.alu(r.choice([Ops.CDIV, Ops.CMOD]), UOp.const(r.choice([1, 2, 3, 8]), dt))
    return x.maximum(self.integer(dt, d - 1) if self.one_in(2) else UOp.const(abs(r.choice(CONSTS))))

  def real(self, d):
    r = self.rng
    if d == 0: return r.choice(self.strong[dtypes.float32]) if r.random() < 0.8 else UOp.const(r.choice(FLOATS), dtypes.float32)
    k, x = r.randrange(18), self.real(d - 1)
    y = self.real(d - 1) if r.random() < 0.6 else UOp.const(r.choice(FLOATS))
    if k < 3: return x + y
    if k < 6: return x * y
    if k == 6: return x / y
    if k == 7: return (x * y) / y
    if k == 8: return x.maximum(y)
    if k == 9: return x - y
    if k == 10: return x.alu(r.choice([Ops.EXP2, Ops.LOG2, Ops.SIN, Ops.SQRT, Ops.RECIPROCAL, Ops.TRUNC, Ops.NEG]))
    if k == 11: return x.alu(Ops.POW, UOp.const(r.choice([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, -1.0, -2.0, 2.25])))
    if k == 12: return UOp.const(r.choice([1.0, 2.0, 4.0, -2.0])).alu(Ops.POW, x)
    if k == 13: return self.cond(d - 1).where(x, y)
    if k == 14: return self.buf.index(self.index(d - 1)).load() if self.one_in(2) else self.buf.index(self.index(d - 1).valid(self.cond(d - 1))).load()
    if k == 15: return self.index(d - 1).cast(dtypes.float32)
    if k == 16: return x.cast(r.choice([dtypes.float16, dtypes.float64, dtypes.int32])).cast(dtypes.float32)
    return x.bitcast(dtypes.int32).bitcast(dtypes.float32)

  def any(self):
    r, k = self.rng, self.rng.randrange(20)
    if k < 8: return self.index(r.randrange(2, 6))
    if k < 12: return self.cond(r.randrange(2, 5))
    if k < 14: return self.real(r.randrange(2, 5))
    if k < 16: return self.integer(r.choice(list(self.strong)[:4]), r.randrange(2, 5))
    if k == 16: return self.index(3).valid(self.cond(3))
    if k == 17: return self.buf.index(self.index(3).valid(self.cond(2))).store(self.real(2)).sink()
    if k == 18: return UOp.const(Invalid).where(self.index(2), self.index(2)) if self.one_in(9) else (self.index(2).valid(self.cond(2)) + self.index(2)).maximum(self.index(1))
    x = self.buf.after(*[r.choice([self.buf.index(self.index(1)).store(self.real(1)), UOp.range(r.choice([1, 4]), 7), self.index(1)]) for _ in range(r.randrange(1, 3))])
    return x.index(self.index(2)).load()

def main():
  seed, count = (int(a) for a in (sys.argv[1:] + ["20261130", "800"][len(sys.argv) - 1:])[:2])
  path = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else HERE / "random_expressions.jsonl.gz"
  rng = random.Random(seed)
  with gzip.GzipFile(path, "wb", mtime=0) as f:
    done = 0
    while done < count:
      try: u = Expressions(rng).any()
      except Exception: continue
      table = Table()
      line = {"name": f"random {seed} {done}", "root": table.add(u)}
      def attempt(g):
        try: return g()
        except Exception: return None
      try:
        s = u.simplify()
        line |= {"simplified": table.add(s), "in_minmax": attempt(lambda: [enc(u.vmin), enc(u.vmax)]), "minmax": attempt(lambda: [enc(s.vmin), enc(s.vmax)]),
                 "render": attempt(lambda: [u.render(simplify=False), s.render(simplify=False)])}
      except Exception as e: line |= {"error": f"{type(e).__name__}: {e}"}
      line["nodes"] = table.nodes
      f.write((json.dumps(line, separators=(",", ":")) + "\n").encode())
      done += 1

if __name__ == "__main__": main()
