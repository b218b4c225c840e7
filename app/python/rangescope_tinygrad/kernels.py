"""Kernels and their order of execution, from the passes of schedules and of code generation."""

import json
import re

from .names import OP

_CALL, _SINK, _COPY, _LINEAR, _PROGRAM, _SOURCE = (OP[n] for n in "CALL SINK COPY LINEAR PROGRAM SOURCE".split())


def plain(name):
  """Without the colours of a terminal."""
  return re.sub(r"\x1b\[[0-9;]*m", "", name)


class Kernel:
  def __init__(self, id, section, ast, name):
    self.id, self.section, self.ast, self.name = id, section, ast, name
    self.sink = self.linear = self.source = self.global_size = self.local_size = self.ops = self.bytes = self.access_bytes = None
    self.program = None
    self.keys = ()


def kernel_of_section(id, section, passes, group, number, nodes, programs):
  """The kernel whose code a section generates; None where it holds no 'View Base AST'."""
  named = {}
  for p in passes:
    if p.depth == 0:
      named.setdefault(p.name, p)
  base = named.get("View Base AST")
  if base is None:
    return None
  k = Kernel(id, section, number[base.sink], plain(group.name))
  k.keys = group.keys
  output = named.get("View Output AST")
  if output is not None:
    k.sink = number[output.sink]
  view = named.get("View Program")
  program = number[view.sink] if view is not None else 0
  if program and nodes.op[program] == _PROGRAM:
    k.program = program
    for s in nodes.sources(program):
      if nodes.op[s] == _LINEAR:
        k.linear = json.dumps(list(nodes.sources(s)), separators=(",", ":"))
      elif nodes.op[s] == _SOURCE and nodes.arg[s]:
        k.source = json.loads(nodes.args[nodes.arg[s] - 1])
    info = programs.get(program)
    if info is not None:
      k.global_size, k.local_size, (k.ops, k.bytes, k.access_bytes) = info
  return k


def program_info(arg, sink_arg):
  """Sizes (JSON) and work of a PROGRAM, from its ProgramInfo and the KernelInfo of its SINK."""
  def size(values):
    if values is None:
      return None
    return json.dumps([v if isinstance(v, int) and not isinstance(v, bool) else None for v in values], separators=(",", ":"))
  estimates = getattr(sink_arg, "estimates", None)
  work = tuple(v if isinstance(v, int) else None for v in (getattr(estimates, a, None) for a in ("ops", "mem", "lds")))
  return size(getattr(arg, "global_size", None)), size(getattr(arg, "local_size", None)), work


def schedule_items(linear, nodes, kernel_of_ast):
  """Rows (kind, ast, kernel id or None, [buffers]) of the CALLs under a LINEAR."""
  if not linear or nodes.op[linear] != _LINEAR:
    return
  for call in nodes.sources(linear):
    if nodes.op[call] != _CALL:
      continue
    ast, *buffers = nodes.sources(call)
    kernel = kernel_of_ast.get(ast)
    kind = "kernel" if nodes.op[ast] in (_SINK, _PROGRAM) else "copy" if nodes.op[ast] == _COPY else "call"
    yield kind, ast, kernel, buffers
