"""The one session of a process: the graph, the device, and which line of the user's script is at work."""
from __future__ import annotations

import os
import sys
import time

from . import _core

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep

# RANGESCOPE_DEVICE: part of a Vulkan device's name, or "eval" for the interpreter.
core = _core.Session(os.environ.get("RANGESCOPE_DEVICE", ""), int(time.time()) & 0xFFFFFFFF)


def script_line() -> str:
  """Where the program stands that called into the package: file:line."""
  frame = sys._getframe(1)
  while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
    frame = frame.f_back
  if frame is None:
    return ""
  return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"


def device_name() -> str:
  """The Vulkan device that computes, in words, or that there is none and the interpreter computes."""
  return core.device_name()


def kernel_count() -> int:
  """How many kernels the programs had that this process has computed so far. Data on its way to a device is one too."""
  return core.kernels_run()


class Context:
  """Settings of the scheduler while a block runs: `with Context(PCONTIG=2): ...`. TRAINING=1 switches dropout on.

  PCONTIG, SPLIT_REDUCEOP, MAX_KERNEL_BUFFERS, RING, ALL2ALL, ALLREDUCE_CAST, LATE_ALLREDUCE, FLOAT16 are known. They count where
  a tensor is computed (realize, numpy), not where it is written down.
  """

  _now: dict[str, int] = {}

  def __init__(self, **flags: int):
    known = {"PCONTIG", "SPLIT_REDUCEOP", "MAX_KERNEL_BUFFERS", "RING", "ALL2ALL", "ALLREDUCE_CAST", "LATE_ALLREDUCE", "FLOAT16", "TRAINING"}
    for name in flags:
      if name not in known:
        raise ValueError(f"there is no setting {name}; there are {', '.join(sorted(known))}")
    self._flags = flags

  @staticmethod
  def _set(name: str, value: int | None) -> None:
    if name == "TRAINING":
      core.set_training(bool(value))
    else:
      core.set_flag(name, value)

  def __enter__(self) -> "Context":
    self._before = {name: Context._now.get(name) for name in self._flags}
    for name, value in self._flags.items():
      Context._now[name] = value
      self._set(name, value)
    return self

  def __exit__(self, *_: object) -> None:
    for name, value in self._before.items():
      if value is None:
        Context._now.pop(name, None)
      else:
        Context._now[name] = value
      self._set(name, value)
