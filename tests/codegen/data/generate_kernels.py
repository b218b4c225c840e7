#!/usr/bin/env python3
"""Writes kernels.jsonl.gz beside it by asking the reference:
PYTHONPATH=<reference>:tests/reference DEV=NULL VIZ=1 generate_kernels.py

Kernels for what no kernel of the golden corpus needs: dtypes and ops that a target lacks, settings, optimisations that the
heuristic does not choose. Lines are as in the corpus (tests/golden/README.md). Besides the reference's settings `flags` has
EMULATE_LONG and EMULATE_HALF (the target lacks them) and MULACC (the target has it).
"""
import gzip, json, pathlib
from tinygrad.dtype import dtypes
from tinygrad.helpers import Context, Target
from tinygrad.uop import Ops
from tinygrad.uop.ops import AxisType, KernelInfo, ParamArg, UOp, ProgramInfo
from tinygrad.codegen import full_rewrite_to_sink, line_rewrite, linearize, pm_linearize_cleanups
from tinygrad.codegen.opt import Opt, OptOps
from tinygrad.renderer import Renderer
import recording
from uopjson import Table

HERE = pathlib.Path(__file__).resolve().parent
OPS = (Ops.SQRT, Ops.RECIPROCAL, Ops.NEG, Ops.EXP2, Ops.LOG2, Ops.TRUNC, Ops.AND, Ops.XOR, Ops.OR, Ops.ADD, Ops.SUB, Ops.MUL, Ops.CMOD, Ops.CDIV,
       Ops.CMPNE, Ops.SHR, Ops.SHL, Ops.CMPLT, Ops.WHERE, Ops.CMPEQ, Ops.FDIV)
class VK(Renderer):
  global_max, local_max, shared_max = (65535, 65535, 65535), (1024, 1024, 64), 32768
  def __init__(self, lacks=(), ops=OPS):
    self.target, self.lacks, self.code_for_op = Target("VK"), lacks, {o: None for o in ops}
  def supported_dtypes(self): return set(dtypes.all) - {dtypes.bfloat16, *dtypes.fp8s, *self.lacks}

cases = []
def case(name, ast, **flags):
  recording.begin()
  lacks = (([dtypes.long, dtypes.ulong] if flags.get("EMULATE_LONG") else []) + ([dtypes.half] if flags.get("EMULATE_HALF") else []))
  ren = VK(lacks, OPS + ((Ops.MULACC,) if flags.get("MULACC") else ()))
  settings = {k: v for k, v in flags.items() if k in ("NOOPT", "DISABLE_FAST_IDIV", "TRANSCENDENTAL")}
  with Context(**settings):
    sink = full_rewrite_to_sink(ast, ren, optimize=ast.tag is None)
    linear = line_rewrite(linearize(sink), pm_linearize_cleanups)
  info = ProgramInfo.from_sink(sink, ren.target)
  table = Table()
  root = table.add(ast)
  inputs = len(table.nodes)
  passes = recording.passes(table)
  size = lambda s: None if s is None else [x if isinstance(x, int) else None for x in s]
  out = {"sink": table.add(sink), "linear": [table.add(u) for u in linear],
         "program": {"name": info.name, "global_size": size(info.global_size), "local_size": size(info.local_size) or [],
                     "globals": list(info.globals), "outs": list(info.outs), "ins": list(info.ins)}}
  fired = sum(len(p[7]) for p in passes)
  print(f"{name}: {len(passes)} passes, {fired} matches, {len(linear)} ops", flush=True)
  cases.append({"name": name, "flags": flags, "nodes": table.nodes, "root": root, "passes": passes, **out,
                "counts": {"input_nodes": inputs, "passes": len(passes), "matches": fired}})

def buf(slot, dtype, size=64): return UOp(Ops.PARAM, src=(UOp.const(size),), arg=ParamArg(slot, dtype))
def kernel(store, *ranges, tag=None, **info): return UOp(Ops.SINK, src=(store.end(*ranges),), arg=KernelInfo(**info), tag=tag)
def map_kernel(out_dtype, f, *in_dtypes, size=16, tag=None, **info):
  r = UOp.range(size, 0)
  return kernel(buf(0, out_dtype).index(r).store(f(*[buf(i + 1, d).index(r) for i, d in enumerate(in_dtypes)])), r, tag=tag, **info)

# ** floats that are emulated
small = [("bf16", dtypes.bfloat16), ("fp8e4m3", dtypes.fp8e4m3), ("fp8e5m2", dtypes.fp8e5m2), ("fp8e4m3fnuz", dtypes.fp8e4m3fnuz), ("fp8e5m2fnuz", dtypes.fp8e5m2fnuz)]
for name, dt in small:
  case(f"{name} copy", map_kernel(dt, lambda x: x, dt))
  case(f"{name} arithmetic", map_kernel(dt, lambda x, y: x * y + 2.0, dt, dt))
  case(f"{name} to float", map_kernel(dtypes.float, lambda x: x.cast(dtypes.float), dt))
  case(f"{name} from float", map_kernel(dt, lambda x: x.cast(dt), dtypes.float))
  case(f"{name} sum", kernel(buf(0, dt).index(UOp.const(0)).store(buf(1, dt).index(r := UOp.range(40, 0, AxisType.REDUCE)).cast(dtypes.float).reduce(r, arg=Ops.ADD).cast(dt))))
case("bf16 to bits", map_kernel(dtypes.uint16, lambda x: x.bitcast(dtypes.uint16), dtypes.bfloat16))
case("bf16 from bits", map_kernel(dtypes.bfloat16, lambda x: x.bitcast(dtypes.bfloat16), dtypes.uint16))
case("bf16 from bits, computed with", map_kernel(dtypes.bfloat16, lambda x: x.bitcast(dtypes.bfloat16) * 2, dtypes.uint16))
case("bf16 bits of a product", map_kernel(dtypes.uint16, lambda x: (x * 2).bitcast(dtypes.uint16), dtypes.bfloat16))
case("bf16 gated", kernel(buf(0, dtypes.bfloat16).index(r := UOp.range(16, 0)).store((r < 5).where(buf(1, dtypes.bfloat16).index(r.valid(r < 5)), 0.0)), r))
case("bf16 functions", map_kernel(dtypes.bfloat16, lambda x: x.exp2() + x.sin() + x.log2() + x.sqrt(), dtypes.bfloat16))
case("half emulated", map_kernel(dtypes.half, lambda x, y: (x + y).exp2(), dtypes.half, dtypes.half), EMULATE_HALF=1)
case("fp8 through float where half is emulated", map_kernel(dtypes.fp8e4m3, lambda x, y: (x + y), dtypes.fp8e4m3, dtypes.fp8e4m3), EMULATE_HALF=1)

# ** 64-bit integers in two words
def longs(name, f, *dts, out=None): case(f"long {name}", map_kernel(out or dts[0], f, *dts, size=3), EMULATE_LONG=1)
L, UL = dtypes.long, dtypes.ulong
for dt, n in ((L, ""), (UL, " unsigned")):
  for op in ("add", "sub", "mul"): longs(op + n, lambda a, b, op=op: getattr(a, op)(b), dt, dt)
  longs("division" + n, lambda a, b: a.alu(Ops.CDIV, b), dt, dt)
  longs("remainder" + n, lambda a, b: a.alu(Ops.CMOD, b), dt, dt)
  longs("floor division" + n, lambda a, b: a // b, dt, dt)
  longs("shifts" + n, lambda a, b: (a << 5) ^ (b.alu(Ops.SHR, a)), dt, dt)
  longs("bits" + n, lambda a, b: (a & b) | (a ^ b), dt, dt)
  longs("maximum" + n, lambda a, b: a.maximum(b), dt, dt)
  longs("compare" + n, lambda a, b: (a < b) & a.ne(b), dt, dt, out=dtypes.bool)
  longs("from int" + n, lambda a: a.cast(dt) + 1, dtypes.int, out=dt)
  longs("from uint" + n, lambda a: a.cast(dt) + 1, dtypes.uint, out=dt)
  longs("from bool" + n, lambda a: a.cast(dt) * 3, dtypes.bool, out=dt)
  longs("from float" + n, lambda a: a.cast(dt) + 7, dtypes.float, out=dt)
  longs("to float" + n, lambda a: (a + 1).cast(dtypes.float), dt, out=dtypes.float)
  longs("to int" + n, lambda a: (a + 1).cast(dtypes.int), dt, out=dtypes.int)
longs("negate", lambda a: -a, L)
longs("signed to unsigned", lambda a: (a + 1).cast(UL), L, out=UL)
longs("where", lambda a, b, c: c.where(a, b + 2**40), L, L, dtypes.bool)
longs("copy", lambda a: a, L)

# ** functions
for dt in (dtypes.half, dtypes.float, dtypes.double):
  for op in ("sin", "exp2", "log2", "sqrt"): case(f"{op} of {dt.name}", map_kernel(dt, lambda x, op=op: getattr(x, op)(), dt, size=3), TRANSCENDENTAL=2)
case("sin by default", map_kernel(dtypes.float, lambda x: x.sin(), dtypes.float))
case("functions of int", map_kernel(dtypes.float, lambda x: x.cast(dtypes.float).sin() + x.cast(dtypes.float).exp2(), dtypes.int))
case("threefry", map_kernel(dtypes.ulong, lambda x, y: x.alu(Ops.THREEFRY, y), dtypes.ulong, dtypes.ulong))
case("maximum", map_kernel(dtypes.float, lambda x, y: x.maximum(y), dtypes.float, dtypes.float))
case("reciprocal", map_kernel(dtypes.float, lambda x, y: x * y.reciprocal() + y.reciprocal(), dtypes.float, dtypes.float))
case("multiply-add", map_kernel(dtypes.float, lambda x, y: x * y + 2.0, dtypes.float, dtypes.float), MULACC=1)
case("shift-add", map_kernel(dtypes.int, lambda x, y: (x << 3) + y, dtypes.int, dtypes.int), MULACC=1)
case("negations", map_kernel(dtypes.float, lambda x, y: x - y * -1.0 + -x, dtypes.float, dtypes.float))
for d in (1, 2, 3, 7, 8, -3, 2**20, 1000003):
  for dt in (dtypes.int, dtypes.uint, dtypes.int8, dtypes.int64):
    if dt == dtypes.int8 and abs(d) > 100 or dt == dtypes.uint and d < 0: continue
    for fast in (0, 1):
      case(f"{dt.name} by {d}" + (", fast" if fast else ""), map_kernel(dt, lambda x, d=d, dt=dt: x // UOp.const(d, dt) + x % UOp.const(d, dt), dt, size=3), DISABLE_FAST_IDIV=1 - fast)
case("division of variables", map_kernel(dtypes.int, lambda x, y: x // y + x % y, dtypes.int, dtypes.int))
case("comparisons", map_kernel(dtypes.bool, lambda x, y: ((x < 5).logical_not() & (UOp.const(3, dtypes.int) < y).logical_not()) | (x.ne(y)).logical_not(), dtypes.int, dtypes.int))
case("between", map_kernel(dtypes.bool, lambda x: (UOp.const(3, dtypes.int) < x) & (x < 5), dtypes.int))
case("negated comparisons", map_kernel(dtypes.bool, lambda x, y: (x * -1 < 7) | (x * -1 < y * 3), dtypes.int, dtypes.int))
case("not and not", map_kernel(dtypes.bool, lambda x, y: x.logical_not() & y.logical_not(), dtypes.bool, dtypes.bool))
case("float through half", map_kernel(dtypes.float, lambda x: (x + 1).cast(dtypes.half).cast(dtypes.float), dtypes.float))
case("booleans", map_kernel(dtypes.bool, lambda x, y: (x & y) ^ (x | y), dtypes.bool, dtypes.bool))

# ** settings and optimisations
def matmul(n=32, tag=None, **info):
  i, j, k = UOp.range(n, 0), UOp.range(n, 1), UOp.range(n, 2, AxisType.REDUCE)
  value = (buf(1, dtypes.float, n*n).index(i*n+k) * buf(2, dtypes.float, n*n).index(k*n+j)).reduce(k, arg=Ops.ADD)
  return kernel(buf(0, dtypes.float, n*n).index(i*n+j).store(value), i, j, tag=tag, **info)
case("optimiser off by tag", matmul(tag=1))
case("optimiser off by setting", matmul(), NOOPT=1)
case("optimiser on", matmul())
case("named", matmul(name="mine"))
for name, opts in (("locals", (Opt(OptOps.LOCAL, 0, 4), Opt(OptOps.LOCAL, 1, 8))), ("upcast", (Opt(OptOps.UPCAST, 0, 4), Opt(OptOps.UPCAST, 1, 4))),
                   ("unroll", (Opt(OptOps.UNROLL, 0, 4),)), ("unroll all", (Opt(OptOps.UNROLL, 0, 0),)), ("group", (Opt(OptOps.GROUP, 0, 8),)),
                   ("grouptop", (Opt(OptOps.GROUPTOP, 0, 8), Opt(OptOps.LOCAL, 0, 4))), ("nolocals", (Opt(OptOps.NOLOCALS),)),
                   ("padto", (Opt(OptOps.PADTO, 0, 48), Opt(OptOps.UPCAST, 0, 3))), ("swap", (Opt(OptOps.SWAP, 0, 1), Opt(OptOps.LOCAL, 0, 4))),
                   ("many", (Opt(OptOps.LOCAL, 0, 4), Opt(OptOps.UPCAST, 1, 4), Opt(OptOps.UNROLL, 0, 4), Opt(OptOps.GROUP, 0, 2)))):
  case(f"opts {name}", matmul(opts_to_apply=opts))
case("matvec", (lambda i, k: kernel(buf(0, dtypes.float).index(i).store((buf(1, dtypes.float, 128).index(k) * buf(2, dtypes.float, 8192).index(i*128+k)).reduce(k, arg=Ops.ADD)), i))(UOp.range(64, 0), UOp.range(128, 1, AxisType.REDUCE)))
rs = [UOp.range(s, i) for i, s in enumerate((3, 5, 7, 11, 13))]
flat = lambda rs, sizes: sum(r * __import__("math").prod(sizes[k+1:]) for k, r in enumerate(rs))
case("five axes", kernel(buf(0, dtypes.float, 15015).index(flat(rs, (3, 5, 7, 11, 13))).store(buf(1, dtypes.float, 15015).index(flat(rs, (3, 5, 7, 11, 13))) + 1.0), *rs), NOOPT=1)
case("large axis", map_kernel(dtypes.float, lambda x: x + 1.0, dtypes.float, size=70000*3), NOOPT=1)
n = UOp.variable("n", 1, 50, param=True)
case("symbolic axis", kernel(buf(0, dtypes.float).index(r := UOp.range(n, 0)).store(buf(1, dtypes.float).index(r) * 2.0), r))
case("symbolic reduce", kernel(buf(0, dtypes.float).index(i := UOp.range(8, 0)).store(buf(1, dtypes.float, 400).index(i * n + (k := UOp.range(n, 1, AxisType.REDUCE))).reduce(k, arg=Ops.MAX)), i))
d = UOp.range(4, -1, AxisType.DEVICE)
case("device axis", kernel(buf(0, dtypes.float).index(r := UOp.range(16, 0)).store(buf(1, dtypes.float).index(r + d * 16)), r, d))
case("two reductions", kernel(buf(0, dtypes.float).index(i := UOp.range(8, 0)).store(
  buf(1, dtypes.float, 400).index(i * 50 + (k := UOp.range(50, 1, AxisType.REDUCE))).reduce(k, arg=Ops.ADD) * buf(1, dtypes.float, 400).index(i * 50 + k).reduce(k, arg=Ops.MAX)), i), NOOPT=1)
case("infinities and nan", map_kernel(dtypes.float, lambda x: (x < 0.0).where(float("nan"), (x < 1.0).where(float("inf"), (x < 2.0).where(float("-inf"), x))), dtypes.float))

with gzip.GzipFile(HERE / "kernels.jsonl.gz", "wb", mtime=0) as f:
  for c in cases: f.write((json.dumps(c, separators=(",", ":")) + "\n").encode())
