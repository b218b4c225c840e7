"""What runs kernels: needs a Vulkan device."""

import csv
import gzip
import json
import time
import unittest

from program import EXAMPLE, MANY, RANGEIFY, Case, rangescope


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

  def test_numbers_are_the_same_each_time(self):
    first, second = (self.ok("run", self.one_program(), "-o", "-") for _ in range(2))
    self.assertEqual(first, second)
    self.assertTrue(json.loads(first)["buffers"])

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
