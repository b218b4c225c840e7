"""The list of rules, and why a rule does or does not apply."""

import contextlib
import json
import sqlite3
import unittest

from program import Case


class Rules(Case):
  def test_all_of_them(self):
    rows = [json.loads(line) for line in self.ok("rules", "--json").splitlines()]
    self.assertGreater(len(rows), 400)
    names = [row["name"] for row in rows]
    self.assertEqual(len(names), len(set(names)), "a rule's name is unique")
    for row in rows:
      self.assertTrue(row["explanation"] and row["pattern"], row)
      self.assertRegex(row["ref"], r"^[\w/]+\.py:\d+$")
    self.assertIn("merge-reshapes", names)

  def test_of_a_set(self):
    out = self.ok("rules", "--set", "mop_cleanup")
    self.assertIn("merge-reshapes", out)
    self.assertNotIn("multi-alu", out)
    self.refused("rules", "--set", "nobody", says="no rule to show")

  def test_with_a_trace(self):
    trace = self.trace()
    rows = [json.loads(line) for line in self.ok("rules", trace, "--fired", "--json").splitlines()]
    hits = json.loads(self.ok("query", trace, "SELECT count(*) AS n FROM matches", "--json"))["n"]
    self.assertEqual(sum(row["hits"] for row in rows), int(hits))
    self.refused("rules", "--fired", says="needs a trace")

  def test_attempts(self):
    trace = self.trace()
    rows = [json.loads(line) for line in self.ok("rules", trace, "--json").splitlines()]
    for row in rows:
      self.assertGreaterEqual(row.get("attempts", 0), row["hits"], row)
    self.assertTrue(any(row.get("attempts", 0) > 0 and row["hits"] == 0 for row in rows), "rules that were tried in vain are there")
    self.assertIn("attempts", self.ok("rules", trace))
    with contextlib.closing(sqlite3.connect(trace)) as db:  # as an older recording
      db.execute("DROP TABLE x_attempts")
      db.commit()
    self.assertNotIn("attempts", json.loads(self.ok("rules", trace, "--fired", "--json").splitlines()[0]))


class Explain(Case):
  def step(self, trace):
    """A pass with matches, and what its first one was."""
    sql = ('SELECT m.pass AS pass, m."before" AS node, r.name AS rule FROM matches m JOIN rules r ON r.id = m.rule ORDER BY m.id LIMIT 1')
    return json.loads(self.ok("query", trace, sql, "--json"))

  def test_the_next_match(self):
    trace = self.trace()
    first = self.step(trace)
    out = self.ok("explain", trace, "--pass", first["pass"], "--step", 0)
    self.assertIn(f"{first['rule']}  (", out)
    self.assertIn("  matches: ", out)
    self.assertIn("it fires here: match 0", out)

  def test_where_a_pattern_fails(self):
    trace = self.trace()
    first = self.step(trace)
    out = self.ok("explain", trace, "--pass", first["pass"], "--node", first["node"], "--rule", "multi-flip")
    self.assertIn("fails at the node itself: it is ", out)
    self.assertIn("not FLIP", out)

  def test_every_rule_of_the_pass(self):
    trace = self.trace()
    first = self.step(trace)
    out = self.ok("explain", trace, "--pass", first["pass"], "--node", first["node"])
    self.assertIn("it fires here", out)

  def test_refuses(self):
    trace = self.trace()
    self.refused("explain", trace, "--pass", 100000, says="has no pass 100000")
    self.refused("explain", trace, "--pass", 1, "--node", 10**9, says="there is no node 1000000000: the nodes are 1 to ")
    first = self.step(trace)
    self.refused("explain", trace, "--pass", first["pass"], "--rule", "nobody", says='there is no rule "nobody"')
    self.refused("explain", trace, "--pass", first["pass"], "--step", 10**6, says="--step is at most")
