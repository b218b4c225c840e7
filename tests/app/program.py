"""The program under test, and the small inputs that its tests share."""

import gzip
import json
import os
import pathlib
import resource
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
RANGEIFY = GOLDEN / "schedule" / "rangeify.jsonl.gz"
EXAMPLE = ROOT / "resources" / "examples" / "transformer_block.jsonl.gz"
NAME = "test_rangeify.py::TestRangeifyEdgeCase::test_variable_stack_data"
MANY = "test_rangeify.py::TestDoubleMatmul::test_baseline"

OK, FAILED, USAGE, PARTLY = 0, 1, 2, 3


def rangescope(*arguments, stdout=subprocess.PIPE, file_limit=None, **environment):
  """file_limit: no file can grow beyond this many bytes, as on a disk without room."""
  def limit():
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))
  return subprocess.run([os.environ["RANGESCOPE"], *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE,
                        text=True, timeout=240, env={**os.environ, **environment}, preexec_fn=None if file_limit is None else limit,
                        restore_signals=file_limit is None)  # SIGXFSZ stays ignored, so that the write fails


def golden_program(name=NAME, path=RANGEIFY):
  with gzip.open(path, "rt") as f:
    for line in f:
      program = json.loads(line)
      if program["name"] == name:
        return program
  raise LookupError(name)


class Case(unittest.TestCase):
  def setUp(self):
    self.folder = pathlib.Path(tempfile.mkdtemp(prefix="rangescope-"))
    self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

  def ok(self, *arguments, **options):
    done = rangescope(*arguments, **options)
    self.assertEqual(done.returncode, OK, done.stderr)
    return done.stdout

  def refused(self, *arguments, code=FAILED, says="", **options):
    """Ends with `code` and one message on stderr that holds `says`; nothing on stdout pretends otherwise."""
    done = rangescope(*arguments, **options)
    self.assertEqual(done.returncode, code, f"{arguments}: {done.stdout}{done.stderr}")
    self.assertIn("rangescope: " if code != USAGE else "", done.stderr)
    self.assertIn(says, done.stderr)
    self.assertTrue(done.stderr.strip())
    return done

  def programs(self, *programs, name="in.jsonl"):
    path = self.folder / name
    path.write_text("".join((p if isinstance(p, str) else json.dumps(p)) + "\n" for p in programs))
    return path

  def trace(self):
    path = self.folder / "trace.rscope"
    self.ok("record", RANGEIFY, "--name", NAME, "-o", path)
    return path
