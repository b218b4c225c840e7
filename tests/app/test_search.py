"""Search, provenance, pathologies and the queries that come with the program."""

import json
import unittest

from program import Case


class Search(Case):
  def hits(self, trace, *words):
    return [json.loads(line) for line in self.ok("search", trace, *words, "--json").splitlines()]

  def test_nodes_and_steps(self):
    trace = self.trace()
    nodes = self.hits(trace, "op:STORE")
    self.assertTrue(nodes)
    for hit in nodes:
      self.assertEqual(hit["kind"], "node")
      self.assertTrue(hit["title"].startswith("STORE"), hit)
      self.assertEqual(json.loads(self.ok("query", trace, f"SELECT node_op({hit['node']}) AS op", "--json"))["op"], "STORE")
    self.assertEqual(self.hits(trace, "op:STORE", "is:first")[0]["kind"], "step")

  def test_a_rule_and_its_firings(self):
    trace = self.trace()
    name, fired = json.loads(self.ok("query", trace, "SELECT json_array(name, hits) AS r FROM rule_statistics ORDER BY hits DESC", "--json",
                                     "--rows", 1).splitlines()[0])["r"].strip("[]").split(",")
    hits = self.hits(trace, f"rule:={name.strip(chr(34))}")
    self.assertEqual(hits[0]["kind"], "rule")
    self.assertEqual(len([h for h in hits if h["kind"] == "step"]), min(100, int(fired)))

  def test_limits_and_mistakes(self):
    trace = self.trace()
    done = self.ok("search", trace, "is:step", "--rows", 2)
    self.assertEqual(len(done.splitlines()), 2)
    self.refused("search", trace, "op:STOER", says="Did you mean STORE?")
    self.refused("search", trace, "nosuchword", says='fits "nosuchword"')
    self.refused("search", self.folder / "none.rscope", "op:ADD", says="there is no file")


class Panels(Case):
  def test_provenance(self):
    trace = self.trace()
    made = json.loads(self.ok("query", trace, "SELECT after AS node FROM matches ORDER BY id DESC LIMIT 1", "--json"))["node"]
    out = self.ok("provenance", trace, made)
    self.assertIn(f"{made}  made by ", out)
    self.assertEqual(out.count("\n>") + out.startswith(">"), 1)
    self.refused("provenance", trace, 10**9, says="there is no node")

  def test_pathologies(self):
    out = self.ok("pathologies", self.trace())
    for title in ("Rules by time", "Passes without effect", "Growth, in nodes", "Rewrites that undo others"):
      self.assertIn(title, out)

  def test_saved_queries(self):
    trace = self.trace()
    names = [line.split()[0] for line in self.ok("query", "--list").splitlines()]
    self.assertGreaterEqual(len(names), 8)
    for name in names:
      self.ok("query", trace, "--saved", name)
    first = self.ok("query", trace, "--saved", "expensive-rules", "--json").splitlines()[0]
    self.assertGreater(float(json.loads(first)["ms"]), 0)
    self.refused("query", trace, "--saved", "nobody", says='there is no query "nobody"')
    self.refused("query", trace, code=2, says="query wants")


if __name__ == "__main__":
  unittest.main()
