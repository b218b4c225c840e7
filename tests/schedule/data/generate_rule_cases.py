#!/usr/bin/env python3
"""Writes rule_cases.jsonl, allreduce.jsonl and spec.jsonl beside it by asking the reference:

  PYTHONPATH=<reference>:tests/reference DEV=NULL generate_rule_cases.py

A case of rule_cases.jsonl is one node given to a rule set: {"set", "name", "nodes", "root", "fired" (file and line of the rule that fired, null: none),
"after" (what it gave, null: none), "error" (the reference raises)}. Cases of allreduce.jsonl call "function" on root's source and root, under
"flags". Cases of spec.jsonl have "accepted".
"""
import itertools, json, pathlib
from uopjson import Table
from tinygrad.dtype import AddrSpace, dtypes
from tinygrad.helpers import Context
from tinygrad.schedule.indexing import BufferizeOpts
from tinygrad.uop.ops import AxisType, CallInfo, KernelInfo, Ops, ParamArg, UOp
from tinygrad.uop.spec import spec_kernel_graph, spec_tensor
from tinygrad import schedule
from tinygrad.schedule import allreduce, multi

HERE = pathlib.Path(__file__).parent
D2, D3, D4 = ("A:1", "A:2"), ("A", "A:1", "A:2"), ("A", "A:1", "A:2", "A:3")
f32, f16, i32 = dtypes.float32, dtypes.float16, dtypes.int32
C = UOp.const
slots = itertools.count(0)

def buf(shape, dev="A", dt=f32):
  n = 1
  for s in shape: n *= s
  return UOp.new_buffer(dev, n, dt, num=next(slots)).reshape(shape)
def sharded(shape, axis, dev=D2, dt=f32):
  return buf(tuple(s // len(dev) if i == axis else s for i, s in enumerate(shape)), dev, dt).unshard(axis)
def grid(shape, dt=f32):  # both axes of a matrix over 2 x 2 devices
  rng = UOp.range(4, -1, AxisType.DEVICE)
  return buf((shape[0] // 2, shape[1] // 2), D4, dt).unshard((0, 1), (rng // 2, rng % 2))
def threads(shape, axis, n=4):  # sharded over a LOCAL range, on no device
  rng = UOp.range(n, 7, AxisType.LOCAL)
  shard = tuple(s // n if i == axis else s for i, s in enumerate(shape))
  return UOp.placeholder(shard, f32, next(slots), AddrSpace.REG).unshard(axis, rng), rng

def case(name, make): cases.append((rules, name, make))
cases = []
rules = "multi_pm"

# ** values
case("param", lambda: UOp.param(3, f32, (4, 8), D2, axis=1))
case("param two", lambda: UOp.param(0, i32, (3,), D3, axis=0, volatile=True))
case("param whole", lambda: UOp.param(3, f32, (4, 8), D2))
case("add", lambda: sharded((4, 8), 0) + sharded((4, 8), 0))
case("add const", lambda: sharded((4, 8), 0).alu(Ops.ADD, C(2.0, f32)))
case("add whole", lambda: sharded((4, 8), 0) + buf((4, 8), D2))
case("add expanded", lambda: sharded((4, 8), 0) + C(2.0, f32).expand((4, 8)))
case("add other axis", lambda: sharded((4, 8), 0) + sharded((4, 8), 1))
case("add other axis turned", lambda: sharded((4, 8), 1) + sharded((4, 8), 0))
case("add three ways", lambda: (sharded((4, 8), 0) < sharded((4, 8), 0)).where(sharded((4, 8), 0), sharded((4, 8), 1)))
case("add row", lambda: sharded((4, 8), 1).alu(Ops.ADD, sharded((8,), 0)))
case("add broadcast axis", lambda: sharded((4, 8), 0).alu(Ops.MUL, buf((1, 8), D2)))
case("add row of another axis", lambda: sharded((4, 8), 0).alu(Ops.MUL, sharded((8,), 0)))
case("add uneven", lambda: sharded((4, 9), 0).alu(Ops.ADD, buf((9,), D2)) + C(0))
case("add row whole", lambda: sharded((6, 9), 0).alu(Ops.ADD, buf((9,), D2)))
case("add other devices", lambda: sharded((4, 8), 0).alu(Ops.ADD, sharded((4, 8), 1, ("B", "B:1"))))
case("add grid", lambda: grid((4, 8)) + grid((4, 8)))
case("add grid and other", lambda: grid((4, 8)) + sharded((4, 8), 0, D4))
case("add threads", lambda: threads((8, 3), 0)[0] + threads((8, 3), 0)[0])
case("add unsharded", lambda: buf((4, 8)) + buf((4, 8)))
case("sqrt", lambda: sharded((4, 8), 0).sqrt())
case("stack", lambda: UOp(Ops.STACK, src=(sharded((4, 8), 0), sharded((4, 8), 0))))
case("stack mixed", lambda: UOp(Ops.STACK, src=(buf((4, 8), D2), sharded((4, 8), 0))))
case("stack reshard", lambda: UOp(Ops.STACK, src=(sharded((4, 8), 0), sharded((4, 8), 1))))
case("stack unsharded", lambda: UOp(Ops.STACK, src=(buf((4, 8), D2), buf((4, 8), D2))))
case("reduce other", lambda: UOp(Ops.REDUCE, src=(sharded((4, 8), 1),), arg=(Ops.ADD, 1)))
case("reduce sharded", lambda: UOp(Ops.REDUCE, src=(sharded((4, 8), 0),), arg=(Ops.MAX, 1)))
case("reduce all", lambda: UOp(Ops.REDUCE, src=(sharded((4, 8), 1),), arg=(Ops.ADD, 2)))
case("reduce half", lambda: UOp(Ops.REDUCE, src=(buf((2, 8), D2, f16).cast(f32).unshard(0),), arg=(Ops.ADD, 2)))
case("reduce int cast", lambda: UOp(Ops.REDUCE, src=(buf((2, 8), D2, i32).cast(f32).unshard(0),), arg=(Ops.ADD, 2)))
case("reduce ones", lambda: UOp(Ops.REDUCE, src=(buf((1, 8), D2, f32).unshard(0),), arg=(Ops.ADD, 1)))
case("reduce grid", lambda: UOp(Ops.REDUCE, src=(grid((4, 8)),), arg=(Ops.ADD, 2)))
case("reduce part of grid", lambda: UOp(Ops.REDUCE, src=(grid((4, 8)),), arg=(Ops.ADD, 1)))
case("reduce threads", lambda: UOp(Ops.REDUCE, src=(threads((8, 3), 0)[0],), arg=(Ops.ADD, 1)))
case("reduce unsharded", lambda: UOp(Ops.REDUCE, src=(buf((4, 8), D2),), arg=(Ops.ADD, 1)))
def indexed(f, axis=0, shape=(8, 3)):
  t, rng = threads(shape, axis)
  return t.index(*f(rng))
case("index block", lambda: indexed(lambda r: (r * 2 + UOp.range(2, 1), UOp.range(3, 2))))
case("index strided", lambda: indexed(lambda r: (r + UOp.range(2, 1) * 2, UOp.range(3, 2))))
case("index own", lambda: indexed(lambda r: (r * 2 + 1, C(0))))
case("index across", lambda: indexed(lambda r: (UOp.range(8, 1), UOp.range(3, 2))))
case("index short", lambda: indexed(lambda r: (C(0),), 1, (3, 8)))
case("index unsharded", lambda: buf((4, 8)).index(C(1), C(2)))

# ** movement
case("reshape split", lambda: sharded((4, 8), 0).reshape((2, 2, 8)))
case("reshape join", lambda: sharded((4, 8), 0).reshape((32,)))
case("reshape other", lambda: sharded((4, 8), 0).reshape((4, 2, 4)))
case("reshape ones", lambda: sharded((4, 8), 1).reshape((4, 1, 8, 1)))
case("reshape inner", lambda: sharded((4, 8), 1).reshape((32,)))
case("reshape uneven", lambda: sharded((6, 8), 0).reshape((3, 2, 8)))
case("reshape grid", lambda: grid((4, 8)).reshape((2, 2, 4, 2)))
case("reshape counts", lambda: buf((2, 4), D4).unshard((0, 1), (UOp.range(2, 1, AxisType.LOCAL), UOp.range(4, 2, AxisType.LOCAL))).reshape((4, 1, 16)))
case("reshape unsharded", lambda: buf((4, 8), D2).reshape((2, 16)))
case("expand", lambda: sharded((4, 8), 1)._mop(Ops.EXPAND, (3, 5)))
case("expand unsharded", lambda: buf((4, 8), D2)._mop(Ops.EXPAND, (3, 5)))
case("pad other", lambda: sharded((4, 8), 0).pad(((0, 0), (1, 2))))
case("pad sharded", lambda: sharded((4, 8), 0).pad(((0, 2), (0, 0))))
case("pad unsharded", lambda: buf((4, 8), D2).pad(((0, 2), (0, 0))))
case("shrink other", lambda: sharded((4, 8), 0).shrink(((0, 4), (1, 3))))
case("shrink part", lambda: sharded((4, 8), 0).shrink(((2, 4), (0, 8))))
case("shrink part and other", lambda: sharded((6, 8), 0, D3).shrink(((2, 4), (1, 5))))
case("shrink across", lambda: sharded((4, 8), 0).shrink(((1, 3), (0, 8))))
case("shrink grid", lambda: grid((4, 8)).shrink(((0, 2), (0, 8))))
def own(axis):
  t, rng = threads((8, 4), axis)
  return t.shrink(((rng * 2, rng * 2 + 2), (0, 4)) if axis == 0 else ((1, 3), (rng, rng + 1)))
case("shrink own", lambda: own(0))
case("shrink own inner", lambda: own(1))
case("shrink own device", lambda: (lambda r: sharded((4, 8), 0).shrink(((r * 2, r * 2 + 2), (3, 5))))(UOp.range(2, -1, AxisType.DEVICE)))
case("shrink threads part", lambda: threads((8, 4), 0)[0].shrink(((2, 4), (0, 4))))
case("shrink unsharded", lambda: buf((4, 8), D2).shrink(((1, 3), (0, 8))))
case("permute", lambda: sharded((2, 4, 8), 1).permute((2, 0, 1)))
case("permute grid", lambda: grid((4, 8)).permute((1, 0)))
case("permute unsharded", lambda: buf((4, 8), D2).permute((1, 0)))
case("flip other", lambda: sharded((4, 8), 0).flip((1,)))
case("flip sharded", lambda: sharded((4, 8), 0).flip((0,)))
case("flip unsharded", lambda: buf((4, 8), D2).flip((0,)))

# ** copies, stores and calls
case("copy to one", lambda: sharded((4, 8), 0).copy_to_device("B"))
case("copy to one inner", lambda: sharded((4, 9), 1, D3).copy_to_device("A"))
case("copy grid to one", lambda: grid((4, 8)).copy_to_device("B"))
case("copy to all", lambda: sharded((4, 8), 0).copy_to_device(D2))
case("copy grid to all", lambda: grid((4, 8)).copy_to_device(D4))
case("copy same", lambda: buf((4,), "A").copy_to_device("B"))
case("store after", lambda: (lambda d, s: d.after(d.store(s)))(sharded((4, 8), 0), sharded((4, 8), 0)))
case("store after whole", lambda: (lambda d, s: d.after(d.store(s)))(sharded((4, 8), 0), buf((4, 8), D2)))
case("after call", lambda: (lambda d: d.after(UOp.sink(arg=KernelInfo()).call(d)))(sharded((4, 8), 0)))
case("after unsharded", lambda: (lambda d: d.after(d.store(buf((4, 8), D2))))(buf((4, 8), D2)))
case("allreduce", lambda: UOp(Ops.ALLREDUCE, src=(sharded((4, 8), 0),), arg=(Ops.ADD, D2)))
case("allreduce unsharded", lambda: buf((4, 8), D2).allreduce(Ops.ADD, D2))
case("gettuple", lambda: UOp.maketuple(buf((4,)), buf((8,))).gettuple(1))
def sharded_function(precompile=False):
  a, b = sharded((4, 8), 0), buf((4, 8), D2)
  body = UOp.maketuple(a.param_like(0) * 2.0, b.param_like(1) + 1.0)
  return body.call(a, b, precompile=precompile)
case("gettuple sharded", lambda: UOp(Ops.GETTUPLE, src=(UOp(Ops.UNSHARD, f32, src=(UOp.maketuple(buf((2, 8), D2)), UOp.range(2, -1, AxisType.DEVICE)), arg=(0,)),), arg=0, dtype=f32))
case("gettuple of value", lambda: UOp(Ops.GETTUPLE, src=(sharded((4, 8), 0),), arg=0, dtype=f32))
case("gettuple of function", lambda: sharded_function().gettuple(0))
case("function", lambda: sharded_function())
case("function unsharded", lambda: (lambda b: UOp.maketuple(b.param_like(0) + 1.0).call(b))(buf((4, 8), D2)))
case("function precompiled", lambda: sharded_function(True))
case("call args", lambda: UOp.sink(arg=KernelInfo()).call(buf((4, 8), D2), sharded((4, 8), 0)))
case("call args whole", lambda: UOp.sink(arg=KernelInfo()).call(buf((4, 8), D2)))
for op in (Ops.CONTIGUOUS, Ops.DETACH, Ops.CONTIGUOUS_BACKWARD): case(op.name, lambda op=op: UOp(op, src=(sharded((4, 8), 0),)))
case("cast", lambda: sharded((4, 8), 0).cast(f16))
case("bitcast", lambda: sharded((4, 8), 0).bitcast(i32))
case("cast unsharded", lambda: buf((4, 8), D2).cast(f16))
case("store value", lambda: buf((4, 8), D2).store(sharded((4, 8), 0)))
case("store value mismatch", lambda: buf((8, 4), D2).store(sharded((4, 8), 0)))
case("store dest", lambda: sharded((4, 8), 0).store(buf((4, 8), D2)))
case("store dest scalar", lambda: threads((8, 3), 0)[0].store(0.0))
case("store dest gated", lambda: UOp(Ops.STORE, src=(sharded((4, 8), 0), C(1.0, f32), C(True))))
case("store both", lambda: sharded((4, 8), 0).store(sharded((4, 8), 0)))
case("store unsharded", lambda: buf((4, 8), D2).store(buf((4, 8), D2)))

# ** selection and stacks over devices
case("broadcast", lambda: buf((4, 8)).copy_to_device(D3))
case("broadcast const", lambda: UOp(Ops.COPY, src=(C(1.0, f32).expand((4,)).contiguous() + 0.0,), arg=D2))
case("broadcast sum", lambda: UOp(Ops.COPY, src=(buf((4,)) + buf((4,)),), arg=D2))
case("to one", lambda: buf((4, 8), D2).copy_to_device("B"))
case("all to all", lambda: buf((4, 8), D2).copy_to_device(D2))
def stacked(copy=True):
  a, b = buf((8,), "B"), buf((8,), "C")
  return UOp.mstack(a.copy_to_device("A:1"), b.copy_to_device("A:2")) if copy else UOp.mstack(buf((8,), "A:1") + 1.0, buf((8,), "A:2"))
case("mselect of mstack", lambda: stacked().mselect(1))
case("mselect of buffer", lambda: buf((8,), D2).base.mselect(1))
case("mselect of movement", lambda: UOp(Ops.MSELECT, src=(buf((4, 8), D2).permute((1, 0)),), arg=1))
case("shrink of mstack", lambda: stacked().shrink(((2, 4),)))
case("shrink of mstack values", lambda: stacked(False).shrink(((2, 4),)))
case("shrink of mstack by device", lambda: (lambda r: stacked().shrink(((r * 4, r * 4 + 4),)))(UOp.range(2, -1, AxisType.DEVICE)))

# ** kernels that copy
rules = "pm_copy_from_store"
def copying(dst="A", src="B", body=None, more=()):
  d, s = UOp.param(0, f32, (16,), dst), UOp.param(1, f32, (16,), src)
  return (body or (lambda d, s: d.index(C(0)).store(s.index(C(0)))))(d, s).sink(arg=KernelInfo()).call(buf((16,), dst).base, buf((16,), src).base, *more)
def in_order(d, s):
  r = UOp.range(16, 0)
  return d.index(r).store(s.index(r)).end(r)
def in_rows(d, s):
  r, q = UOp.range(4, 0), UOp.range(4, 1)
  return d.index(r * 4 + q).store(s.index(r * 4 + q)).end(r, q)
def reversed_order(d, s):
  r = UOp.range(16, 0)
  return d.index(r).store(s.index(r * -1 + 15)).end(r)
case("copy element", lambda: copying())
case("copy element same device", lambda: copying("A", "A"))
case("copy element on disk", lambda: copying("DISK:x", "DISK:x"))
case("copy element several devices", lambda: copying(D2, D2))
case("copy in order", lambda: copying(body=in_order))
case("copy in order same device", lambda: copying("A", "A", in_order))
case("copy in order more arguments", lambda: copying(body=in_order, more=(buf((1,)).base,)))
case("copy in rows", lambda: copying(body=in_rows))
case("copy in rows same device", lambda: copying("A", "A", in_rows))
case("copy reversed", lambda: copying(body=reversed_order))
case("compute", lambda: copying("A", "A", lambda d, s: d.index(C(0)).store(s.index(C(0)) * 2.0)))
case("compute across", lambda: copying(body=lambda d, s: d.index(C(0)).store(s.index(C(0)).sqrt())))

# ** lists of kernels
rules = "pm_resolve_linear_call"
K = lambda n, *a: UOp.sink(arg=KernelInfo(name=n)).call(*a)
P = lambda i: UOp.param(i, f32, (16,), "A")
def linear(*calls): return UOp(Ops.LINEAR, src=calls)
case("resolve", lambda: linear(K("a", P(0), P(1)), K("b", P(1), P(0))).call(buf((16,)).base, buf((16,)).base))
case("resolve nested", lambda: linear(K("a", P(0)), linear(K("b", P(1), P(0))).call(P(0), P(1))).call(buf((16,)).base, buf((16,)).base))
case("resolve missing argument", lambda: linear(K("a", P(0), P(3))).call(buf((16,)).base))
def scalars():
  v, w = UOp.variable("n", 1, 10).bind(3), UOp.variable("m", 1, 10).bind(4)
  body = lambda i: UOp.sink(P(0).index(v.param_like(i)).store(C(1.0, f32)), arg=KernelInfo())
  return linear(body(1).call(P(0)), linear(body(0).call(P(1)), body(2).call(P(1))).call(w, P(0))).call(buf((16,)).base, v, w)
case("resolve scalars", scalars)
case("call of kernel", lambda: K("a", buf((16,)).base))
case("flatten", lambda: linear(K("a"), linear(K("b"), K("c")), linear()))
case("flat", lambda: linear(K("a"), K("b")))
rules = "pm_schedule"
case("schedule", lambda: (lambda p: p.after(p.store(P(1) * 2.0)).sink())(P(0)))
case("schedule kernel", lambda: UOp.sink(arg=KernelInfo()))

def write(name, lines):
  (HERE / name).write_text("".join(json.dumps(l, separators=(",", ":")) + "\n" for l in lines))
  print(name, len(lines))

def rewrite(pm, u):
  for p, match, early_reject in pm.pdict.get(u.op, []):
    if not early_reject.issubset({s.op for s in u.src}): continue
    ref = p.location[0].split("tinygrad/")[-1] + ":" + str(p.location[1])
    try: ret = match(u, None)
    except Exception as e: return ref, None, f"{type(e).__name__}: {e}"
    if ret is not None and ret is not u: return ref, ret, None
  return None, None, None

def rule_cases():
  for rules, name, make in cases:
    try: u = make()
    except Exception as e: raise RuntimeError(f"case {name}") from e
    ref, ret, err = rewrite(getattr(multi if rules == "multi_pm" else schedule, rules), u)
    t = Table()
    root = t.add(u)
    after = None if ret is None else t.add(ret)
    yield {"set": rules, "name": name, "fired": ref, "error": err is not None, "nodes": t.nodes, "root": root, "after": after}

def allreduce_cases():
  def one(name, function, u, **flags):
    UOp.unique_num = itertools.count(500)
    if function == "handle_allreduce":
      with Context(**flags): ret = allreduce.handle_allreduce(u.src[0], u)
    else: ret = allreduce.create_allreduce_function(u.src[0], u)
    t = Table()
    root = t.add(u)
    return {"function": function, "name": name, "flags": flags, "nodes": t.nodes, "root": root, "after": None if ret is None else t.add(ret)}
  v = UOp.variable("n", 1, 10)
  for devs in (D2, D3, D4):
    for to in (devs, "B"):
      for flags in ({}, {"RING": 2}, {"ALL2ALL": 2}, {"RING": 0}):
        for shape in ((5,), (96, 7), (1 << 18,)):
          yield one(f"{len(devs)} {to} {shape}", "handle_allreduce", (buf(shape, devs) * 2.0).allreduce(Ops.ADD, to), **flags)
  yield one("max", "handle_allreduce", buf((7,), D2).allreduce(Ops.MAX, D2))
  yield one("all2all 1", "handle_allreduce", buf((300000,), D3).allreduce(Ops.ADD, D3), ALL2ALL=1)
  yield one("symbolic", "handle_allreduce", buf((10,), D3).shrink(((0, v),)).allreduce(Ops.ADD, D3), RING=2)
  yield one("one device", "handle_allreduce", UOp(Ops.ALLREDUCE, src=(buf((4,)),), arg=(Ops.ADD, "A")))
  for name, u in (("plain", buf((4, 8), D2).allreduce(Ops.ADD, D2)), ("sum", (buf((4, 8), D3) * 2.0).allreduce(Ops.ADD, D3)),
                  ("to one", buf((4,), D2).allreduce(Ops.MAX, "B")), ("scalar", buf((1,), D2).reshape(()).allreduce(Ops.ADD, D2)),
                  ("row", buf((1, 8), D2).allreduce(Ops.ADD, ("a:0", "b:1"))), ("symbolic", buf((10,), D2).shrink(((0, v),)).allreduce(Ops.ADD, D2)),
                  ("tuple of one", buf((4,), ("A",)).allreduce(Ops.ADD, ("A",)))):
    yield one(name, "create_allreduce_function", u)

def spec_cases():
  v = UOp.variable("n", 1, 10)
  r = UOp.range(4, 0)
  b, p = buf((4, 8)).base, UOp.param(0, f32, (4,), "A")
  k = UOp.sink(arg=KernelInfo())
  def N(op, *src, dt=None, arg=None):
    if arg is None and op in {Ops.CALL, Ops.FUNCTION}: arg = CallInfo()
    if arg is None and op is Ops.STAGE: arg = BufferizeOpts(device="A")
    try: return UOp(op, dt, src, arg)
    except Exception: return UOp(op, dtypes.void, src, arg)  # no dtype follows from these sources
  good = [b, p, v, v.bind(3), k, k.call(b), b.after(k.call(b)), buf((4, 8)), buf((4,), D2).base.mselect(1), b.index(C(1)), b.index(r), b.index(C(1)).store(C(1.0, f32)),
    r, C(1), C(1.0), C(True), UOp.invalid(), C(1.0, f16), C(-1, dtypes.uint8), UOp(Ops.CONST, i32, arg=1.5), UOp(Ops.CONST, f32, arg=True), N(Ops.CONST, b, dt=f32, arg=1.0),
    N(Ops.STACK), N(Ops.STACK, C(1), C(2)), N(Ops.STACK, C(1), v), N(Ops.STACK, C(1), v.bind(3)), N(Ops.STACK, b, b), N(Ops.STACK, b, C(1.0), dt=f32), N(Ops.STACK, b, p),
    b + b, b < b, N(Ops.ADD, b, C(1), dt=f32), N(Ops.ADD, b, C(1, i32), dt=f32), N(Ops.CMPLT, b, C(1, i32)), N(Ops.CMPLT, b, C(1)), N(Ops.AND, b, b), N(Ops.AND, r, r),
    N(Ops.SHL, r, C(1)), N(Ops.SHL, r, C(1, dtypes.uint32), dt=dtypes.weakint), N(Ops.SHL, r, C(1, dtypes.int64), dt=dtypes.weakint), N(Ops.CDIV, b, b), N(Ops.FLOORDIV, r, C(2)),
    N(Ops.WHERE, b < b, b, C(1.0)), N(Ops.WHERE, b < b, b, C(1, i32), dt=f32), b.cast(f16), N(Ops.CAST, b, dt=f16), b.bitcast(i32), N(Ops.RANGE, C(4), arg=(0, AxisType.LOOP)),
    N(Ops.RANGE, C(4), arg=(AxisType.LOOP,)), N(Ops.RANGE, C(4), arg=(0, 1)), N(Ops.RANGE, C(4), dt=i32, arg=(0, AxisType.LOOP)), N(Ops.INDEX, b, C(1.0)), N(Ops.END, b, r), N(Ops.END, b, C(1)),
    N(Ops.END, b, UOp(Ops.RANGE, dtypes.void, (N(Ops.NOOP),), (0, AxisType.LOOP)), C(True)), UOp.placeholder((4,), f32, 0, AddrSpace.LOCAL), UOp.placeholder((4,), f32, 0, AddrSpace.REG),
    N(Ops.GROUP, b.store(b), N(Ops.NOOP)), N(Ops.GROUP, b, b), b.after(b.store(b)), N(Ops.AFTER, b, k.call(b), dt=f16), N(Ops.AFTER, C(1.0)), N(Ops.CUSTOM, arg="x", dt=f32), N(Ops.PYLITERAL, arg="x"),
    N(Ops.CALL, UOp(Ops.GETADDR, src=(b,), arg="A"), dt=dtypes.void), N(Ops.CALL, C(1, i32), dt=f32), N(Ops.CALL, b.store(b)), N(Ops.BARRIER), N(Ops.INS, arg=1), b.index(r).load(), b.load(),
    b.index(r).load(C(1.0, f32), C(True)), b.index(r).load(C(1, i32), C(True)), b.index(r).cast(f16).load(), N(Ops.LOAD), b.index(r).store(C(1.0, f32), C(True)), b.store(b), N(Ops.STORE, b), N(Ops.STORE, b, b, C(True)),
    N(Ops.WMMA, buf((4,)), buf((4,)), buf((4,)), arg=(1, 2, 3, 4, 5)), N(Ops.WMMA, buf((4,)), buf((4,)), buf((4,)), arg=1),
    b.sqrt(), N(Ops.SQRT, C(4, i32), dt=i32), UOp(Ops.BUFFER, f32, (C(4),), ParamArg(0, f32)), UOp(Ops.BUFFER, f32, (C(4.0),), b.arg), N(Ops.CUSTOM_FUNCTION, arg="f"), N(Ops.CUSTOM_FUNCTION, arg=1),
    N(Ops.LINEAR, k.call(b)).call(b), N(Ops.CALL, N(Ops.COPY, p, arg="B"), b), N(Ops.CALL, N(Ops.CUSTOM_FUNCTION, arg="f")), N(Ops.FUNCTION, UOp.maketuple(b)), N(Ops.FUNCTION, b), UOp.maketuple(b, p),
    UOp.maketuple(b).gettuple(0), N(Ops.GETTUPLE, UOp.maketuple(b), dt=f32, arg=-1), N(Ops.GETTUPLE, UOp.maketuple(b), dt=f16, arg=0), N(Ops.FUNCTION, UOp.maketuple(b)).gettuple(0), N(Ops.GETTUPLE, b, dt=f32, arg=0),
    UOp.special(4, "gidx0"), UOp(Ops.SPECIAL, src=(C(4),), arg=3), N(Ops.RESHAPE, b), N(Ops.EXPAND, b, C(4)), N(Ops.PAD, b, C(1), C(40)), N(Ops.PAD, b, C(1), N(Ops.STACK, C(1), C(2))), N(Ops.PAD, b, C(1)),
    N(Ops.PERMUTE, b, arg=(0,)), N(Ops.PERMUTE, b, arg=0), N(Ops.FLIP, b, arg=(True,)), N(Ops.REDUCE, b, arg=(Ops.ADD, 1)), N(Ops.REDUCE, b, r, arg=(Ops.ADD, 0)), N(Ops.REDUCE, b, arg=(Ops.SUB, 1)), N(Ops.REDUCE, b, arg=Ops.ADD),
    N(Ops.REDUCE, b, C(1.0), arg=(Ops.ADD, 0)), N(Ops.COPY, b, arg="B"), N(Ops.COPY, b, arg=D2), N(Ops.COPY, b, arg=1), N(Ops.COPY, b, dt=f16, arg="B"), N(Ops.ALLREDUCE, b, arg=(Ops.ADD, D2)), N(Ops.ALLREDUCE, b, arg=(Ops.ADD, 1)),
    N(Ops.ALLREDUCE, b, arg=(Ops.SUB, D2)), sharded((4, 8), 0), N(Ops.UNSHARD, b, arg=(0,)), N(Ops.UNSHARD, b, C(1, i32), arg=(0,)), N(Ops.UNSHARD, b, r, arg=("x",)), N(Ops.MSELECT, b, arg=0), N(Ops.MSELECT, buf((4,), D2).base, arg=2),
    N(Ops.MSTACK, b, b), N(Ops.MSTACK, buf((4,), D2).base), N(Ops.MSTACK, C(1.0, f32), C(1.0, f32)), N(Ops.MSTACK, C(1.0, f32), C(2.0, f32)), N(Ops.DETACH, b), N(Ops.CONTIGUOUS, b), N(Ops.CONTIGUOUS, b, dt=f16),
    N(Ops.STAGE, b), N(Ops.STAGE), N(Ops.LINEAR), N(Ops.SOURCE, arg="x"), N(Ops.SOURCE, b, arg="x"), N(Ops.BINARY, arg=b"x"), N(Ops.PROGRAM, k), N(Ops.PROGRAM, k, N(Ops.LINEAR)), N(Ops.PROGRAM, k, N(Ops.LINEAR), N(Ops.SOURCE, arg="x")),
    N(Ops.PROGRAM, k, N(Ops.LINEAR), N(Ops.SOURCE, arg="x"), N(Ops.BINARY, arg=b"x")), N(Ops.PROGRAM, N(Ops.LINEAR)), N(Ops.IF, C(True)), N(Ops.ENDIF), N(Ops.REWRITE_ERROR, arg="x"), N(Ops.NOOP), N(Ops.NOOP, b, dt=f32),
    N(Ops.AFTER, buf((4,), D2).base.mselect(1), k.call(b)), N(Ops.AFTER, b.bitcast(i32), k.call(b)), N(Ops.AFTER, b + b, k.call(b)), N(Ops.STORE, v, C(1)), N(Ops.STORE, b, C(1.0, f32))]
  for name, pm in (("spec_kernel_graph", spec_kernel_graph), ("spec_tensor", spec_tensor)):
    for i, u in enumerate(good):
      try: accepted = pm.rewrite(u) is True
      except Exception: accepted = None
      t = Table()
      yield {"set": name, "name": f"{i} {u.op.name}", "accepted": accepted, "nodes": t.nodes, "root": t.add(u)}

write("rule_cases.jsonl", list(rule_cases()))
write("allreduce.jsonl", list(allreduce_cases()))
write("spec.jsonl", list(spec_cases()))
