"""`run-kernel`: one kernel of a trace beside edited source and other optimisations; and two runs held against each other."""

import json
import re
import sqlite3
import struct
import unittest

from program import EXAMPLE, Case


def read_npy(path):
  data = path.read_bytes()
  size, = struct.unpack_from("<H", data, 8)
  header = eval(data[10:10 + size])  # noqa: S307: a dict of Python
  count = 1
  for n in header["shape"]:
    count *= n
  return header["shape"], struct.unpack(f"<{count}{ {'<f4': 'f', '<i4': 'i'}[header['descr']] }", data[10 + size:])


class RunKernel(Case):
  def setUp(self):
    super().setUp()
    self.file = self.folder / "t.rscope"
    self.ok("record", EXAMPLE, "-o", self.file, "--run", "--repeat", 8)
    with sqlite3.connect(f"file:{self.file}?mode=ro", uri=True) as db:
      self.kernels = db.execute("SELECT s.id, k.name, k.source FROM schedule s JOIN kernels k ON k.id = s.kernel ORDER BY s.id").fetchall()

  def run_kernel(self, *arguments):
    return json.loads(self.ok("run-kernel", self.file, "--json", *arguments))

  def test_as_it_is_edited_and_with_other_optimisations(self):
    item, name, source = self.kernels[2]
    same, other, broken = (self.folder / f"{n}.comp" for n in ("same", "other", "broken"))
    same.write_text(source)
    # the last thing that it stores is half as large
    other.write_text(re.sub(r"(.*\] = )(.*);", r"\1(\2) * 0.5;", source, count=0 if source.count("] =") == 1 else 1, flags=re.S))
    broken.write_text(source.replace("void main()", "void main("))
    made = self.run_kernel("--item", item, "--source", same, "--source", other, "--source", broken, "--opts", "", "--repeat", 12)
    self.assertEqual(made["kernel"], name)
    recorded, again, halved, refused, plain = made["variants"]
    self.assertEqual(recorded["n"], 12)
    self.assertGreater(recorded["median_ns"], 0)
    self.assertEqual(recorded["glsl"], source)
    self.assertEqual(again["differing"], 0)
    self.assertGreater(halved["differing"], 0)
    self.assertGreater(halved["largest_difference"], 0)
    self.assertIn("main", refused["failure"])
    self.assertLess(plain.get("largest_difference", 1), 1e-3)
    # and in words
    said = self.ok("run-kernel", self.file, "--kernel", name, "--source", same, "--repeat", 4)
    self.assertIn("as recorded", said)
    self.refused("run-kernel", self.file, "--kernel", name, "--source", broken, "--repeat", 4)

  def test_values_are_what_the_program_computes_up_to_there(self):
    item = self.kernels[-1][0]
    made = self.run_kernel("--item", item, "--values", self.folder / "values", "--repeat", 0)
    written = [b for b in made["buffers"] if b["written"]]
    self.assertEqual(len(written), 1)
    shape, values = read_npy(self.folder / "values" / written[0]["file"].rsplit("/", 1)[1])
    self.assertEqual(written[0]["count"], len(values))
    # the last kernel's output is the program's, whose numbers `run` writes
    numbers = self.folder / "numbers.jsonl"
    self.ok("run", EXAMPLE, "-o", numbers, "--repeat", 1)
    buffers = [b for b in json.loads(numbers.read_text())["buffers"] if b.get("written", True)]
    self.assertTrue(any(len(values) == b.get("size", b.get("count")) for b in buffers), (len(values), buffers[:1]))
    self.assertTrue(all(v == v for v in values))

  def test_other_sizes(self):
    # a product of matrices: its ranges stand in its indices as multiples
    with sqlite3.connect(f"file:{self.file}?mode=ro", uri=True) as db:
      item, = db.execute("SELECT s.id FROM schedule s JOIN kernels k ON k.id = s.kernel ORDER BY k.ops DESC LIMIT 1").fetchone()
    product = self.file, "--item", item
    made = json.loads(self.ok("run-kernel", *product, "--json", "--size", "r3=256", "--size", "r3=256 r0=64", "--repeat", 4))
    recorded, one, both = made["variants"]
    self.assertNotIn("failure", one)
    self.assertEqual((one["what"], both["what"]), ("r3=256", "r3=256 r0=64"))
    self.assertGreater(recorded["ops"], one["ops"])
    self.assertGreater(one["ops"], both["ops"])
    self.assertGreater(recorded["bytes"], one["bytes"])
    self.assertGreater(one["n"], 0)
    self.assertIn("GFLOP/s", self.ok("run-kernel", *product, "--size", "r3=256", "--repeat", 2))
    missing, = json.loads(self.ok("run-kernel", *product, "--json", "--size", "r9=8", "--repeat", 1))["variants"][1:]
    self.assertIn("the kernel has no size r9; it has r0=", missing["failure"])
    for wrong in ("r0", "r0=", "r0=0", "r0=x", ""):
      self.refused("run-kernel", *product, "--size", wrong, says="r0=128")

  def test_what_is_not_there_is_said(self):
    name = self.kernels[0][1]
    self.refused("run-kernel", self.file, "--kernel", name[:-1], says=f"Did you mean {name}")
    self.refused("run-kernel", self.file, "--item", 100000, says="is no kernel")
    self.refused("run-kernel", self.file, "--source", self.folder / "none.comp", says="cannot be read")
    self.refused("run-kernel", self.file, "--opts", "NONSENSE", says="no optimisation")
    bare = self.trace()
    self.refused("run-kernel", bare, says="record it with --run")

  def test_two_runs_are_compared_by_kernel(self):
    other = self.folder / "other.rscope"
    self.ok("record", self.file, "-o", other, "--run", "--repeat", 8, "--without", "remove-stage")
    made = json.loads(self.ok("diff", self.file, other, "--times", "--json"))
    names = [k["name"] for k in made["kernels"] if "item_a" in k]
    self.assertEqual(len(names), len(self.kernels))
    self.assertTrue(any("item_a" not in k for k in made["kernels"]))  # there are more without the rule
    said = self.ok("diff", self.file, other, "--times")
    self.assertIn("in B alone", said)
    self.assertIn("all together", said)
    # a run against itself is noise
    made = json.loads(self.ok("diff", self.file, self.file, "--times", "--json"))
    self.assertEqual({k["change"] for k in made["kernels"]}, {"noise"})
    self.refused("diff", self.file, self.trace(), "--times", says="has no times")


if __name__ == "__main__":
  unittest.main()
