"""What runs kernels: needs a Vulkan device."""

import gzip
import json
import unittest

from program import MANY, RANGEIFY, Case


class Run(Case):
  def one_program(self):
    with gzip.open(RANGEIFY, "rt") as f:
      lines = [line for line in f if json.loads(line)["name"] == MANY]
    return self.programs(min(lines, key=len).strip())

  def test_record_with_times(self):
    trace = self.folder / "t.rscope"
    table = self.ok("record", self.one_program(), "--run", "--repeat", 3, "--warm-up", 1, "-o", trace)
    self.assertIn("3 repeats", table)
    self.assertIn("median us", table)
    self.assertGreater(int(self.ok("query", trace, "SELECT count(*) FROM dispatches WHERE ns > 0").split()[-1]), 0)

  def test_numbers_are_the_same_each_time(self):
    first, second = (self.ok("run", self.one_program(), "-o", "-") for _ in range(2))
    self.assertEqual(first, second)
    self.assertTrue(json.loads(first)["buffers"])

  def test_a_device_that_is_not_there(self):
    self.refused("run", self.one_program(), "--device", "no such device", says="no such device")


if __name__ == "__main__":
  unittest.main()
