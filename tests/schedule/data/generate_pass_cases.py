#!/usr/bin/env python3
"""Writes pass_cases.jsonl.gz beside it by asking the reference:
PYTHONPATH=<reference>:tests/reference DEV=NULL VIZ=1 generate_pass_cases.py

Small graphs for the rules that no program of the golden corpus makes fire, each run through one pass: the pass and those
inside it, match by match. Lines are as in the corpus (tests/golden/README.md); `suite` is the rule set, "contiguous_view"
the function of that name.
"""
import gzip, json, os, pathlib, itertools
from tinygrad.dtype import dtypes, Invalid, AddrSpace
from tinygrad.helpers import Context
from tinygrad.uop import Ops
from tinygrad.uop.ops import CallInfo, KernelInfo, ParamArg, UOp, graph_rewrite, shape_to_shape_arg
from tinygrad.schedule import rangeify as R
from tinygrad.schedule.indexing import BufferizeOpts
import recording
from uopjson import Table

HERE = pathlib.Path(__file__).resolve().parent
SETS = {
  "pm_fold_moved_after": (R.pm_fold_moved_after, False, dict),
  "earliest rewrites": (R.pm_mops+R.earliest_rewrites, True, lambda: None),
  "pm_const_buffer_folding": (R.pm_const_buffer_folding, False, lambda: None),
  "pm_add_buffers": (R.pm_add_buffers, True, lambda: itertools.count(0)),
  "kernel split": (R.to_define_global+R.pm_flatten_range+R.rangeify_codegen, True, R.LocalAddBufferContext),
  "pm_no_indexing_calls": (R.pm_no_indexing_calls, False, lambda: None),
}
cases = []
def case(suite, name, graph, **flags):
  recording.begin()
  with Context(**flags):
    if suite == "contiguous_view": graph.contiguous_view()
    else:
      pm, bottom_up, ctx = SETS[suite]
      graph_rewrite(graph, pm, ctx=ctx(), bottom_up=bottom_up, name=suite)
  table = Table()
  root = table.add(graph)
  inputs = len(table.nodes)
  passes = recording.passes(table)
  fired = sum(len(p[7]) for p in passes)
  print(f"{suite}: {name}: {len(passes)} passes, {fired} matches")
  cases.append({"name": name, "suite": suite, "flags": flags, "nodes": table.nodes, "root": root, "passes": passes,
                "counts": {"input_nodes": inputs, "passes": len(passes), "matches": fired}})

def param(slot, shape, dtype=dtypes.float32, device="CPU"): return UOp.param(slot, dtype, shape, device)
def buffer(slot, size, dtype=dtypes.float32, device="CPU"): return UOp(Ops.BUFFER, src=(shape_to_shape_arg((size,)),), arg=ParamArg(slot, dtype, device=device))
def stage(x, *rngs, **kwargs): return UOp(Ops.STAGE, src=(x,)+rngs, arg=BufferizeOpts(device="CPU", **kwargs))

# ** values that are stored after being moved
a, b = param(0, (2, 3)), param(1, (2, 3))
x = a + b
def moved(stored, target): return UOp.sink(target.after(target.store(stored)), x * 2, a * 2)
case("pm_fold_moved_after", "permute", moved(x.permute((1, 0)), param(2, (3, 2))))
case("pm_fold_moved_after", "permute of reshape", moved(x.reshape((3, 2)).permute((1, 0)), param(2, (2, 3))))
case("pm_fold_moved_after", "cast to half is kept", moved(x.cast(dtypes.half), param(2, (2, 3), dtypes.half)))
case("pm_fold_moved_after", "cast to half", moved(x.reshape((6,)).cast(dtypes.half), param(2, (6,), dtypes.half)), FLOAT16=1)
pad = x.pad(((1, 2), (0, 1)))
case("pm_fold_moved_after", "pad with invalid", moved(UOp.const(True).where(pad, UOp(Ops.EXPAND, src=(UOp.const(Invalid), shape_to_shape_arg(pad.shape)))), param(2, (5, 4))))
case("pm_fold_moved_after", "pad with zero is kept", moved(UOp.const(True).where(pad, pad.const_like(0.0)), param(2, (5, 4))))
case("pm_fold_moved_after", "not moved", moved(x, param(2, (2, 3))))

# ** the earliest rewrites
r = UOp.range(4, 0)
t, v = param(0, (4,)), param(1, (4,), dtypes.int32)
case("earliest rewrites", "end of a movement op", UOp.sink(t.reshape((2, 2)).end(r)))
case("earliest rewrites", "end of what is not moved", UOp.sink(t.end(r)))
case("earliest rewrites", "store through a bitcast", UOp.sink(t.after(t.bitcast(dtypes.int32).store(v))))
case("earliest rewrites", "store of a bitcast", UOp.sink(t.after(t.store(v.bitcast(dtypes.float32)))))
empty = param(2, (0, 3))
for op in (Ops.ADD, Ops.MUL, Ops.MAX): case("earliest rewrites", f"{op.name} of nothing", UOp.sink(param(3, (3,)).after(param(3, (3,)).store(UOp(Ops.REDUCE, src=(empty,), arg=(op, 1)) + 1))))
case("earliest rewrites", "reduce of something to nothing", UOp.sink(UOp(Ops.REDUCE, src=(param(2, (3, 0)),), arg=(Ops.ADD, 1)).contiguous()))
for to in (dtypes.int64, dtypes.uint8, dtypes.int16): case("earliest rewrites", f"bitcast to {to.name}", UOp.sink((v.bitcast(to) + 1).contiguous()))
case("earliest rewrites", "bitcast on disk", UOp.sink((param(5, (4,), dtypes.int32, "DISK:/f").bitcast(dtypes.uint8) + 1).contiguous()))
case("earliest rewrites", "store hazard by permute", UOp.sink(a.after(a.store(a.reshape((3, 2)).permute((1, 0)) + 1))))
case("earliest rewrites", "store hazard by flip, in two steps", UOp.sink(a.after(a.store((a.flip((0,)) + 1).flip((1,)) * b))))
case("earliest rewrites", "no hazard behind contiguous", UOp.sink(a.after(a.store(a.flip((0,)).contiguous() + 1))))
case("earliest rewrites", "no hazard in place", UOp.sink(a.after(a.store(a + b.flip((0,))))))
part = t.shrink(((0, 2),))
case("earliest rewrites", "store hazard of overlapping parts", UOp.sink(t.after(part.store(t.shrink(((1, 3),)) + 1))))
case("earliest rewrites", "no hazard of a part with itself", UOp.sink(t.after(part.store(part + 1))))

# ** stages
i = UOp.range(4, 1)
case("pm_const_buffer_folding", "end of a movement op", UOp.sink(t.reshape((2, 2)).end(r)))
inner = stage(t.index(r) + 1, r)
case("pm_const_buffer_folding", "stage of a stage's own elements", UOp.sink(stage(inner.index(i), i)))
case("pm_const_buffer_folding", "the same through a noop", UOp.sink(stage(inner.index(i).f(Ops.NOOP), i)))
case("pm_const_buffer_folding", "through a noop, other elements", UOp.sink(stage(inner.index(i * 0 + i).f(Ops.NOOP), i)))
buf = buffer(7, 4)
inv = UOp.const(Invalid)
def after_store(place, value, *rngs): return buf.after(place.store(value).end(*rngs))
case("pm_const_buffer_folding", "all of a buffer is invalid", UOp.sink(after_store(buf.index(r), inv, r).index(i)))
case("pm_const_buffer_folding", "all but some of a buffer is invalid", UOp.sink(after_store(buf.index(r3 := UOp.range(3, 5)), inv, r3).index(i)))
case("pm_const_buffer_folding", "one element is invalid again and again", UOp.sink(after_store(buf.index(UOp.const(1)), inv, r).index(i)))
case("pm_const_buffer_folding", "a valid store", UOp.sink(after_store(buf.index(r), t.index(r), r).index(i)))
case("pm_const_buffer_folding", "noop of a constant", UOp.sink(UOp.const(2.0).f(Ops.NOOP)))
case("pm_const_buffer_folding", "noop of a value", UOp.sink(t.index(r).f(Ops.NOOP)))
case("pm_const_buffer_folding", "stack without devices", UOp.sink(UOp(Ops.MSTACK, src=(r * 2, r * 2)).index(i)))
case("pm_const_buffer_folding", "stack of devices", UOp.sink(UOp(Ops.MSTACK, src=(t, param(1, (4,), device="CPU:1"))).index(i)))

# ** stores
case("pm_add_buffers", "end of a movement op", UOp.sink(t.reshape((2, 2)).end(r)))
weak = t.cast(dtypes.weakfloat)
case("pm_add_buffers", "element of a weak cast", UOp.sink(weak.index(r) + 1))
case("pm_add_buffers", "element of a cast", UOp.sink(t.cast(dtypes.half).index(r) + 1))
case("pm_add_buffers", "weak stage", UOp.sink(stage(r.cast(dtypes.weakfloat) * 2, r).index(i)))
case("pm_add_buffers", "store of a contiguous invalid", UOp.sink(buf.after(buf.index(r).store(UOp(Ops.CONTIGUOUS, src=(inv,))).end(r))))
case("pm_add_buffers", "store of an invalid", UOp.sink(buf.after(buf.index(r).store(inv).end(r), buf.index(r).store(t.index(r)).end(r))))
case("pm_add_buffers", "local stage", UOp.sink(stage(t.index(r), r, addrspace=AddrSpace.LOCAL).index(i)))
case("pm_add_buffers", "stage over two ranges", UOp.sink(stage(a.index(r2 := UOp.range(2, 3), r3), r2, r3).index(UOp.const(1), r3)))

# ** kernels
tag = lambda u: u.rtag(())
var = UOp.variable("n", 1, 10)
bound = var.bind(5)
case("kernel split", "bound variable", buf.index(r).store((t.index(r) * bound.cast(dtypes.float32))).end(r))
case("kernel split", "free variable", buf.index(r).store((t.index(r) * var.cast(dtypes.float32))).end(r))
case("kernel split", "noop", buf.index(r).store(t.index(r).f(Ops.NOOP)).end(r))
case("kernel split", "marked ranges and parameters", buf.index(tag(r)).store(tag(t).index(tag(r)) + tag(v).index(tag(r)).cast(dtypes.float32)).end(tag(r)))
scalar = UOp(Ops.PARAM, src=(shape_to_shape_arg(()),), arg=ParamArg(3, dtypes.int32, (0, 7), None, "p3", AddrSpace.ALU))
case("kernel split", "scalar parameter", buf.index(r).store(scalar.index().cast(dtypes.float32)).end(r))
case("kernel split", "shards", buf.index(r).store(UOp(Ops.MSTACK, src=(t, param(1, (4,), device="CPU:1"))).index(r)).end(r))
case("kernel split", "buffer after a kernel", buf.index(r).store(buffer(8, 4).after(UOp(Ops.NOOP)).index(r)).end(r))

# ** calls
body = UOp(Ops.SINK, arg=KernelInfo())
def call(*args): return UOp.sink(UOp(Ops.CALL, src=(body,)+args, arg=CallInfo()))
case("pm_no_indexing_calls", "index", call(t.index(UOp.const(0)), t))
case("pm_no_indexing_calls", "shrink from the start", call(t.shrink(((0, 2),)), t))
case("pm_no_indexing_calls", "shrink from further on", call(t.shrink(((1, 3),))))
case("pm_no_indexing_calls", "stack of shrinks", call(UOp(Ops.MSTACK, src=(t.shrink(((0, 2),)), param(1, (4,), device="CPU:1").shrink(((0, 2),))))))
case("pm_no_indexing_calls", "whole buffers", call(t, v))

# ** views
m = param(0, (4, 6))
views = {"whole": m, "row": m.shrink(((1, 2), (0, 6))), "rows": m.shrink(((1, 3), (0, 6))), "column": m.shrink(((0, 4), (2, 3))), "element": m.shrink(((2, 3), (5, 6))),
         "permuted": m.permute((1, 0)), "flipped": m.flip((0,)), "padded": m.pad(((0, 1), (0, 0))), "expanded": m.reshape((1, 4, 6)).expand((2, 4, 6)),
         "bitcast": m.bitcast(dtypes.int32), "part of a bitcast": m.bitcast(dtypes.int32).shrink(((1, 2), (0, 6))),
         "bitcast to bytes": m.reshape((24,)).bitcast(dtypes.uint8).shrink(((8, 32),)), "bitcast to wider": m.bitcast(dtypes.int64).shrink(((1, 2), (0, 3))),
         "bytes out of step": m.reshape((24,)).bitcast(dtypes.uint8).shrink(((3, 7),)), "a sum": m + 1, "scalar": param(1, ()), "one of one": param(1, (1,)),
         "no views there": param(0, (4,), device="WEBGPU").shrink(((1, 2),)), "symbolic": m.shrink(((1, 3), (0, 6))).reshape((12,)).shrink(((0, var),))}
for name, view in views.items(): case("contiguous_view", name, view)

with gzip.GzipFile(HERE / "pass_cases.jsonl.gz", "wb", mtime=0) as f:
  for c in cases: f.write((json.dumps(c, separators=(",", ":")) + "\n").encode())
os._exit(0)
