"""Shrinking a program that a check fails on."""

import json
import os

from program import GOLDEN, Case

ASSIGN = GOLDEN / "schedule" / "assign.jsonl.gz"
CYCLE = "test_assign.py::TestAssign::test_assign_diamond_cycle"


class Reduce(Case):
  def reduced(self, *args):
    out = self.folder / "small.jsonl"
    self.ok("reduce", *args, "-o", out)
    return json.loads(out.read_text()), out

  def test_what_the_check_needs_is_what_is_left(self):
    program, _ = self.reduced(GOLDEN / "schedule" / "models.jsonl.gz", "--name", "transformer_block",
                              "--check", "grep -q REDUCE {} && exit 1 || exit 0", "--checks", 300)
    ops = [node[0] for node in program["nodes"]]
    self.assertEqual(ops.count("REDUCE"), 1)
    self.assertLess(len(ops), 20)

  def test_a_program_that_the_scheduler_refuses(self):
    check = f"'{os.environ['RANGESCOPE']}' schedule"
    program, small = self.reduced(ASSIGN, "--name", CYCLE, "--check", check)
    self.assertEqual(program["name"], CYCLE)
    self.refused("schedule", small, says="cycle")

  def test_a_check_that_passes(self):
    self.refused("reduce", ASSIGN, "--name", CYCLE, "--check", "true", says="there is nothing to reduce")

  def test_a_check_that_is_no_command(self):
    self.refused("reduce", ASSIGN, "--name", CYCLE, "--check", "no-such-command-here", says="was not found")
