#!/usr/bin/env python3
"""Writes rule_cases.jsonl.gz beside it by asking the reference:
PYTHONPATH=<reference>:tests/reference DEV=NULL generate_cases.py

For every rule, graphs that it rewrites and graphs that it leaves alone. The first are made from the rule's own pattern
by filling in random nodes, the others by changing one node of the first. A line: rule set and index in it, the node
table (tests/golden/README.md), the graph, and what the rule makes of it (null: it does not apply).
"""
import gzip, inspect, json, pathlib, random
from tinygrad.dtype import dtypes, Invalid
from tinygrad.uop import Ops, GroupOp
from tinygrad.uop.ops import AxisType, PatternMatcher, UOp, UPat
from generate_patterns import SETS, matcher_of
from uopjson import Table

HERE = pathlib.Path(__file__).parent
SEED, APPLIES, DECLINES, ATTEMPTS = 20261130, 4, 3, 6000
NEED_THEIR_PASS = ["pm_simplify_ranges", "pm_split_ranges"]  # their rules work through the pass's context
MODES = [dtypes.weakint] * 6 + [dtypes.int32, dtypes.float32, dtypes.bool, dtypes.int64, dtypes.uint32, dtypes.uint64, dtypes.weakfloat]
INTS = [0, 1, 2, 3, 4, 5, 6, 8, 12, 16, 32, -1, -2, -3, -4, -8, 100]
FLOATS = [0.0, 1.0, 2.0, 0.5, -1.0, 3.0, 2.5, float("inf"), float("nan")]

class Maker:
  def __init__(self, rng): self.rng, self.mode, self.binds, self.count = rng, rng.choice(MODES), {}, 0

  def value(self, dt):
    if dt is dtypes.bool: return self.rng.choice([True, False])
    return self.rng.choice(FLOATS if dtypes.is_float(dt) else INTS)
  def const(self, dt): return UOp.const(self.value(dt), dt)

  def variable(self, dt):
    self.count += 1
    lo, hi = sorted((self.rng.choice([0, 0, 0, 1, -5, 3]), self.rng.choice([0, 1, 2, 3, 7, 8, 15, 100])))
    if dt is dtypes.bool: lo, hi = False, True
    elif dtypes.is_float(dt): lo, hi = -float("inf"), float("inf")
    return UOp.variable(f"v{self.count}", lo, hi, dt, param=True)

  def leaf(self, dt, depth=0):
    r = self.rng.random()
    if dt is dtypes.weakint and r < 0.08: return (self.variable(dtypes.int32) if r < 0.04 else self.index(dtypes.int32)).cast(dt)
    if dt is dtypes.weakint and r < 0.25:
      self.count += 1
      return UOp.range(self.rng.choice([1, 2, 3, 4, 8, 10]), self.count)
    if dt is dtypes.weakint and r < 0.6 and depth < 3:
      op = self.rng.choice([Ops.ADD, Ops.ADD, Ops.MUL, Ops.FLOORDIV, Ops.FLOORMOD])
      right = self.leaf(dt, depth + 1) if op is Ops.ADD and self.rng.random() < 0.7 else UOp.const(self.rng.choice([2, 3, 4, 6, 8]))
      return self.leaf(dt, depth + 1).alu(op, right)
    if dt is dtypes.bool and r < 0.5:
      a = self.leaf(dtypes.weakint, depth + 1)
      return a.alu(self.rng.choice([Ops.CMPLT, Ops.CMPLT, Ops.CMPNE]), UOp.const(self.rng.choice(INTS)))
    return self.const(dt) if r > 0.93 else self.variable(dt)

  def buffer(self, dt):
    self.count += 1
    return UOp.param(self.count, dt if dt not in dtypes.weaks else dtypes.float32, (self.rng.choice([4, 8, 16]),), "CPU")
  def index(self, dt): return self.buffer(dt).index(self.leaf(dtypes.weakint))

  def split_sum(self):
    """A quotient and a remainder that may recombine, and perhaps another term."""
    x, d, k = self.leaf(dtypes.weakint), self.rng.choice([2, 3, 4, 6, -3]), self.rng.choice([1, 1, 2, 5])
    q = x // d if self.rng.random() < 0.5 else (x // d) % self.rng.choice([2, 3, 8])
    if self.rng.random() < 0.2: x, q = x // 3, x // (3 * d)
    if self.rng.random() < 0.3: x = x + d
    terms = [x % d * k, q * (d * k)] + ([self.leaf(dtypes.weakint)] if self.rng.random() < 0.4 else [])
    self.rng.shuffle(terms)
    return UOp.usum(*terms)

  def natural(self, op, dt):
    """A usual node of this op."""
    leaf = lambda: self.leaf(dt)
    if op is Ops.CONST: return self.const(dt)
    if op is Ops.CAST and self.rng.random() < 0.3: return UOp(op, src=(x := self.variable(dt),), arg=dt)
    if op is Ops.CAST: return leaf().cast(self.rng.choice([dtypes.int32, dtypes.int64, dtypes.float32, dtypes.bool, dtypes.uint8, dtypes.weakint]))
    if op is Ops.BITCAST: return self.leaf(dtypes.float32).bitcast(dtypes.int32)
    if op is Ops.RANGE: return UOp.range(self.rng.choice([1, 2, 3, 4, 8]), self.rng.randrange(100, 104), self.rng.choice([AxisType.WEAK, AxisType.REDUCE]))
    if op is Ops.SPECIAL: return UOp.special(self.rng.choice([1, 4, 8]), "gidx0")
    if op is Ops.PARAM: return self.variable(dt)
    if op is Ops.BUFFER: return UOp.variable(f"b{self.rng.randrange(9)}", 0, 5)
    if op in GroupOp.Unary: return leaf().alu(op)
    if op is Ops.ADD and dt is dtypes.weakint and self.rng.random() < 0.5: return self.split_sum()
    if op in GroupOp.Binary and self.rng.random() < 0.3: return leaf().alu(op, self.const(dtypes.weakfloat if dtypes.is_float(dt) else dtypes.weakint))
    if op in GroupOp.Binary: return (x := leaf()).alu(op, x if self.rng.random() < 0.3 else leaf())
    if op is Ops.WHERE: return self.leaf(dtypes.bool).where(leaf(), leaf())
    if op is Ops.MULACC: return leaf().alu(op, leaf(), leaf())
    if op is Ops.INDEX: return self.index(dt)
    if op is Ops.LOAD: return self.index(dt).load()
    if op is Ops.STORE: return self.index(dt).store(self.leaf(dtypes.float32))
    if op is Ops.AFTER: return self.buffer(dt).after(*[self.rng.choice([self.natural(Ops.STORE, dt), self.natural(Ops.RANGE, dt), self.leaf(dtypes.weakint),
                                                                      self.natural(Ops.SINK, dt)]) for _ in range(self.rng.randrange(1, 4))])
    if op is Ops.END: return self.natural(Ops.STORE, dt).end(*[self.natural(Ops.RANGE, dt) for _ in range(self.rng.randrange(1, 3))])
    if op in {Ops.SINK, Ops.GROUP}:
      return UOp(op, src=tuple(self.natural(self.rng.choice([Ops.STORE, Ops.STORE, Ops.NOOP, Ops.STACK]), dt) for _ in range(self.rng.randrange(1, 4))))
    if op is Ops.NOOP: return UOp(Ops.NOOP)
    if op is Ops.STACK: return UOp(Ops.STACK, src=tuple(self.rng.choice([self.const(dt), self.const(dt), UOp.const(Invalid)]) for _ in range(self.rng.choice([2, 2, 3, 4]))))
    if op is Ops.REDUCE:
      r = self.natural(Ops.RANGE, dt)
      body = self.rng.choice([leaf(), r.cast(dt) * leaf() if dt is not dtypes.weakint else r * leaf(), (r < self.leaf(dtypes.weakint)).where(leaf(), 0)])
      return body.reduce(r, arg=self.rng.choice([Ops.ADD, Ops.ADD, Ops.MAX, Ops.MUL]))
    x = UOp.param(1, dtypes.float32, self.rng.choice([(2, 3, 4), (4, 2), (6,), (2, 3)]), "CPU")
    if op is Ops.RESHAPE: return UOp(op, src=(x, UOp(Ops.STACK, src=tuple(UOp.const(s) for s in reversed(x.shape))) if len(x.shape) > 1 else UOp.const(6)))
    if op is Ops.PERMUTE: return UOp(op, src=(x,), arg=tuple(self.rng.sample(range(len(x.shape)), len(x.shape))))
    raise NotImplementedError(op)

  def movement(self, p, op, srcs):
    """RESHAPE and PERMUTE of given sources: the argument must fit them."""
    if op is Ops.PERMUTE: return UOp(op, src=srcs[:1], arg=tuple(self.rng.sample(range(len(srcs[0].shape)), len(srcs[0].shape))))
    x = srcs[0]
    shapes = [x.shape, x.shape[::-1], (1,) + x.shape]
    shape = self.rng.choice(shapes)
    return UOp(op, src=(x, UOp.const(shape[0]) if len(shape) == 1 else UOp(Ops.STACK, src=tuple(UOp.const(s) for s in shape))))

  def of(self, p: UPat, dt) -> UOp:
    if p.name is not None and p.name in self.binds: return self.binds[p.name]
    u = self.fresh(p, dt)
    if p.name is not None: self.binds[p.name] = u
    return u

  def fresh(self, p: UPat, dt):
    if p.is_any: return self.of(self.rng.choice(p.src[0]), dt)
    if p.match_dtype is not None and dt not in p.match_dtype: dt = self.rng.choice(p.match_dtype)
    if p.op is None: return self.leaf(dt)
    op = self.rng.choice(p.op)
    if op is Ops.CONST: return UOp.const(p.arg if p.arg is not None else self.value(dt), dt)
    src = p._in_src
    if src is None: return self.natural(op, dt)
    if isinstance(src, UPat):
      if op is Ops.RANGE:
        self.count += 1
        end = self.of(src, dtypes.weakint) if src.op is not None or self.rng.random() < 0.8 else UOp.const(4)
        return UOp(op, src=(end,), arg=(self.count, AxisType.WEAK))
      if src.op == (Ops.INDEX,):  # every element of one value
        x = UOp.param(3, dtypes.float32, (self.rng.choice([2, 3]),), "CPU")
        return UOp(op, src=tuple(x.index(UOp.const(i)) for i in range(x.shape[0])))
      return UOp(op, src=tuple(self.of(src, dt) for _ in range(self.rng.choice([2, 3]))))
    inner = dt
    if op in GroupOp.Comparison: inner = self.mode if self.mode is not dtypes.bool or self.rng.random() < 0.3 else dtypes.weakint
    if op is Ops.CAST: inner = self.rng.choice([self.mode, dtypes.int32, dtypes.weakint, dtypes.bool, dtypes.uint8, dtypes.float32])
    if op is Ops.BITCAST: inner = self.rng.choice([dtypes.int32, dtypes.uint32, dtypes.float32])
    srcs = []
    order = list(src)
    if isinstance(src, list) and self.rng.random() < 0.5: order.reverse()
    for i, s in enumerate(order):
      want = dtypes.bool if op is Ops.WHERE and i == 0 else inner
      if op in {Ops.INDEX}:
        if i > 0: want = dtypes.weakint
        elif s.op is None:
          srcs.append(self.binds.setdefault(s.name, self.buffer(dt)) if s.name is not None else self.buffer(dt))
          continue
      if op in {Ops.RESHAPE, Ops.PERMUTE} and s.op is None:
        srcs.append(self.binds.setdefault(s.name, UOp.param(7, dtypes.float32, (2, 3), "CPU")) if i == 0 and s.name is not None else UOp.const(6))
        continue
      if op in {Ops.REDUCE, Ops.END} and i > 0: srcs.append(self.binds.setdefault(s.name, self.natural(Ops.RANGE, dt)) if s.name is not None else self.natural(Ops.RANGE, dt)); continue
      if op is Ops.STORE and i == 0 and s.op is None and not s.is_any: srcs.append(self.index(dtypes.float32)); continue
      if op is Ops.AFTER and i == 0: srcs.append(self.buffer(dt)); continue
      srcs.append(self.of(s, want))
    if not p.strict_length:
      if op is Ops.REDUCE and len(srcs) == 1: srcs.append(self.natural(Ops.RANGE, dt))
      elif op is Ops.LOAD and self.rng.random() < 0.5: srcs += [self.const(srcs[0].dtype), self.leaf(dtypes.bool)]
      elif op is Ops.INDEX and self.rng.random() < 0.5: srcs.append(self.leaf(dtypes.weakint))
    if op in {Ops.RESHAPE, Ops.PERMUTE}: return self.movement(p, op, tuple(srcs))
    arg = p.arg
    if op is Ops.CAST: arg = dt if p.match_dtype is not None else self.rng.choice([dtypes.int32, dtypes.weakint, dtypes.int64, dtypes.float32, dtypes.bool, dtypes.uint8, srcs[0].dtype])
    if op is Ops.BITCAST: arg = self.rng.choice([dtypes.int32, dtypes.uint32, dtypes.float32])
    if op is Ops.REDUCE and arg is None: arg = (self.rng.choice([Ops.ADD, Ops.MAX, Ops.MUL]), 0)
    return UOp(op, src=tuple(srcs), arg=arg)

def sound(u: UOp) -> bool:
  """Every node can be asked for its shape."""
  for x in u.toposort():
    x._shape
    if x.op in GroupOp.Binary and not (x.op in {Ops.SHL, Ops.SHR}) and len({s.dtype for s in x.src if s.dtype not in dtypes.weaks and not s.is_invalid}) > 1: return False
    if x.op in {Ops.SHL, Ops.SHR} and not all(dtypes.is_int(s.dtype) for s in x.src): return False
    if x.op in {Ops.AND, Ops.OR, Ops.XOR, Ops.CMOD, Ops.CDIV, Ops.FLOORDIV, Ops.FLOORMOD} and any(dtypes.is_float(s.dtype) for s in x.src): return False
    if x.op in {Ops.THREEFRY, Ops.FDIV, Ops.CMPEQ, Ops.SUB} and not all(dtypes.is_float(s.dtype) for s in x.src): return False
    if x.op is Ops.WHERE and (x.src[0].dtype is not dtypes.bool or (x.src[1].dtype != x.src[2].dtype and not any(s.is_invalid for s in x.src[1:]))): return False
  return True

def apply(fxn, p, u):
  """What the rule makes of u: None where it does not apply."""
  ctx = {"ctx": {}} if "ctx" in inspect.signature(fxn).parameters else {}
  for match in p.match(u, {}):
    if (ret := fxn(**match, **ctx)) is not None: return None if ret is u else ret
  return None

SWAPS = [{Ops.ADD, Ops.MUL, Ops.MAX}, {Ops.CMPLT, Ops.CMPNE}, {Ops.FLOORDIV, Ops.FLOORMOD}, {Ops.AND, Ops.OR, Ops.XOR}, {Ops.SHL, Ops.SHR},
         {Ops.SQRT, Ops.EXP2, Ops.RECIPROCAL, Ops.TRUNC}]

def changed(u: UOp, m: Maker) -> UOp:
  """u with one node replaced."""
  nodes = list(u.toposort())
  x = m.rng.choice(nodes)
  if x.op is Ops.CONST and x.val is not Invalid and m.rng.random() < 0.7: new = m.const(x.dtype)
  elif (group := next((g for g in SWAPS if x.op in g), None)) is not None and m.rng.random() < 0.5: new = UOp(m.rng.choice(sorted(group - {x.op})), src=x.src)
  elif x is u:
    if x.op is Ops.CAST: return x.src[0].cast(m.rng.choice([dtypes.int32, dtypes.int8, dtypes.float32, dtypes.bool]))
    if len(x.src) < 2: raise ValueError
    return UOp(x.op, src=(m.leaf(x.src[0].dtype) if m.rng.random() < 0.5 else x.src[0],) + x.src[1:], arg=x.arg)
  else: new = m.leaf(x.dtype)
  made = {}
  for n in nodes: made[n] = new if n is x else n if all(made[s] is s for s in n.src) else UOp(n.op, src=tuple(made[s] for s in n.src), arg=n.arg)
  return made[u]

def cases(fxn, p, rng):
  found = {True: [], False: []}
  def keep(u):
    try:
      if u.op not in p.op or len(u.toposort()) > 40 or not sound(u): return
      after = apply(fxn, p, u)
      if after is not None: sound(after)
    except Exception: return
    applies = after is not None
    if len(found[applies]) < (APPLIES if applies else DECLINES) and all(u is not v for v, _ in found[applies]): found[applies].append((u, after))
  for _ in range(ATTEMPTS):
    if len(found[True]) == APPLIES: break
    m = Maker(rng)
    try: u = m.of(p, m.mode)
    except Exception: continue
    keep(u)
  others, found[False] = found[False], []  # those that are one change away from a graph that is rewritten tell more
  for _ in range(ATTEMPTS // 4):
    if len(found[False]) == DECLINES or not found[True]: break
    m = Maker(rng)
    m.count = 50
    try: keep(changed(rng.choice(found[True])[0], m))
    except Exception: continue
  found[False] = found[False] or others
  for _ in range(ATTEMPTS // 4):
    if found[False]: break
    m = Maker(rng)
    try: keep(m.natural(rng.choice(p.op), m.mode))
    except Exception: continue
  # a rule without conditions takes every node of its op
  v = UOp.variable("v", 0.0, 1.0, dtypes.float32, param=True)
  if not found[False]: found[False].append((v.sqrt() if Ops.SQRT not in p.op else v.trunc(), None))
  return found

def main():
  seen, lines, missing = set(), [], []
  for module, names in SETS.items():
    for name in names:
      matcher = matcher_of(module, name)
      for i, (p, fxn) in enumerate(matcher.patterns):
        if (id(p), id(fxn)) in seen or name in NEED_THEIR_PASS: continue
        seen.add((id(p), id(fxn)))
        found = cases(fxn, p, random.Random(f"{SEED} {name} {i}"))
        for applies in (True, False):
          if not found[applies]: missing.append(f"{name} {i} {p.location[1]} {'applies' if applies else 'declines'}")
          for u, after in found[applies]:
            table = Table()
            root = table.add(u)
            lines.append({"set": name, "index": i, "nodes": table.nodes, "root": root, "after": None if after is None else table.add(after)})
  with gzip.GzipFile(HERE / "rule_cases.jsonl.gz", "wb", mtime=0) as f:
    for line in lines: f.write((json.dumps(line, separators=(",", ":")) + "\n").encode())
  print(len(lines), "cases; missing:", *missing, sep="\n  ")

if __name__ == "__main__": main()
