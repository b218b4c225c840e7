"""The meaning check: on the corpus, on a trace, and on recordings that a wrong rule has gone through."""

import gzip
import json
import os
import unittest

from program import GOLDEN, NAME, RANGEIFY, Case, golden_program

# Sets whose every step keeps the meaning, as far as it is known.
SETS = ["multi_null", "rangeify"]
if not os.environ.get("RANGESCOPE_SANITIZED"):
  SETS += ["allreduce", "func", "multi", "setitem", "sched_cpu"]


def below(nodes, root):
  seen, stack = set(), [root]
  while stack:
    i = stack.pop()
    if i not in seen:
      seen.add(i)
      stack.extend(nodes[i][2])
  return seen


def doctored():
  """A recorded program in which one match makes something else: the node is changed where it stands, so that all later graphs hold it."""
  with gzip.open(GOLDEN / "schedule" / "sched_cpu.jsonl.gz", "rt") as f:
    for program in map(json.loads, f):
      nodes = program["nodes"]
      for number, (_, name, _, _, _, start, end, matches) in enumerate(program["passes"], 1):
        if start is None or name != "symbolic+reduce_collapse+debuf":
          continue
        made = below(nodes, end) - below(nodes, start)
        for k, (_, after, rule) in enumerate(matches):
          if after in made and nodes[after][:2] == ["MUL", "float32"]:
            nodes[after][0] = "ADD"
            return program, number, name, k, rule
  raise LookupError("no match to change")


class Verify(Case):
  def test_the_corpus_keeps_its_meaning(self):
    for name in SETS:
      with self.subTest(name):
        out = self.ok("verify", GOLDEN / "schedule" / f"{name}.jsonl.gz", "--work", 20_000_000)
        self.assertNotIn("CHANGED", out)

  def test_one_program_of_the_corpus_does_not(self):
    # a read that the graph puts before a write is scheduled after it, as the reference does
    name = "test_assign.py::TestAssignOrdering::test_war_reader_already_depends_on_write"
    done = self.refused("verify", GOLDEN / "schedule" / "assign.jsonl.gz", "--name", name, says="changes the meaning")
    self.assertIn("the schedule: CHANGED: element 0 of the buffer in slot 2 is ", done.stdout)

  def test_a_trace(self):
    out = self.ok("verify", self.trace(), "--all")
    self.assertRegex(out, rf"^{NAME}: \d+ of \d+ steps keep the meaning, 0 change it, ")
    self.assertIn("(multi_pm): kept", out)
    self.assertIn("the schedule: kept", out)

  def test_every_match(self):
    self.assertIn("0 change it", self.ok("verify", RANGEIFY, "--name", NAME, "--every-match"))

  def test_a_recording_is_checked_as_it_stands(self):
    self.ok("verify", self.programs(golden_program()), "--recorded")
    program, number, name, k, rule = doctored()
    path = self.programs(program)
    self.ok("verify", path)  # scheduled anew it is right
    done = self.refused("verify", path, "--recorded", says="changes the meaning")
    self.assertIn(f"pass {number} ({name}): CHANGED: ", done.stdout)
    self.assertRegex(done.stdout, rf"first by match {k} of \d+: rule {rule} replaced ")

  def test_refuses(self):
    program = golden_program()
    del program["passes"]
    self.refused("verify", self.programs(program), "--recorded", says="no recorded passes")
    self.refused("verify", self.folder / "none.rscope")
    self.refused("verify", RANGEIFY, "--name", "nobody", says="no program named nobody")

  def test_limits_are_said(self):
    out = self.ok("verify", RANGEIFY, "--name", NAME, "--elements", 1, "--all")
    self.assertIn("beyond the evaluator's limit of 1", out)
