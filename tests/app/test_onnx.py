"""`run` and `record` of ONNX models, on Vulkan. Models, inputs and expected outputs are those of libonnx-testdata."""
import json
import pathlib
import struct
import unittest

from program import EXAMPLE, OK, Case, rangescope

DATA = pathlib.Path("/usr/share/libonnx-testdata/data/node")


def npy(path, descr, shape, values):
  header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
  header += " " * (63 - (10 + len(header)) % 64) + "\n"
  code = {"<f4": "f", "<i8": "q"}[descr]
  path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{code}", *values))


class Onnx(Case):
  def test_run_saves_and_compares(self):
    model = DATA / "test_relu" / "model.onnx"
    values = [(-1) ** i * i / 4 for i in range(60)]
    npy(self.folder / "x.npy", "<f4", (3, 4, 5), values)
    out = self.ok("run", model, "--input", f"x={self.folder}/x.npy", "--save", self.folder / "out", "--verify", "--repeat", 2)
    self.assertIn("y float32 (3, 4, 5): 0, 0, 0.5, 0, 1, 0, ...  least 0, greatest 14.5", out)
    self.assertIn("verified: the interpreter comes to the same numbers", out)
    got = (self.folder / "out" / "y.npy").read_bytes()
    self.assertIn(b"'descr': '<f4', 'fortran_order': False, 'shape': (3, 4, 5)", got)
    self.assertEqual(list(struct.unpack("<60f", got[-240:])), [max(v, 0.0) for v in values])
    self.assertIn("greatest 14.5", self.ok("run", model, "--input", self.folder / "x.npy", "--repeat", 1))

  def test_inputs_that_are_not_given_are_filled(self):
    out = self.ok("run", DATA / "test_add" / "model.onnx", "--repeat", 1)
    self.assertIn("x: not given, filled with numbers from 0 to 1", out)

  def test_values_by_folder_and_seed(self):
    model, values = DATA / "test_relu" / "model.onnx", self.folder / "values"
    values.mkdir()
    npy(values / "x.npy", "<f4", (3, 4, 5), [float(i) for i in range(60)])
    self.assertIn("greatest 59", self.ok("run", model, "--values", values, "--repeat", 1))
    first, again, other = (self.ok("run", model, "--values", f"random:{seed}", "--repeat", 1).splitlines()[-1] for seed in (1, 1, 2))
    self.assertEqual(first, again)
    self.assertNotEqual(first, other)
    self.refused("run", model, "--values", values / "x.npy", says="a model's input is given as --input")

  def test_record(self):
    trace = self.folder / "t.rscope"
    out = self.ok("record", DATA / "test_softmax_axis_1" / "model.onnx", "-o", trace, "--run", "--repeat", 2)
    self.assertIn("model: ", out)
    found = self.ok("query", trace, "SELECT count(*) AS n FROM kernels", "--json")
    self.assertGreater(int(json.loads(found)["n"]), 0)

  def test_numbers_start_from_what_the_model_and_the_caller_give(self):
    model, out = DATA / "test_relu" / "model.onnx", self.folder / "numbers.jsonl"
    npy(self.folder / "x.npy", "<f4", (3, 4, 5), [float(i) for i in range(60)])
    self.ok("run", model, "--input", f"x={self.folder}/x.npy", "-o", out)
    changed = [b for b in json.loads(out.read_text())["buffers"] if b.get("changed", True)]
    self.assertEqual([b["sum"] for b in changed], [sum(range(60))])

  def test_optimisations_can_be_chosen(self):
    said = rangescope("run", DATA / "test_matmul_2d" / "model.onnx", "--search", 1, "--search-seconds", 1, "--repeat", 1)
    self.assertEqual(said.returncode, OK, said.stderr)
    self.assertRegex(said.stderr, r"kernels timed|known from an earlier search")

  def test_what_decides_a_shape_must_be_given(self):
    model = DATA / "test_reshape_one_dim" / "model.onnx"
    self.refused("run", model, says='depends on the model\'s input "shape": give its value (--input shape=FILE.npy)')
    data = DATA / "test_reshape_one_dim" / "test_data_set_0"
    out = self.ok("run", model, "--input", f"shape={data}/input_1.pb", "--repeat", 1)
    self.assertIn("shape: its value decides shapes and is part of the program", out)

  def test_bad_input(self):
    model = DATA / "test_relu" / "model.onnx"
    self.refused("run", "no_such.onnx", says="no_such.onnx: there is no such file")
    broken = self.folder / "broken.onnx"
    broken.write_bytes(model.read_bytes()[:40])
    for command in (["run"], ["record", "-o", self.folder / "t.rscope"], ["schedule"]):
      self.refused(command[0], broken, *command[1:], says="it is no ONNX model")
    self.refused("run", DATA / "test_bernoulli" / "model.onnx", says="not supported (how often it uses them): Bernoulli (1)")
    self.refused("run", DATA / "test_cast_FLOAT_to_STRING" / "model.onnx", says="Cast \"output\": the dtype string is not supported")
    npy(self.folder / "small.npy", "<f4", (2,), [1, 2])
    npy(self.folder / "whole.npy", "<i8", (2,), [1, 2])
    (self.folder / "text.npy").write_text("not numpy")
    self.refused("run", model, "--input", self.folder / "small.npy", says="has 3 axes, and 1 are given")
    self.refused("run", model, "--input", self.folder / "whole.npy", says='the input "x" is float32, and int64 is given')
    self.refused("run", model, "--input", self.folder / "text.npy", says="is no .npy file")
    self.refused("run", model, "--input", self.folder / "gone.npy", says="there is no such file")
    self.refused("run", model, "--input", f"q={self.folder}/small.npy", says="the model has no such input; it has x")
    self.refused("run", model, "--dim", "batch=many", says="it should be NAME=N")
    self.refused("schedule", EXAMPLE, "--dim", "batch=1", says="--input and --dim are for ONNX models")


if __name__ == "__main__":
  unittest.main()
