"""`record` with rules switched off and settings changed, from a program's file and from a trace of it."""

import gzip
import json
import unittest

from program import EXAMPLE, GOLDEN, NAME, RANGEIFY, Case


class WhatIf(Case):
  def record(self, name, *arguments):
    path = self.folder / name
    self.ok("record", *arguments, "-o", path)
    return path

  def query(self, trace, sql):
    return [json.loads(line) for line in self.ok("query", trace, sql, "--json").splitlines()]

  def fired(self, trace):
    return {r["name"]: int(r["hits"]) for r in self.query(trace, "SELECT name, hits FROM rule_statistics WHERE hits > 0")}

  def meta(self, trace):
    return {r["key"]: r["value"] for r in self.query(trace, "SELECT key, value FROM meta")}

  def kernels(self, trace):
    return int(self.query(trace, "SELECT count(*) AS n FROM schedule WHERE kind = 'kernel'")[0]["n"])

  def test_a_rule_that_is_off_does_not_fire_and_the_trace_says_so(self):
    usual = self.record("usual.rscope", EXAMPLE)
    self.assertGreater(self.fired(usual)["remove-stage"], 0)
    without = self.record("without.rscope", EXAMPLE, "--without", "remove-stage")
    self.assertNotIn("remove-stage", self.fired(without))
    self.assertEqual(json.loads(self.meta(without)["without"]), ["remove-stage"])
    self.assertGreater(self.kernels(without), self.kernels(usual))
    self.assertNotIn("without", self.meta(usual))

  def test_a_trace_is_recorded_again_from_itself(self):
    usual = self.record("usual.rscope", EXAMPLE)
    again = self.record("again.rscope", usual)
    self.ok("diff", usual, again)
    self.assertEqual(self.meta(again)["program"], self.meta(usual)["program"])
    self.assertEqual(self.query(again, "SELECT * FROM node_metadata LIMIT 5"), self.query(usual, "SELECT * FROM node_metadata LIMIT 5"))
    direct = self.record("direct.rscope", EXAMPLE, "--without", "remove-stage")
    changed = self.record("changed.rscope", usual, "--without", "remove-stage")
    self.ok("diff", direct, changed)
    # what was off stays off
    more = self.record("more.rscope", changed, "--without", "merge-reshapes", "--without", "remove-stage")
    self.assertEqual(json.loads(self.meta(more)["without"]), ["remove-stage", "merge-reshapes"])

  def test_a_setting_counts_beside_those_of_the_program(self):
    with gzip.open(GOLDEN / "schedule" / "softmaxf.jsonl.gz", "rt") as f:
      program = next(p for p in map(json.loads, f) if len(p.get("schedule") or []) > 2 and not p["flags"].get("PCONTIG"))
    path = self.programs(program)
    usual, partial = self.record("usual.rscope", path), self.record("partial.rscope", path, "--flag", "PCONTIG=3")
    self.assertEqual(json.loads(self.meta(partial)["flags"]), {**program["flags"], "PCONTIG": 3})
    self.assertLess(self.kernels(partial), self.kernels(usual))
    again = self.record("again.rscope", partial)
    self.ok("diff", partial, again)
    back = self.record("back.rscope", partial, "--flag", "PCONTIG=0")
    self.ok("diff", usual, back)

  def test_names_that_there_are_none_of_are_refused_with_the_nearest(self):
    def refused(*arguments, says):
      out = self.folder / "none.rscope"
      self.refused("record", RANGEIFY, "--name", NAME, "-o", out, *arguments, says=says)
      self.assertFalse(out.exists())
    refused("--without", "remove-stge", says="there is no rule remove-stge. Did you mean remove-stage")
    refused("--flag", "PCONTG=2", says="no setting PCONTG. Did you mean PCONTIG?")
    refused("--flag", "NOSUCHTHINGATALL=2", says="There are SPLIT_REDUCEOP, ")
    refused("--flag", "PCONTIG", says="say PCONTIG=VALUE")
    refused("--flag", "PCONTIG=two", says="no whole number")


if __name__ == "__main__":
  unittest.main()
