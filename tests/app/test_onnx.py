"""`run` and `record` of ONNX models, on Vulkan. Models, inputs and expected outputs are those of libonnx-testdata."""
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest

RANGESCOPE = os.environ["RANGESCOPE"]
DATA = pathlib.Path("/usr/share/libonnx-testdata/data/node")
EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "resources/examples/transformer_block.jsonl.gz"


def rangescope(*arguments):
  return subprocess.run([RANGESCOPE, *map(str, arguments)], capture_output=True, text=True, check=False)


def npy(path, descr, shape, values):
  header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
  header += " " * (63 - (10 + len(header)) % 64) + "\n"
  code = {"<f4": "f", "<i8": "q"}[descr]
  path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{code}", *values))


class Onnx(unittest.TestCase):
  def setUp(self):
    temporary = tempfile.TemporaryDirectory()
    self.addCleanup(temporary.cleanup)
    self.folder = pathlib.Path(temporary.name)

  def refused(self, message, *arguments, code=1):
    r = rangescope(*arguments)
    self.assertEqual(r.returncode, code, r.stderr)
    self.assertIn(message, r.stderr)

  def test_run_saves_and_compares(self):
    model = DATA / "test_relu" / "model.onnx"
    values = [(-1) ** i * i / 4 for i in range(60)]
    npy(self.folder / "x.npy", "<f4", (3, 4, 5), values)
    r = rangescope("run", model, "--input", f"x={self.folder}/x.npy", "--save", self.folder / "out", "--compare", "--repeat", 2)
    self.assertEqual(r.returncode, 0, r.stderr)
    self.assertIn("y float32 (3, 4, 5): 0, 0, 0.5, 0, 1, 0, ...  least 0, greatest 14.5", r.stdout)
    self.assertIn("y: differs from the interpreter's by 0 at most", r.stdout)
    got = (self.folder / "out" / "y.npy").read_bytes()
    self.assertIn(b"'descr': '<f4', 'fortran_order': False, 'shape': (3, 4, 5)", got)
    self.assertEqual(list(struct.unpack("<60f", got[-240:])), [max(v, 0.0) for v in values])
    unnamed = rangescope("run", model, "--input", self.folder / "x.npy", "--repeat", 1)
    self.assertIn("greatest 14.5", unnamed.stdout)

  def test_inputs_that_are_not_given_are_filled(self):
    r = rangescope("run", DATA / "test_add" / "model.onnx", "--repeat", 1)
    self.assertEqual(r.returncode, 0, r.stderr)
    self.assertIn("x: not given, filled with numbers from 0 to 1", r.stdout)

  def test_record(self):
    trace = self.folder / "t.rscope"
    r = rangescope("record", DATA / "test_softmax_axis_1" / "model.onnx", "-o", trace, "--run", "--repeat", 2)
    self.assertEqual(r.returncode, 0, r.stderr)
    self.assertIn("model: ", r.stdout)
    found = rangescope("query", trace, "SELECT count(*) AS n FROM kernels", "--json")
    self.assertNotIn('"n":0', found.stdout.replace(" ", ""))

  def test_what_decides_a_shape_must_be_given(self):
    model = DATA / "test_reshape_one_dim" / "model.onnx"
    self.refused('depends on the model\'s input "shape": give its value (--input shape=FILE.npy)', "run", model)
    data = DATA / "test_reshape_one_dim" / "test_data_set_0"
    r = rangescope("run", model, "--input", f"shape={data}/input_1.pb", "--repeat", 1)
    self.assertEqual(r.returncode, 0, r.stderr)
    self.assertIn("shape: its value decides shapes and is part of the program", r.stdout)

  def test_bad_input(self):
    model = DATA / "test_relu" / "model.onnx"
    self.refused("no_such.onnx: there is no such file", "run", "no_such.onnx")
    broken = self.folder / "broken.onnx"
    broken.write_bytes(model.read_bytes()[:40])
    for command in (["run"], ["record", "-o", self.folder / "t.rscope"], ["schedule"]):
      self.refused("it is no ONNX model", command[0], broken, *command[1:])
    self.refused("not supported (how often it uses them): Bernoulli (1)", "run", DATA / "test_bernoulli" / "model.onnx")
    self.refused("Cast \"output\": the dtype string is not supported", "run", DATA / "test_cast_FLOAT_to_STRING" / "model.onnx")
    npy(self.folder / "small.npy", "<f4", (2,), [1, 2])
    npy(self.folder / "whole.npy", "<i8", (2,), [1, 2])
    (self.folder / "text.npy").write_text("not numpy")
    self.refused("has 3 axes, and 1 are given", "run", model, "--input", self.folder / "small.npy")
    self.refused('the input "x" is float32, and int64 is given', "run", model, "--input", self.folder / "whole.npy")
    self.refused("is no .npy file", "run", model, "--input", self.folder / "text.npy")
    self.refused("there is no such file", "run", model, "--input", self.folder / "gone.npy")
    self.refused("the model has no such input; it has x", "run", model, "--input", f"q={self.folder}/small.npy")
    self.refused("it should be NAME=N", "run", model, "--dim", "batch=many")
    self.refused("--input and --dim are for ONNX models", "schedule", EXAMPLE, "--dim", "batch=1")


if __name__ == "__main__":
  unittest.main()
