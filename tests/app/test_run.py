"""What runs kernels: needs a Vulkan device."""

import csv
import gzip
import json
import time
import unittest

from program import EXAMPLE, GOLDEN, MANY, RANGEIFY, Case, rangescope


class Run(Case):
  def one_program(self):
    with gzip.open(RANGEIFY, "rt") as f:
      lines = [line for line in f if json.loads(line)["name"] == MANY]
    return self.programs(min(lines, key=len).strip())

  def test_record_with_times(self):
    trace = self.folder / "t.rscope"
    table = self.ok("record", self.one_program(), "--run", "--repeat", 3, "--warm-up", 1, "-o", trace)
    self.assertIn("3 repeats after the first run, which gives the values, and 1 warm-ups", table)
    self.assertIn("median us", table)
    self.assertGreater(int(self.ok("query", trace, "SELECT count(*) FROM dispatches WHERE ns > 0").split()[-1]), 0)

  def test_operations_bytes_and_exported_times(self):
    trace = self.folder / "t.rscope"
    table = self.ok("record", self.one_program(), "--run", "--repeat", 3, "-o", trace)
    self.assertIn("GFLOP/s", table)
    self.assertNotIn(" - ", table)  # every kernel of this program has a rate
    kernels = self.ok("query", trace, "SELECT ops, bytes FROM kernels", "--json")
    self.assertGreater(int(json.loads(kernels.splitlines()[0])["ops"]), 0)
    for name in ("times.csv", "times.json"):
      self.ok("export", trace, "--times", "-o", self.folder / name)
    rows = list(csv.DictReader((self.folder / "times.csv").read_text().splitlines()))
    self.assertEqual([int(r["n"]) for r in rows], [3] * len(rows))
    events = [e for e in json.loads((self.folder / "times.json").read_text())["traceEvents"] if e["ph"] == "X"]
    self.assertEqual(len(events), 4 * len(rows))  # the pass that gives the values, and three repeats
    self.refused("export", trace, "--times", "-o", self.folder / "times.txt", says="must end in .csv or .json")

  def test_the_meaning_is_kept_through_code_generation(self):
    trace = self.folder / "example.rscope"
    self.ok("record", EXAMPLE, "--run", "--repeat", 1, "-o", trace)
    self.assertRegex(self.ok("verify", trace, "--work", 20_000_000), r" \d{4} of \d+ steps keep the meaning, 0 change it")

  def test_times_of_a_trace_without_a_run(self):
    self.refused("export", self.trace(), "--times", "-o", self.folder / "t.csv", says="Record it with --run")

  def test_programs_on_several_devices(self):
    # every device with memory of its own: sums that meet over copies, a range over devices, and a training step
    for file, name in (("multi", "test_multitensor.py::TestMultiTensor::test_allreduce_all2all"),
                       ("multi", "test_multitensor.py::TestMultiTensor::test_data_parallel_simple_train_step"),
                       ("func", "test_function.py::TestFunctionMulti::test_data_parallel_backward_4")):
      with self.subTest(name):
        said = self.ok("run", GOLDEN / "schedule" / f"{file}.jsonl.gz", "--name", name, "--repeat", 1, "--verify")
        self.assertIn("verified: the interpreter comes to the same numbers", said)

  def test_numbers_are_the_same_each_time(self):
    first, second = (self.ok("run", self.one_program(), "-o", "-") for _ in range(2))
    self.assertEqual(first, second)
    self.assertTrue(json.loads(first)["buffers"])

  def test_values_go_in_and_come_out_as_npy(self):
    program, out = self.one_program(), self.folder / "out"
    numbers = lambda *values: json.loads(self.ok("run", program, "-o", "-", *(("--values", values[0]) if values else ())))["buffers"]
    self.assertEqual(numbers(), numbers("fill"))
    self.assertEqual(numbers("random:3"), numbers("random:3"))
    self.assertNotEqual(numbers("random:3"), numbers("random:4"))
    self.ok("run", program, "--repeat", 1, "--save", out)
    changed = [b for b in numbers() if b.get("changed", True)]
    self.assertEqual(sorted(f.name for f in out.iterdir()), sorted(f"p{b['slot']}.npy" for b in changed))
    # what was written goes in as the parameter's numbers: it is overwritten by the same, or its own input
    self.ok("run", program, "--repeat", 1, "--values", out)
    slot = changed[0]["slot"]
    self.ok("record", program, "--run", "--repeat", 1, "--values", out / f"p{slot}.npy", "-o", self.folder / "t.rscope")
    self.refused("run", program, "--values", "random:x", says="a seed is a number")
    self.refused("run", program, "--values", self.folder / "none.npy", says="its name says for which parameter it is")
    self.refused("run", program, "--values", "nowhere", says="neither fill, random nor random:SEED")

  def test_a_run_is_verified(self):
    self.assertIn("verified: the interpreter comes to the same numbers", self.ok("run", self.one_program(), "--verify", "--repeat", 1))
    self.assertIn("verified: ", self.ok("run", EXAMPLE, "--verify", "--repeat", 1, "--values", "random:5"))

  def test_a_wrong_kernel_is_named_and_mended(self):
    # the reference's kernel of partial realization, which begins its sums anew in their loops
    program = (RANGEIFY, "--name", "test_rangeify.py::TestPcontig::test_flash_attention#1", "--verify", "--repeat", 1)
    self.refused("run", *program, says='dispatch 1, kernel "r_')
    self.assertIn("verified: the interpreter comes to the same numbers", self.ok("run", *program, "--mend"))

  def test_other_optimisations_give_the_same_numbers(self):
    program = self.one_program()

    def buffers(*options):
      done = rangescope("run", program, "-o", "-", *options, XDG_CACHE_HOME=str(self.folder))
      self.assertEqual(done.returncode, 0, done.stderr)
      return json.loads(done.stdout)["buffers"], done.stderr

    (plain, _), (profile, _) = buffers(), buffers("--device-profile")
    search = ("--search", 1, "--search-seconds", 1)
    (found, first), (again, second) = buffers(*search), buffers(*search)
    self.assertIn("kernels timed", first)
    self.assertIn("known from an earlier search", second)
    self.assertEqual(found, again)
    for other in (profile, found):
      for a, b in zip(plain, other, strict=True):
        self.assertLessEqual(abs(a["sum"] - b["sum"]), 1e-4 * max(1, a["abs_sum"]))

  def test_devices_are_listed_and_measured(self):
    begin = time.monotonic()
    (device, *_) = json.loads(self.ok("device", "--json"))
    self.assertLess(time.monotonic() - begin, 30)
    self.assertEqual(device["number"], 0)
    self.assertGreater(device["limits"]["max_storage_buffers"], 0)
    self.assertIn("float64", device["features"])
    self.assertGreater(device["copy_gb_per_s"], 0)
    self.assertGreater(device["multiply_add_gflop_per_s"], 0)
    listed = self.ok("device", "--no-measure")
    self.assertIn(device["name"], listed)
    self.assertNotIn("GB/s", listed)
    self.refused("device", "--device", "no such device", says="no such device")

  def test_a_device_that_is_not_there(self):
    self.refused("run", self.one_program(), "--device", "no such device", says="no such device")


if __name__ == "__main__":
  unittest.main()
