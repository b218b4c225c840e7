"""Nodes, and a rewriter that tracks what it does the way tinygrad's does."""

import functools
import itertools
import sys
from dataclasses import dataclass
from typing import Any

from tinygrad.dtype import AddrSpace, DType, dtypes
from tinygrad.helpers import TRACEMETA, VIZ, ContextVar, Metadata, TracingKey
from tinygrad.uop import Ops

TRACK_MATCH_STATS = ContextVar("TRACK_MATCH_STATS", 2 if VIZ else 0)
ucount = itertools.count()
uop_fields = {}
tracked_keys, tracked_ctxs, active_rewrites = [], [], []


@dataclass(frozen=True)
class ParamArg:
  slot: int
  dtype: DType
  vmin_vmax: tuple | None = None
  multiple_of: int | None = None
  name: str | None = None
  addrspace: Any = AddrSpace.GLOBAL
  axis: int | None = None
  device: Any = None
  volatile: bool = False


@dataclass(frozen=True)
class KernelInfo:
  name: str = "test"
  axis_types: tuple = ()
  dont_use_locals: bool = False
  applied_opts: tuple = ()
  opts_to_apply: tuple | None = None
  estimates: Any = None
  beam: int = 0


@dataclass(frozen=True)
class ProgramInfo:
  name: str = "test"
  global_size: tuple = (1, 1, 1)
  local_size: tuple | None = None


@dataclass(frozen=True)
class Estimates:
  ops: int = 0
  lds: int = 0
  mem: int = 0


class UOp:
  cache = {}

  def __new__(cls, op, dtype=dtypes.void, src=(), arg=None, tag=None):
    key = (op, dtype, src, arg, type(arg), tag)
    if key not in cls.cache:
      made = cls.cache[key] = super().__new__(cls)
      made.op, made.dtype, made.src, made.arg, made.tag = op, dtype, src, arg, tag
    return cls.cache[key]

  def __reduce__(self):
    return UOp, (self.op, self.dtype, self.src, self.arg, self.tag)

  @functools.cached_property
  def trace_num(self):
    srcs = tuple(s.trace_num for s in self.src)
    n = next(ucount)
    uop_fields[n] = (self.op, self.dtype, srcs, self.arg, self.tag) + (((Metadata("relu"),),) if TRACEMETA.value >= 2 else ())
    return n


@dataclass(frozen=True)
class TrackedGraphRewrite:
  loc: tuple
  sink: int
  matches: list
  name: str
  depth: int
  bottom_up: bool
  walk: bool
  enter_calls: bool


@dataclass(frozen=True)
class RewriteTrace:
  keys: list
  rewrites: list
  uop_fields: dict


def graph_rewrite(sink, rules, name="graph_rewrite"):
  """Top-down from the sources: rules are (location, function of a node that gives a node, None, or raises)."""
  if not tracked_ctxs:
    tracked_keys.append(TracingKey("default graph_rewrite", ("default graph_rewrite",)))
    tracked_ctxs.append([])
  frame = sys._getframe(1)
  tracked = TrackedGraphRewrite((frame.f_code.co_filename, frame.f_lineno), sink.trace_num, [], name, len(active_rewrites), False, False,
                                False)
  tracked_ctxs[-1].append(tracked)
  active_rewrites.append(tracked)
  done = {}

  def rewrite(u):
    if u not in done:
      srcs = tuple(map(rewrite, u.src))
      new = UOp(u.op, u.dtype, srcs, u.arg, u.tag)
      for location, rule in rules:
        try:
          made = rule(new)
        except Exception as e:
          tracked.matches.append((new.trace_num, UOp(Ops.REWRITE_ERROR, src=new.src, arg=f"{type(e).__name__}\n{e}").trace_num, location, 0))
          raise
        if made is not None and made is not new:
          tracked.matches.append((new.trace_num, made.trace_num, location, 1.5e-6))
          new = rewrite(made)
          break
      done[u] = new
    return done[u]
  result = rewrite(sink)
  active_rewrites.pop()
  return result
