"""What the tests of this folder share: running the door and the program, and small recordings of a stub of tinygrad."""

import contextlib
import io
import os
import pathlib
import pickle
import resource
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PACKAGE, STUB = ROOT / "app" / "python", HERE / "stub"
sys.path[:0] = [str(PACKAGE), str(STUB)]
from rangescope_tinygrad import command_line  # noqa: E402
from rangescope_tinygrad.foreign import dtype_name  # noqa: E402

# sink((x + 0) * 2): one rule of each pass fires
SCRIPT = """
from tinygrad.dtype import AddrSpace, dtypes
from tinygrad.schedule import realize
from tinygrad.uop import Ops
from tinygrad.uop.ops import ParamArg, UOp

def program(factor):
  x = UOp(Ops.PARAM, dtypes.weakint, (UOp(Ops.STACK),), ParamArg(0, dtypes.weakint, name="x", vmin_vmax=(0, 9), addrspace=AddrSpace.ALU))
  zero, by = UOp(Ops.CONST, dtypes.weakint, (), 0), UOp(Ops.CONST, dtypes.weakint, (), factor)
  return UOp(Ops.SINK, dtypes.void, (UOp(Ops.MUL, dtypes.weakint, (UOp(Ops.ADD, dtypes.weakint, (x, zero)), by)),))
"""
REALIZE = SCRIPT + "realize(program(2))\n"


def limited(file_limit):
  if file_limit is None:
    return None
  return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))


def stub_graph(program):
  """The input graph of a line of the corpus, as nodes of the stub. It has no arguments but numbers, tuples, ops and parameters."""
  from tinygrad.dtype import DType, dtypes
  from tinygrad.uop import Ops
  from tinygrad.uop.ops import ParamArg, UOp

  def dtype(name):
    return next(d for d in vars(dtypes).values() if isinstance(d, DType) and dtype_name(d) == name)

  def argument(a):
    if isinstance(a, list):
      return tuple(map(argument, a))
    if isinstance(a, dict):
      (kind, v), = a.items()
      return Ops[v] if kind == "op" else ParamArg(**{**v, "dtype": dtype(v["dtype"])})
    return a
  nodes = []
  for op, dt, srcs, arg, tag in program["nodes"]:
    nodes.append(UOp(Ops[op], dtype(dt), tuple(nodes[s] for s in srcs), argument(arg), tag))
  return nodes[program["root"]]


class Case(unittest.TestCase):
  def setUp(self):
    self.folder = pathlib.Path(tempfile.mkdtemp(prefix="rangescope-"))
    self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

  def script(self, text, name="script.py"):
    path = self.folder / name
    path.write_text(textwrap.dedent(text))
    return path

  def convert(self, *arguments, code=0, says="", file_limit=None):
    """`convert` in this process where that does, which is faster."""
    if file_limit is not None:
      return self.door("convert", *arguments, code=code, says=says, file_limit=file_limit, tinygrad=None)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(self.folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
      done = command_line.main(["convert", *map(str, arguments)])
    self.assertEqual(done, code, out.getvalue() + err.getvalue())
    self.assertIn(says, err.getvalue() if code else out.getvalue())
    return err.getvalue()

  def door(self, *arguments, code=0, says="", file_limit=None, tinygrad=STUB):
    """The command; `says` stands in what it prints, on stderr if it fails."""
    paths = [str(PACKAGE)] + ([str(tinygrad)] if tinygrad else [])
    done = subprocess.run([sys.executable, "-B", "-m", "rangescope_tinygrad", *map(str, arguments)], capture_output=True, text=True,
                          timeout=120, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)}, cwd=self.folder,
                          preexec_fn=limited(file_limit), restore_signals=file_limit is None)
    self.assertEqual(done.returncode, code, done.stdout + done.stderr)
    self.assertIn(says, done.stderr if code else done.stdout)
    if code == 1:
      self.assertIn("rangescope_tinygrad: ", done.stderr)
    return done

  def rangescope(self, *arguments, code=0):
    done = subprocess.run([os.environ["RANGESCOPE"], *map(str, arguments)], capture_output=True, text=True, timeout=240)
    self.assertEqual(done.returncode, code, done.stdout + done.stderr)
    return done.stdout

  def keeps_the_format(self, trace):
    self.assertIn("keeps format 2", self.rangescope("validate", trace))

  def query(self, trace, sql):
    import sqlite3
    with sqlite3.connect(trace) as db:
      return db.execute(sql).fetchall()

  def recording(self, script=REALIZE, name="rewrites.pkl", protocol=4):
    """A rewrites.pkl as tinygrad writes it when a script ends."""
    path = self.folder / name
    runner = f"""
import pickle, tinygrad.uop.ops as ops
try:
  exec(compile({script!r}, "script.py", "exec"))
except Exception:
  pass
with open({str(path)!r}, "wb") as f:
  pickle.dump(ops.RewriteTrace(ops.tracked_keys, ops.tracked_ctxs, ops.uop_fields), f, protocol={protocol})
"""
    subprocess.run([sys.executable, "-B", "-c", runner], check=True, env={**os.environ, "PYTHONPATH": str(STUB), "VIZ": "-1"}, timeout=60)
    return path

  def pickled(self, value, name="other.pkl"):
    path = self.folder / name
    path.write_bytes(pickle.dumps(value))
    return path
