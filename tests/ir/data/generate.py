#!/usr/bin/env python3
"""Writes the expected values beside it by asking the reference: PYTHONPATH=<reference> DEV=NULL generate.py

A value is b0 or b1, i<decimal>, f<16 hex digits of the double> (fnan for any nan), x for invalid, and ! where Python raises.
"""
import math, pathlib, random, struct
from tinygrad.dtype import ConstFloat, DTypes, DType, Invalid, dtypes, truncate, bitcast, can_lossless_cast, fp8_to_float, float_to_fp8, \
  least_upper_dtype, least_upper_float, strong_dtype, weak_dtype, sum_acc_dtype
from tinygrad.helpers import cdiv, cmod
from tinygrad.uop import Ops, GroupOp
from tinygrad.uop.ops import exec_alu, identity_element

HERE = pathlib.Path(__file__).parent
NAMED = {k: v for k, v in DTypes.__dict__.items() if isinstance(v, DType) and not k.startswith(("_", "default"))}
NAMES = {v: k for k, v in reversed(NAMED.items())}  # the first name of a dtype is its own, the later ones are aliases
ALL = list(NAMES)[::-1]
rng = random.Random(20261130)

def show(v):
  if v is Invalid: return "x"
  if isinstance(v, bool): return f"b{int(v)}"
  if isinstance(v, int): return f"i{v}"
  if math.isnan(v): return "fnan"
  return "f" + struct.pack(">d", v).hex()

def attempt(f, *args):
  try: return show(f(*args))
  except Exception: return "!"

def write(name, rows):
  rows = list(dict.fromkeys("\t".join(map(str, r)) for r in rows))
  (HERE / name).write_text("\n".join(rows) + "\n")
  print(name, len(rows))

EDGES = [0, 1, -1, 2, -2, 3, -3, 7, 2**31, -2**31, 2**31 - 1, 2**32 - 1, 2**32, 2**53, 2**53 + 1, 2**62, 2**63 - 1, 2**63, -2**63, -2**63 - 1, 2**64 - 1,
         2**64, -2**64, 2**127, -2**127, 2**799 - 1, -2**799]
def an_int(bits=(1, 3, 8, 31, 33, 62, 63, 64, 65, 100, 128, 300, 800)):
  if rng.random() < .35: return rng.choice(EDGES)
  return rng.getrandbits(rng.choice(bits)) * rng.choice((1, -1))
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, math.inf, -math.inf, math.nan, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 65504.0,
          65519.99, 65520.0, 448.0, 464.0, 464.1, 57344.0, 61440.0, 240.0, 248.0, 3.4028235677973366e38, 3.4e38, 1e39, 2.0**63, 2.0**64, -2.0**63,
          0.1, 1/3, 1e16, 1e15, 123456789012345680.0, 9999999999999998.0, 1e-4, 1e-5, 0.00012, 1e22, 1e23, 1e100, 2.0**-24, 2.0**-25, 2.0**-11]
def a_float():
  r = rng.random()
  if r < .3: return rng.choice(FLOATS)
  if r < .5: return math.nan if math.isnan(x := struct.unpack("d", struct.pack("Q", rng.getrandbits(64)))[0]) else x
  if r < .7: return float(rng.randint(-40, 40)) / rng.choice((1, 2, 4, 3))
  if r < .85: return math.nan if math.isnan(x := struct.unpack("f", struct.pack("I", rng.getrandbits(32)))[0]) else x
  return rng.uniform(-1, 1) * 2.0 ** rng.randint(-30, 20)
def a_const(kinds="bbiiifff"):
  k = rng.choice(kinds)
  if k == "b": return rng.random() < .5
  if k == "i": return rng.randint(-9, 9) if rng.random() < .4 else an_int()
  if k == "x": return Invalid
  return ConstFloat(a_float())

def ints():
  binary = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "floordiv": lambda a, b: a // b,
            "floormod": lambda a, b: a % b, "cdiv": cdiv, "cmod": cmod, "and": lambda a, b: a & b, "or": lambda a, b: a | b,
            "xor": lambda a, b: a ^ b, "gcd": math.gcd, "cmp": lambda a, b: (a > b) - (a < b), "min": min, "max": max}
  for name, f in binary.items():
    pairs = [(a, b) for a in EDGES for b in EDGES if min(abs(a), abs(b)) < 2**63 or abs(a * b) < 2**128] if name in ("floordiv", "floormod", "cdiv", "cmod") else []
    for a, b in pairs + [(an_int(), an_int()) for _ in range(130)]: yield name, show(a), show(b), attempt(f, a, b)
  for name, f in {"shl": lambda a, n: a << n, "shr": lambda a, n: a >> n}.items():
    for _ in range(220):
      a, n = an_int(), rng.choice((0, 1, 5, 31, 62, 63, 64, 65, 200, -1))
      yield name, show(a), show(n), attempt(f, a, n)
  for _ in range(100):
    a, n = an_int((1, 3, 8, 31)), rng.randint(0, 9)
    yield "pow", show(a), show(n), attempt(pow, a, n)
  unary = {"neg": lambda a: -a, "invert": lambda a: ~a, "abs": abs, "bits": int.bit_length, "float": float,
           "reciprocal": lambda a: 1 / a}
  big = [2**1023, 2**1024, -2**1024, 2**1024 - 2**970, 2**1024 - 2**970 - 1, 2**1074 + 1, 2**1075, 2**1076, 3 * 2**1022 + 1, 2**1023 + 2**970]
  big += [rng.getrandbits(n) | 1 << n for n in (1000, 1010, 1020, 1021, 1022, 1023, 1024, 1030, 1060, 1072, 1073, 1074) for _ in range(3)]
  for name, f in unary.items():
    for a in EDGES + big + [an_int() for _ in range(150)] + [2**54 + k for k in range(12)] + [2**64 + k * 512 + d for k in range(9) for d in (-1, 0, 1)]:
      if name != "reciprocal" or a != 0: yield name, show(a), attempt(f, a)

def scalars():
  for x in FLOATS + [a_float() for _ in range(600)] + [10.0**k for k in range(-320, 309, 7)]: yield "repr", show(x), repr(x)
  for _ in range(100):
    v = a_const()
    yield "repr", show(v), str(v)
  for _ in range(900):
    a, b = a_const("bifx" + "iff"), a_const("bifx" + "iff")
    if rng.random() < .3 and isinstance(a, float) and math.isfinite(a): b = int(a)
    yield "eq", show(a), show(b), attempt(lambda: a == b)
    yield "lt", show(a), show(b), attempt(lambda: a < b)
  for _ in range(300):
    v = a_const("bifx")
    yield "bool", show(v), attempt(bool, v)
    yield "int", show(v), attempt(int, v)
    yield "float", show(v), attempt(float, v)
  for dt in ALL:
    yield "min", NAMES[dt], show(dt.min)
    yield "max", NAMES[dt], show(dt.max)
    for v in [True, False, Invalid, *map(ConstFloat, FLOATS)] + [a_const() for _ in range(40)]: yield "const", NAMES[dt], show(v), attempt(dt.const, v)

def alu():
  for dt in ALL:
    for v in [True, Invalid, *map(ConstFloat, FLOATS), *EDGES] + [a_const() for _ in range(80)]:
      yield "truncate", NAMES[dt], show(v), attempt(truncate.get(dt, lambda x: x), v)
    for op in (Ops.ADD, Ops.MUL, Ops.MAX, Ops.XOR): yield "identity", op.name, NAMES[dt], attempt(identity_element, op, dt)
  for dt in dtypes.fp8s:
    values = [fp8_to_float(c, dt) for c in range(256)]
    for c, v in enumerate(values): yield "from_fp8", NAMES[dt], show(c), show(v)
    finite = sorted({abs(v) for v in values if math.isfinite(v)})
    for a, b in zip(finite, finite[1:]):
      mid = (a + b) / 2
      for v in (mid, -mid, math.nextafter(mid, 0), math.nextafter(mid, math.inf), b): yield "to_fp8", NAMES[dt], show(v), show(float_to_fp8(v, dt))
    for _ in range(100): yield "to_fp8", NAMES[dt], show(v := a_float()), show(float_to_fp8(v, dt))
  strong = [dt for dt in ALL if dt in dtypes.all]
  for a in strong:
    for b in strong:
      if a.itemsize == b.itemsize:
        values = [a_const() for _ in range(8)]
        if dtypes.is_int(a): values += [rng.randint(a.min, a.max) for _ in range(12)]
        if dtypes.is_float(a): values += [a.const(a_float()) for _ in range(12)]
        if dtypes.is_float(b) and a is dtypes.uint16: values += [0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 1, 0x3ff, 0x400, 0x7bff, 0x8001]
        for v in values: yield "bitcast", NAMES[a], NAMES[b], show(v), attempt(bitcast, v, a, b)
  small = lambda: rng.choice((rng.randint(-9, 70), rng.randint(-9, 9), rng.random() < .5))
  for op in sorted(GroupOp.ALU) + [Ops.CAST]:
    n = 1 if op in GroupOp.Unary or op is Ops.CAST else 2 if op in GroupOp.Binary else 3
    for i in range(160):
      kinds = rng.choice(("bi", "i", "f", "b", "bif", "bifx" if i % 4 == 0 else "bif"))
      args = [a_const(kinds) for _ in range(n)]
      if i % 2: args = [small() if isinstance(a, int) else ConstFloat(float(rng.randint(-20, 20)) / rng.choice((1, 2, 3))) if rng.random() < .7 else a
                        for a in args]
      if op in (Ops.SHL, Ops.POW) and not isinstance(args[1], float) and args[1] is not Invalid and abs(args[1]) > 100: args[1] = rng.randint(0, 80)
      if op is Ops.EXP2 and isinstance(args[0], int) and args[0] > 3000: args[0] = rng.randint(0, 3000)
      dt = rng.choice(ALL)
      yield ("exec", op.name, NAMES[dt], 0, *map(show, args), attempt(lambda: exec_alu(op, dt, args, False)))
      yield ("exec", op.name, NAMES[dt], 1, *map(show, args), attempt(lambda: exec_alu(op, dt, args)))

def dtype_table():
  for dt in ALL:
    yield "dtype", NAMES[dt], dt.name, dt.priority, dt.bitsize, dt.itemsize, dt.fmt or "-", \
      int(dtypes.is_int(dt)), int(dtypes.is_float(dt)), int(dtypes.is_unsigned(dt)), int(dtypes.is_bool(dt)), int(dt in dtypes.weaks)
    yield "strong", NAMES[dt], NAMES[strong_dtype(dt)]
    yield "weak", NAMES[dt], NAMES[weak_dtype(dt)]
    for name, f in (("upper_float", least_upper_float), ("sum_acc", sum_acc_dtype)):
      try: yield name, NAMES[dt], NAMES[f(dt)]
      except KeyError: yield name, NAMES[dt], "!"
    for name in ("fp8s", "floats", "uints", "sints", "ints", "weaks", "all"):
      if dt in getattr(dtypes, name): yield "member", name, NAMES[dt]
    for o in ALL:
      yield "less", NAMES[dt], NAMES[o], int(dt is not o and dt < o)
      yield "lossless", NAMES[dt], NAMES[o], int(can_lossless_cast(dt, o))
      try: yield "upper", NAMES[dt], NAMES[o], NAMES[least_upper_dtype(dt, o)]
      except KeyError: yield "upper", NAMES[dt], NAMES[o], "!"
  lattice = [dt for dt in ALL if dt is not dtypes.void]
  for _ in range(300):
    ds = rng.choices(lattice, k=rng.randint(1, 5))
    yield "uppers", NAMES[least_upper_dtype(*ds)], *[NAMES[d] for d in ds]

def ops():
  groups = [k for k in GroupOp.__dict__ if not k.startswith("_")]
  for op in Ops: yield op.name, op.value, *[g for g in groups if op in getattr(GroupOp, g)]

for name, rows in (("int.tsv", ints()), ("scalar.tsv", scalars()), ("scalar_alu.tsv", alu()), ("dtype.tsv", dtype_table()), ("op.tsv", ops())):
  write(name, rows)
