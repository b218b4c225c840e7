"""The trace format: the writer of its page, one schema for all who write, and damage that `rangescope validate` finds."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys

from door import ROOT, Case
from rangescope_tinygrad import names

DOCS = ROOT / "resources" / "docs"


class Contract(Case):
  def written(self):
    page = (DOCS / "trace-format.md").read_text()
    code = re.search(r"```python\n(.*?)```", page, re.S).group(1)
    self.assertLessEqual(len(code.splitlines()), 40)
    writer, out = self.folder / "writer.py", self.folder / "T.rscope"
    writer.write_text(code)
    subprocess.run([sys.executable, writer, DOCS / "trace-schema.sql", out], check=True, timeout=60)
    return out

  def test_the_writer_of_the_page_keeps_the_format(self):
    out = self.written()
    self.keeps_the_format(out)
    self.assertEqual([p.name for p in self.folder.iterdir() if p.name.startswith("T.")], ["T.rscope"])
    self.assertIn("1 passes, 1 matches of 1 rules, 5 nodes", self.rangescope("info", out))
    self.rangescope("export", out, "--pass", 1, "--step", 1, "-o", self.folder / "step.json")

  def test_the_schema_is_the_same_everywhere(self):
    """That of the page's script, of a trace that the engine recorded, and of one that the package converted."""
    made = "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND substr(name, 1, 2) <> 'x_' ORDER BY name"
    with sqlite3.connect(":memory:") as db:
      page = db.executescript((DOCS / "trace-schema.sql").read_text()).execute(made).fetchall()
    self.assertEqual([kind for kind, _, _ in page].count("view"), 3)
    recorded, converted = self.folder / "recorded.rscope", self.folder / "converted.rscope"
    self.rangescope("record", ROOT / "resources" / "examples" / "transformer_block.jsonl.gz", "-o", recorded)
    self.convert(self.recording(), "-o", converted)
    for trace in (recorded, converted):
      self.assertEqual(page, self.query(trace, made), trace.name)

  def test_names_are_the_same_everywhere(self):
    page = (DOCS / "trace-format.md").read_text()
    for name, path in (("RANGESCOPE_OPS", "op.h"), ("RANGESCOPE_DTYPES", "dtype.h")):
      header = (ROOT / "engine" / "ir" / path).read_text()
      rows = re.search(rf"#define {name}\(X\)(.*?[^\\])\n", header, re.S).group(1)
      own = re.findall(r"X\((\w+)\)", rows) if path == "op.h" else re.findall(r'X\(\w+, "(\w+)"', rows)
      self.assertEqual(own, names.OPS[1:] if path == "op.h" else names.DTYPES)
      self.assertIn(" ".join(own), re.sub(r"\s+", " ", page))

  def test_every_version_still_opens(self):
    for version in (1, 2):
      self.assertIn(f"keeps format {version}:", self.rangescope("validate", ROOT / "tests" / "trace" / "data" / f"version{version}.rscope"))


class Damage(Case):
  """Each case: SQL that damages a sound trace, and what validate says."""

  CASES = (
      ("DELETE FROM meta", "meta: has no 'status'"),
      ("UPDATE meta SET value='done' WHERE key='status'", "meta: 'status' is 'done'"),
      ("DROP INDEX matches_by_pass", "no index matches_by_pass"),
      ("DROP TABLE buffers", "table buffers: is missing"),
      ("ALTER TABLE kernels RENAME COLUMN sink TO sunk", "table kernels: has no column 'sink'"),
      ("DROP TABLE buffers; CREATE VIEW buffers AS SELECT 1", "table buffers: is a view"),
      ("UPDATE matches SET rule=999 WHERE id=7", "matches 7: its rule does not exist"),
      ("UPDATE matches SET pass=999 WHERE id=7", "matches 7: its pass does not exist"),
      ("UPDATE matches SET before=99999 WHERE id=7", "matches 7: its before is no node"),
      ("UPDATE matches SET after=0 WHERE id=7", "matches 7: its after is no node"),
      ("UPDATE matches SET after=before WHERE id=7", "matches 7: before and after are the same node"),
      ("UPDATE matches SET id=9999 WHERE id=7", "matches 9999: ids run from 1 without a gap"),
      ("DELETE FROM matches WHERE id=7", "its `matches` is not the number of its matches"),
      ("UPDATE matches SET pass=(SELECT id FROM passes WHERE is_group) WHERE id=7", ("its `matches` is not the number", "matches 7: its pass is a group")),
      ("UPDATE passes SET parent=id WHERE id=3", "passes 3: its parent does not stand before it"),
      ("UPDATE passes SET depth=7 WHERE id=3", "passes 3: its depth is not one more than its parent's"),
      ("UPDATE passes SET section=9 WHERE id=3", "passes 3: its section does not exist"),
      ("UPDATE passes SET walk=2 WHERE id=3", "passes 3: bottom_up, walk, enter_calls and is_group are 0 or 1"),
      ("UPDATE passes SET input=NULL WHERE id=3", "passes 3: it is no group, and has no input"),
      ("UPDATE passes SET output=1 WHERE id=3", "another graph of its input than its output"),
      ("UPDATE passes SET bottom_up=1-bottom_up, walk=1 WHERE matches=(SELECT max(matches) FROM passes)", "another graph of its input"),
      ("UPDATE rules SET name='' WHERE id=2", "rules 2: has no name"),
      ("UPDATE rules SET pattern='x' WHERE id=2", "rules 2: its pattern is no JSON object"),
      ("UPDATE args SET json='{\"what\":1}' WHERE id=2", "args 2: an argument cannot be read"),
      ("DELETE FROM args WHERE id=(SELECT max(id) FROM args)", "; args has "),
      ("UPDATE node_blocks SET first=2 WHERE first=1", "node_blocks 2: should begin with node 1"),
      ("UPDATE node_blocks SET count=count+1 WHERE first>256 AND count<256", "is cut short"),
      ("UPDATE node_blocks SET count=0 WHERE first=1", "node_blocks 1: holds 0 nodes"),
      ("UPDATE node_blocks SET data=substr(data, 1, 99) WHERE first=1", "is cut short"),
      ("UPDATE node_blocks SET data=data||x'00' WHERE first=1", "bytes to spare"),
      ("UPDATE node_blocks SET data=x'7f'||substr(data, 2) WHERE first=1", "an op or dtype that does not exist"),
      ("INSERT INTO errors VALUES (NULL, 999, NULL, 'x')", "its pass does not exist"),
      ("INSERT INTO errors VALUES (NULL, 3, 1, 'x')", "its match has an after"),
      ("INSERT INTO schedule VALUES (9, 'cake', NULL, 55, '[1, 99999]')",
       ("schedule 9: kind is kernel, copy or call", "schedule 9: its kernel does not exist", "schedule 9: buffers names what is no node")),
      ("INSERT INTO schedule VALUES (9, 'copy', NULL, NULL, '[')", "schedule 9: buffers is no JSON array"),
      ("INSERT INTO kernels(id, name, linear) VALUES (9, 'k', '[0]')", "kernels 9: linear names what is no node"),
      ("INSERT INTO dispatches VALUES (9, 9, 0, 0, 0, 0, -1)",
       ("its run does not exist", "its item is not in the schedule", "there is no launch", "ns and repeat are not below 0")),
      ("INSERT INTO dispatches VALUES (1, 1, 0, 99, 0, 0, 'fast')", "dispatches 1.1.0.99.0: ns is text, not an integer"),
      ("UPDATE passes SET ns='long' WHERE id=3", "passes 3: ns is text, not an integer"),
      ("UPDATE passes SET depth=x'00' WHERE id=3", "passes 3: depth is blob, not an integer"),
      ("UPDATE matches SET ns=1.5 WHERE id=7", "matches 7: ns is real, not an integer"),
      ("UPDATE matches SET rule='add' WHERE id=7", "matches 7: rule is text, not an integer"),
      ("UPDATE rules SET source=x'00ff' WHERE id=2", "rules 2: source is blob, not a text"),
      ("UPDATE node_blocks SET data='text' WHERE first=1", "node_blocks 1: data is text, not a blob"),
      ("UPDATE node_blocks SET count='many' WHERE first=1", "node_blocks 1: count is text, not an integer"),
      ("INSERT OR REPLACE INTO meta VALUES ('program', x'07')", "meta program: value is blob, not a text"),
      ("INSERT INTO runs VALUES (9, 'd', 'x', 'often', 0, 1, 0, 0)", "runs 9: timestamp_period_ns is text, not a number"),
      ("INSERT INTO launches VALUES (1, 99, NULL, 'some', 0, 0)", "launches 1.99: ops is text, not an integer"),
      ("INSERT INTO buffers VALUES (9, NULL, NULL, NULL, 'x', 'y')", "buffers 9: count is text, not an integer"),
      ("CREATE TABLE t(id INTEGER PRIMARY KEY, section, parent, depth, name, bottom_up, walk, enter_calls, is_group, input, output, matches, ns);"
       "INSERT INTO t SELECT * FROM passes; UPDATE t SET name=NULL WHERE id=3; DROP TABLE passes; ALTER TABLE t RENAME TO passes",
       "passes 3: name is null, not a text"),
      ("DROP VIEW kernel_times", "view kernel_times: is missing"),
      ("CREATE TABLE mine(id)", "table mine: is not of the format; names of a writer's own begin with x_"),
      ("UPDATE sections SET kind='cake' WHERE id=1", "sections 1: kind is schedule, kernel or other"),
      ("UPDATE passes SET section=1 WHERE id=(SELECT max(id) FROM passes)", "sections 1: its passes are not one run"),
      ("INSERT OR REPLACE INTO meta VALUES ('flags', '[1]')", "meta flags: is no JSON object"),
      ("INSERT OR REPLACE INTO meta VALUES ('kernel_graph', 'x')", "meta kernel_graph: is no node"),
      ("INSERT INTO kernels(id, name, global_size) VALUES (9, 'k', '[1,\"x\"]')", "kernels 9: global_size holds what is no size"),
      ("INSERT INTO errors VALUES (NULL, 3, (SELECT id FROM matches WHERE pass<>3 LIMIT 1), 'x')", "its match is of another pass"),
      ("INSERT INTO node_metadata VALUES (99999, 'x', NULL)", "node_metadata 99999: is no node"),
      ("PRAGMA writable_schema=1; UPDATE sqlite_master SET rootpage=1 WHERE name='args'", "damaged"),
  )

  def setUp(self):
    super().setUp()
    self.sound = self.folder / "sound.rscope"
    shutil.copy(ROOT / "tests" / "trace" / "data" / "version2.rscope", self.sound)

  def test_each_damage_is_found_where_it_is(self):
    self.keeps_the_format(self.sound)
    for sql, says in self.CASES:
      with self.subTest(sql):
        bad = self.folder / "bad.rscope"
        shutil.copy(self.sound, bad)
        with sqlite3.connect(bad) as db:
          db.executescript(sql)
        db.close()
        done = subprocess.run([os.environ["RANGESCOPE"], "validate", bad], capture_output=True, text=True, timeout=240)
        self.assertEqual(done.returncode, 1, done.stdout)
        for text in (says,) if isinstance(says, str) else says:
          self.assertIn(text, done.stdout + done.stderr)

  def test_tables_of_a_writers_own_are_no_damage(self):
    with sqlite3.connect(self.sound) as db:
      db.executescript("CREATE TABLE x_memory(id INTEGER PRIMARY KEY)")
    self.keeps_the_format(self.sound)


class Diff(Case):
  def recorded(self, name, change=None):
    path = self.folder / name
    shutil.copy(ROOT / "tests" / "trace" / "data" / "version2.rscope", path)
    if change:
      with sqlite3.connect(path) as db:
        db.executescript(change)
      db.close()
    return path

  def test_the_first_place_where_two_traces_part(self):
    a = self.recorded("a.rscope")
    self.assertIn("the same, ", self.rangescope("diff", a, self.recorded("b.rscope")))
    of_pass = "(SELECT id FROM matches WHERE pass=(SELECT pass FROM matches GROUP BY pass HAVING count(*) > 9 LIMIT 1) ORDER BY id LIMIT 1 OFFSET 5)"
    a_pass = "(SELECT pass FROM matches LIMIT 1)"
    for change, what, index in ((f"UPDATE matches SET rule=rule % (SELECT count(*) FROM rules) + 1 WHERE id={of_pass}", "rule", 5),
                                (f"UPDATE matches SET after=1 WHERE id={of_pass}", "after", 5),
                                (f"UPDATE matches SET before=1 WHERE id={of_pass}", "before", 5),
                                (f"DELETE FROM matches WHERE pass=(SELECT pass FROM matches WHERE id={of_pass}) AND id>={of_pass}", "count", 5),
                                (f"UPDATE passes SET name='x' WHERE id={a_pass}", "pass", 0), (f"UPDATE passes SET walk=1-walk WHERE id={a_pass}", "flags", 0),
                                (f"UPDATE passes SET input=1 WHERE id={a_pass}", "input", 0), ("DELETE FROM passes WHERE id>20", "pass", 0),
                                ("UPDATE rules SET name='other'", None, 0)):
      with self.subTest(change):
        b = self.recorded("b.rscope", change)
        d = json.loads(self.rangescope("diff", a, b, "--json", code=0 if what is None else 3))
        self.assertEqual(d["same"], what is None)
        if what:
          first = next(p["first"] for p in d["parts"] if not p["same"])
          self.assertEqual((first["what"], first["index"]), (what, index))
          self.assertIn("A (--pass", self.rangescope("diff", a, b, code=3))

  def test_what_is_no_trace(self):
    self.rangescope("diff", self.recorded("a.rscope"), self.folder / "none.rscope", code=1)
