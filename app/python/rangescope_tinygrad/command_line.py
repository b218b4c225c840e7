"""The commands: capture, trace, convert."""

import argparse
import gc
import os
import sys
import time

from . import profile, rewrites
from .convert import convert
from .problem import Problem
from .progress import Progress
from .trace_file import check_output

_DESCRIPTION = "tinygrad's graphs and rewrites as Rangescope's files. A script is run as Python runs it; a pickle is only read."


def _parser():
  parser = argparse.ArgumentParser(prog="python -m rangescope_tinygrad", description=_DESCRIPTION)
  commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

  def script(c):
    c.add_argument("script", help="a Python program that uses tinygrad; what stands behind -- are its arguments")

  c = commands.add_parser("capture", help="every graph that a script schedules, for `rangescope record`, `run` and `schedule`")
  script(c)
  c.add_argument("-o", "--output", required=True, metavar="GRAPHS.jsonl")
  c = commands.add_parser("trace", help="every rewrite that tinygrad makes while a script runs, for `rangescope view`")
  script(c)
  c.add_argument("-o", "--output", required=True, metavar="T.rscope")
  c = commands.add_parser("convert", help="the rewrites.pkl of a run with VIZ=1, for `rangescope view`; nothing in the pickle is run")
  c.add_argument("rewrites", metavar="REWRITES.pkl")
  c.add_argument("--profile", metavar="PROFILE.pkl", help="run times and memory of the same run")
  c.add_argument("-o", "--output", required=True, metavar="T.rscope")
  return parser


def told(done, out, seconds):
  text = f"{out}: {done.passes} passes, {done.matches} matches, {done.nodes} nodes, {done.kernels} kernels"
  if done.dispatches:
    text += f", {done.dispatches} timed runs"
  print(f"{text}; {seconds:.1f} s")
  if done.without_output:
    print(f"{done.without_output} passes replace nodes in a circle and have no end graph", file=sys.stderr)
  if done.lost_dispatches:
    print(f"{done.lost_dispatches} timed runs are of kernels that stand in no schedule and were left out", file=sys.stderr)


def _convert(options):
  check_output(options.output)
  start = time.monotonic()
  progress = Progress()
  gc.disable()  # millions of objects, and no cycles among them
  try:
    read = rewrites.from_pickle(options.rewrites, progress)
    events = profile.from_pickle(options.profile) if options.profile else None
    done = convert(read, options.output, os.path.basename(options.rewrites), events, progress=progress)
  finally:
    progress.clear()
    gc.enable()
  told(done, options.output, time.monotonic() - start)
  if read.cut_short:
    raise Problem(f"{read.cut_short}. {options.output} holds what stands before that.")
  return 0


def main(arguments=None):
  arguments = list(sys.argv[1:] if arguments is None else arguments)
  own, behind = arguments, []
  if "--" in arguments:
    at = arguments.index("--")
    own, behind = arguments[:at], arguments[at + 1:]
  options = _parser().parse_args(own)
  options.arguments = behind
  try:
    if options.command == "convert":
      return _convert(options)
    from . import script  # imports tinygrad
    return script.capture(options) if options.command == "capture" else script.trace(options)
  except Problem as e:
    print(f"rangescope_tinygrad: {e}", file=sys.stderr)
    return 1
  except KeyboardInterrupt:
    print("rangescope_tinygrad: stopped. What was written until then is left", file=sys.stderr)
    return 130
