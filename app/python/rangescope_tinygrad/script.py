"""Runs a tinygrad program in this process, as Python runs it, and keeps what it did."""

import os
import runpy
import sys
import time
import traceback

from . import rewrites
from .capture import GraphFile
from .convert import convert
from .names import OP
from .problem import OtherVersion, Problem
from .progress import Progress
from .trace_file import check_output


def _tinygrad():
  try:
    import tinygrad
  except ImportError as e:
    raise Problem(f"tinygrad cannot be imported ({e}). Install it, or name its folder: PYTHONPATH=path/to/tinygrad") from e
  try:
    import tinygrad.schedule
    import tinygrad.schedule.rangeify
    from tinygrad.uop import ops
  except ImportError as e:
    raise OtherVersion(f"{os.path.dirname(tinygrad.__file__)}: {e}") from e
  unknown = [op.name for op in ops.Ops if op.name not in OP]
  if unknown:
    print(f"rangescope_tinygrad: this tinygrad has ops that are not known here ({', '.join(unknown)}); a program that uses one is refused",
          file=sys.stderr)
  return tinygrad.schedule, tinygrad.schedule.rangeify, ops


def _run(options):
  """None, or what the script ended with: (message, exit code)."""
  if not os.path.isfile(options.script):
    raise Problem(f"there is no script {options.script}")
  argv, path = sys.argv, list(sys.path)
  sys.argv = [options.script, *options.arguments]
  sys.path[0] = os.path.dirname(os.path.abspath(options.script))  # as Python does for a script
  try:
    runpy.run_path(options.script, run_name="__main__")
  except SystemExit as e:
    if e.code not in (None, 0):
      return f"the script left with {e.code!r}", e.code if isinstance(e.code, int) else 1
  except KeyboardInterrupt:
    return "the script was interrupted", 130
  except Problem:
    raise
  except BaseException as e:  # whatever a user's program raises
    inside = e.__traceback__
    while inside is not None and inside.tb_frame.f_code.co_filename != options.script:  # our own frames are no matter of the user's
      inside = inside.tb_next
    traceback.print_exception(type(e), e, inside or e.__traceback__)
    return f"the script raised {type(e).__name__}: {e}".strip(), 1
  finally:
    sys.argv, sys.path = argv, path
  return None


def capture(options):
  schedule, rangeify, ops = _tinygrad()
  real = getattr(rangeify, "get_kernel_graph", None)
  if real is None:
    raise OtherVersion("tinygrad.schedule.rangeify has no get_kernel_graph")
  with GraphFile(options.output, os.path.basename(options.script)) as out:
    def watched(sink, *args, **named):
      out.add(sink)
      return real(sink, *args, **named)

    # the function is known by its name in both modules
    rangeify.get_kernel_graph = watched
    if getattr(schedule, "get_kernel_graph", None) is real:
      schedule.get_kernel_graph = watched
    failed = _run(options)
  print(f"{options.output}: {out.count} graphs")
  if failed:
    raise Problem(f"{failed[0]}. {options.output} holds the {out.count} graphs up to there.")
  if not out.count:
    raise Problem("the script scheduled nothing: a graph is scheduled when a tensor is realized")
  return 0


def trace(options):
  os.environ["VIZ"] = "-1"  # below 0: record, but open no viewer
  os.environ.setdefault("TRACEMETA", "2")  # which tensor method a node came from
  if "tinygrad" in sys.modules:
    raise Problem("tinygrad is loaded already, so its recording cannot be switched on")
  _, _, ops = _tinygrad()
  check_output(options.output)
  missing = [n for n in ("TrackedGraphRewrite", "active_rewrites", "tracked_keys", "tracked_ctxs", "uop_fields") if not hasattr(ops, n)]
  if missing:
    raise OtherVersion(f"tinygrad.uop.ops has no {missing[0]}")
  fields = [n for n in rewrites.PASS_FIELDS if n not in ops.TrackedGraphRewrite.__dataclass_fields__]
  if fields:
    raise OtherVersion(f"a tracked rewrite has no '{fields[0]}'")
  positions = {}
  real = ops.TrackedGraphRewrite

  def tracked(*args, **named):
    made = real(*args, **named)
    positions[id(made)] = (made, len(ops.active_rewrites[-1].matches) if ops.active_rewrites else 0)
    return made

  ops.TrackedGraphRewrite = tracked
  progress = Progress()
  try:
    failed = _run(options)
    ops.TrackedGraphRewrite = real
    start = time.monotonic()
    events = _events()
    read = rewrites.from_module(ops, positions, progress)
    _stop_recording(ops)
    done = convert(read, options.output, os.path.basename(options.script), events, failed[0] if failed else None, progress)
  finally:
    progress.clear()
    _stop_recording(ops)
  from .command_line import told
  told(done, options.output, time.monotonic() - start)
  if failed:
    raise Problem(f"{failed[0]}. {options.output} holds what was rewritten up to there.")
  if not done.passes:
    raise Problem("the script made no graph: tensors are rewritten when they are realized")
  return 0


def _events():
  """Run times and memory, as tinygrad would write them at its end."""
  from tinygrad import device, helpers
  for name in sorted(getattr(device.Device, "_opened_devices", ())):
    opened = device.Device[name]
    opened.synchronize()
    opened._at_profile_finalize()
  return [*helpers.cpu_events, *device.Compiled.profile_events, *device.Buffer.profile_events]


def _stop_recording(ops):
  """Nothing more is tracked, and tinygrad writes no files of its own when the process ends."""
  from tinygrad import helpers
  for name in ("TRACK_MATCH_STATS", "VIZ", "PROFILE"):
    for module in (ops, helpers):
      variable = getattr(module, name, None)
      if variable is not None:
        variable.value = 0
