"""Every subcommand that needs no Vulkan device, on small programs of the golden corpus."""

import gzip
import json
import subprocess
import sys
import unittest

from program import GOLDEN, MANY, NAME, RANGEIFY, USAGE, Case, golden_program


def passes(program):
  """Name and number of matches; a pass is [depth, name, ..., matches]."""
  return [(p[0], p[1], len(p[-1])) for p in program["passes"]]


class Schedule(Case):
  def test_writes_what_the_corpus_holds(self):
    out = self.folder / "out.jsonl"
    self.ok("schedule", RANGEIFY, "--name", NAME, "-o", out)
    made, golden = json.loads(out.read_text()), golden_program()
    self.assertEqual(passes(made), passes(golden))
    self.assertEqual(made["counts"]["matches"], golden["counts"]["matches"])
    self.assertEqual(len(made["schedule"]), len(golden["schedule"]))

  def test_unnamed_buffers_are_numbered_as_recorded_or_from_zero(self):
    path = GOLDEN / "schedule" / "allreduce.jsonl.gz"
    compare = [sys.executable, GOLDEN / "compare.py", path]
    out = self.folder / "out.jsonl"
    self.ok("schedule", path, "-o", out)
    self.assertEqual(subprocess.run([*compare, out], stdout=subprocess.DEVNULL).returncode, 0)
    with gzip.open(path, "rt") as f:
      recorded = [json.loads(line) for line in f]
    last = next(p for p in reversed(recorded) if any("rangeify.py:135" in m[2] for q in p["passes"] for m in q[7]))
    count = last["counts"]["input_nodes"]
    graph = self.folder / "graph.jsonl"
    graph.write_text(json.dumps({"name": "graph", "flags": last["flags"], "nodes": last["nodes"][:count], "root": last["root"]}))
    self.ok("schedule", graph, "-o", out)
    made = json.loads(out.read_text())["nodes"][count:]
    self.assertEqual(min(node[3]["param"]["slot"] for node in made if node[0] == "BUFFER"), 0)

  def test_a_summary_and_statistics(self):
    self.assertRegex(self.ok("schedule", RANGEIFY, "--name", NAME), rf"^{NAME}: \d+ passes, \d+ matches, \d+ kernels\n$")
    lines = self.ok("schedule", RANGEIFY, "--name", MANY, "--stats", "--repeat", 1).splitlines()
    self.assertEqual([json.loads(line)["ordinal"] for line in lines], [0, 1, 2])

  def test_one_of_several_programs_of_a_name(self):
    lines = self.ok("schedule", RANGEIFY, "--name", f"{MANY}#1", "--stats", "--repeat", 1).splitlines()
    self.assertEqual([json.loads(line)["ordinal"] for line in lines], [1])
    self.refused("schedule", RANGEIFY, "--name", f"{MANY}#9", says=f"no program named {MANY}#9")

  def test_dash_is_the_standard_output(self):
    self.assertEqual(json.loads(self.ok("schedule", RANGEIFY, "--name", NAME, "-o", "-"))["name"], NAME)


class Expressions(Case):
  def test_simplify(self):
    name = "test_uop_symbolic.py::TestSymbolic::test_add_1"
    out = self.folder / "out.jsonl"
    self.ok("simplify", GOLDEN / "symbolic.jsonl.gz", "--name", name, "-o", out)
    golden = golden_program(name, GOLDEN / "symbolic.jsonl.gz")
    self.assertEqual(json.loads(out.read_text().splitlines()[0])["render"], golden["render"])


class Traces(Case):
  def test_a_pass_by_its_name(self):
    trace = self.trace()
    def exported(which):
      out = self.folder / "pass.json"
      self.ok("export", trace, "--pass", which, "--step", 0, "-o", out)
      return out.read_text()
    sql = "SELECT id, name, row_number() OVER (PARTITION BY name ORDER BY id) AS n FROM passes WHERE input IS NOT NULL"
    passes = [json.loads(line) for line in self.ok("query", trace, sql, "--json").splitlines()]
    self.assertGreater(max(int(p["n"]) for p in passes), 1)
    for p in passes:
      self.assertEqual(exported(f"{p['name']}#{p['n']}"), exported(p["id"]))
      if p["n"] == "1": self.assertEqual(exported(p["name"]), exported(p["id"]))
    for wrong, says in ("no such pass", "no pass named no such pass"), (f"{passes[0]['name']}#99", "counted from 1"):
      self.refused("export", trace, "--pass", wrong, "-o", self.folder / "x.json", says=says)

  def test_record_info_query(self):
    trace = self.trace()
    self.assertRegex(self.ok("info", trace), rf"^{NAME}\n\d+ passes, \d+ matches of \d+ rules, \d+ nodes\n")
    matches = golden_program()["counts"]["matches"]
    sql = "SELECT count(*) AS n FROM matches"
    self.assertEqual(json.loads(self.ok("query", trace, sql, "--json")), {"n": str(matches)})
    self.assertEqual(self.ok("query", trace, sql).split(), ["n", str(matches)])

  def test_query_reads_only(self):
    trace = self.trace()
    before = trace.read_bytes()
    self.refused("query", trace, "DELETE FROM matches")
    self.assertEqual(trace.read_bytes(), before)

  def test_the_same_program_gives_the_same_matches(self):
    first, second = self.folder / "a.rscope", self.folder / "b.rscope"
    for path in (first, second):
      self.ok("record", RANGEIFY, "--name", NAME, "-o", path)
    sql = 'SELECT pass, rule, "before", "after" FROM matches ORDER BY 1, rowid'
    self.assertEqual(self.ok("query", first, sql), self.ok("query", second, sql))

  def test_export(self):
    trace = self.trace()
    for kind, start in (("svg", b"<?xml"), ("png", b"\x89PNG"), ("dot", b"digraph"), ("json", b'{"nodes"')):
      out = self.folder / f"out.{kind}"
      self.ok("export", trace, "--kernel-graph", "-o", out)
      self.assertTrue(out.read_bytes().startswith(start), kind)
    step = self.folder / "step.json"
    self.ok("export", trace, "--pass", 3, "--step", 1, "-o", step)
    graph = json.loads(step.read_text())
    self.assertEqual(graph["root"], len(graph["nodes"]) - 1)

  def test_record_wants_one_program(self):
    self.refused("record", RANGEIFY, "-o", self.folder / "t.rscope", says="--name")
    self.refused("record", RANGEIFY, "--name", "nobody", "-o", self.folder / "t.rscope", says="no program named nobody")


class ExitCodes(Case):
  def test_usage(self):
    for arguments in ([], ["dance"], ["schedule"], ["schedule", RANGEIFY, "--loud"], ["simplify", RANGEIFY], ["record", RANGEIFY],
                      ["schedule", RANGEIFY, "--repeat", 0]):
      with self.subTest(arguments):
        self.refused(*arguments, code=USAGE)

  def test_help_is_no_failure(self):
    self.assertIn("Exit codes: 0 done", self.ok("--help"))
    self.assertRegex(self.ok("--version"), r"^\d+\.\d+\.\d+\n$")



if __name__ == "__main__":
  unittest.main()
