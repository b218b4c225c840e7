"""Recording what a program computes, as a trace that `rangescope view` opens."""
from __future__ import annotations

import os
import runpy
import sys
import traceback
from collections.abc import Mapping, Sequence

from .session import core


class record:
  """Everything that is computed in the block is scheduled, run and recorded: `with rangescope.record("T.rscope"): ...`.

  Every rewrite of every program, its kernels and their times go into one file. `repeats`: how often each kernel is run again to
  be timed. `without`: rules that do not fire meanwhile, by their names in `rangescope rules`; `flags`: settings of the scheduler
  beside those of the script, as in Context. A block that raises leaves the file with everything up to there. An error if the file
  cannot be written, or if a recording is under way already.
  """

  def __init__(self, path: str | os.PathLike[str], repeats: int = 10, without: Sequence[str] = (), flags: Mapping[str, int] | None = None):
    self._path, self._repeats, self._without, self._flags = os.fspath(path), repeats, list(without), dict(flags or {})
    self.matches = 0

  def __enter__(self) -> "record":
    core.start_recording(self._path, self._repeats, self._without, self._flags)
    return self

  def __exit__(self, kind: type | None, error: BaseException | None, _: object) -> None:
    failure = "" if error is None or isinstance(error, SystemExit) else f"{kind.__name__}: {error}"
    self.matches = core.stop_recording(failure)


def record_script(path: str, output: str, arguments: list[str], repeats: int = 10, without: Sequence[str] = (),
                  flags: Mapping[str, int] | None = None) -> int:
  """Runs a script with recording on; the exit code. What the script raises is told with its line, without our own frames."""
  if not os.path.isfile(path):
    print(f"rangescope: there is no script {path}", file=sys.stderr)
    return 1
  sys.argv = [path, *arguments]
  sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
  recording = record(output, repeats, without, flags)
  try:
    with recording:
      runpy.run_path(path, run_name="__main__")
  except SystemExit as e:
    code = e.code if isinstance(e.code, int) else 0 if e.code is None else 1
    if code:
      print(f"rangescope: {path} ended with {e.code}; {output} holds what was computed until then", file=sys.stderr)
      return 1
  except BaseException as e:
    own = [f for f in traceback.extract_tb(e.__traceback__) if os.path.abspath(f.filename) == os.path.abspath(path)]
    where = f"{path}:{own[-1].lineno}" if own else f"{path}:{e.lineno}" if isinstance(e, SyntaxError) else path
    print(f"rangescope: {where}: {type(e).__name__}: {e}", file=sys.stderr)
    if os.path.exists(output):
      print(f"rangescope: {output} holds what was computed until then", file=sys.stderr)
    return 1
  print(f"{path}: {recording.matches} matches recorded in {output}")
  return 0
