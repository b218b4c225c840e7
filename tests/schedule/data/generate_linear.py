#!/usr/bin/env python3
"""Writes memory.jsonl and linear.jsonl beside it by asking the reference:

  PYTHONPATH=<reference>:tests/reference DEV=NULL generate_linear.py

A case of memory.jsonl: "root" is a LINEAR, "held" the buffers to keep, "after" the LINEAR with its memory plan. A case of linear.jsonl: "root" is
what create_linear_with_vars is given, "after" its LINEAR, "vars" the values of variables, or "error". Unnamed buffers get slots from "slot" on.
"""
import itertools, json, pathlib, random
from uopjson import Table
from tinygrad import Tensor, dtypes, function
from tinygrad.helpers import Context
from tinygrad.uop.ops import KernelInfo, Ops, UOp
import tinygrad.schedule as schedule
from tinygrad.schedule.memory import memory_plan_rewrite

HERE = pathlib.Path(__file__).parent

def write(name, lines):
  (HERE / name).write_text("".join(json.dumps(l, separators=(",", ":")) + "\n" for l in lines))
  print(name, len(lines))

def memory_case(rng, name, steps, devices, dts):
  bufs = [UOp.new_buffer(rng.choice(devices), rng.choice((1, 3, 64, 100, 1000, 4096, 70000)), rng.choice(dts), num=i) for i in range(steps)]
  ids = list(range(len(bufs)))
  calls = []
  for i in range(steps):
    near = [b for j, b in zip(ids, bufs) if abs(j - i) < rng.choice((2, 4, 8))] or bufs[:1]
    args = rng.sample(near, min(len(near), rng.randint(1, 4)))
    if rng.random() < .15: args.append(UOp.param(i, dtypes.float, (4,), "A"))
    multi = [a for a in args if isinstance(a.device, tuple)]
    if multi and rng.random() < .5: args.append(multi[0].mselect(0))
    single = [a for a in args if isinstance(a.device, str)]
    if len(single) > 1 and rng.random() < .2: args.append(UOp.mstack(*single[:2]))
    body = UOp(Ops.COPY, src=(UOp.param(1, dtypes.float, (4,), "A"),), arg="B") if rng.random() < .2 else UOp.sink(arg=KernelInfo(name=f"k{i}"))
    calls.append(body.call(*args))
  held = {b for b in bufs if rng.random() < .2}
  linear = UOp(Ops.LINEAR, src=tuple(calls))
  UOp.unique_num = itertools.count(1000)
  after = memory_plan_rewrite(linear, held)
  t = Table()
  return {"name": name, "slot": 1000, "root": t.add(linear), "held": [t.add(b) for b in held], "after": t.add(after), "nodes": t.nodes}

def memory_cases():
  rng = random.Random(11)
  for i in range(24):
    yield memory_case(rng, f"random {i}", rng.choice((1, 2, 5, 12, 40)), rng.choice((("A",), ("A", "B"), ("A", "A:1", ("A", "A:1")), ("A", "DISK:x", "CL", "WEBGPU"))),
                      rng.choice(((dtypes.float,), (dtypes.float, dtypes.half, dtypes.int8, dtypes.double))))

# ** whole programs: what realize() hands to the scheduler
captured = []
real_create = schedule.create_linear_with_vars
def capture(big_sink):
  start = next(UOp.unique_num) + 10000
  UOp.unique_num = itertools.count(start)
  t = Table()
  case = {"root": t.add(big_sink), "slot": start}
  try:
    linear, var_vals = real_create(big_sink)
  except Exception as e:
    captured.append({**case, "error": True, "nodes": t.nodes})
    raise
  captured.append({**case, "error": False, "after": t.add(linear), "vars": var_vals, "nodes": t.nodes})
  return linear, var_vals

def programs():
  V = lambda name, v: UOp.variable(name, 1, 10).bind(v)
  def assign():
    a = Tensor.arange(8).contiguous().realize()
    yield a.assign(a * 2 + 1)
  def chain():
    x = Tensor.empty(64, 64)
    for _ in range(5): x = (x @ Tensor.empty(64, 64)).relu().contiguous()
    yield x
  def devices():
    x = Tensor.empty(16, device="NULL")
    yield ((x + 1).contiguous().to("NULL:1") * 2).contiguous().to("NULL") + x
  def sharded():
    x = Tensor.empty(8, 8).shard(("NULL:1", "NULL:2"), axis=0)
    yield (x * 2).sum(0), x.sum()
  def symbolic():
    v = V("n", 4)
    yield Tensor.empty(10)[:v].sum() + v
  def two_variables():
    v, w = V("n", 4), V("m", 3)
    yield Tensor.empty(10, 10)[:v, :w].contiguous().sum() * 2
  def functions():
    @function
    def f(a, b): return (a @ b).relu(), a + 1
    x, y = f(Tensor.empty(8, 8), Tensor.empty(8, 8))
    z, _ = f(y, x)
    yield z, y
  def precompiled():
    @function(precompile=True)
    def g(a): return a.sum(0).contiguous() * 2
    x = g(Tensor.empty(8, 8))
    yield x + g(Tensor.empty(8, 8) + 1)
  def precompiled_symbolic():
    @function(precompile=True)
    def g(a): return a.sum(0).contiguous() * 2
    v = V("n", 5)
    yield g(Tensor.empty(10, 4)[:v])
  def setitem():
    a = Tensor.zeros(16).contiguous().realize()
    a[2:5] = 3
    a[4:8] = a[0:4] + 1
    yield a
  def twice():
    for _ in range(2): yield (Tensor.empty(32) + 1).sum() * 3
  def allreduce():
    x = Tensor.empty(4, 300).shard(("NULL:1", "NULL:2", "NULL:3"), axis=1)
    yield (x * 2).sum(1).contiguous() + 1
  return [assign, chain, devices, sharded, symbolic, two_variables, functions, precompiled, precompiled_symbolic, setitem, twice, allreduce]

def linear_cases():
  import sys
  for m in list(sys.modules.values()):
    if getattr(m, "create_linear_with_vars", None) is real_create and m is not sys.modules[__name__]: m.create_linear_with_vars = capture
  for make in programs():
    for flags in ({}, {"SCACHE": 0}, {"NO_MEMORY_PLANNER": 1}):
      if flags and make.__name__ not in ("chain", "twice", "precompiled", "allreduce"): continue
      schedule.schedule_cache.clear()
      captured.clear()
      with Context(**flags):
        try:
          for out in make():
            outs = out if isinstance(out, tuple) else (out,)
            Tensor.realize(*outs)
        except Exception as e: print(make.__name__, type(e).__name__, str(e)[:200])
      for i, c in enumerate(captured): yield {"name": f"{make.__name__} {i} {flags or ''}".strip(), "flags": flags, "step": i, **c}

write("memory.jsonl", list(memory_cases()))
write("linear.jsonl", list(linear_cases()))
