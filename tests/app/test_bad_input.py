"""What must be refused: each with an exit code, a message, and nothing lost."""

import json
import os
import sqlite3
import unittest

from program import EXAMPLE, GOLDEN, NAME, PARTLY, RANGEIFY, Case, golden_program

DISPLAY = {"QT_QPA_PLATFORM": "offscreen"}  # one to open a window on
NO_VULKAN = {"VK_ICD_FILENAMES": "/nonexistent", "VK_DRIVER_FILES": "/nonexistent", "VK_ADD_DRIVER_FILES": ""}


def edge(program):
  """Some node with a source: (index of the node, its row)."""
  return next((i, n) for i, n in enumerate(program["nodes"]) if n[2])


class Programs(Case):
  def every_reader_refuses(self, path, says=""):
    out = self.folder / "out"
    for command in ("schedule", "simplify", "codegen", "record"):
      with self.subTest(command):
        self.refused(command, path, "-o", out, says=says)

  def test_not_json(self):
    self.every_reader_refuses(self.programs("not json"), "in.jsonl line 1")

  def test_json_of_another_shape(self):
    for text in ("[]", "{}", "3", '{"name":"x","nodes":3,"root":0}', '{"name":"x","nodes":[],"root":0}', '{"name":"x","nodes":[[]],"root":0}'):
      with self.subTest(text):
        self.every_reader_refuses(self.programs(text), "in.jsonl line 1")

  def test_cut_line(self):
    self.every_reader_refuses(self.programs(json.dumps(golden_program())[:2000]), "in.jsonl line 1")

  def test_nesting_without_end(self):
    self.every_reader_refuses(self.programs("[" * 200000))

  def test_cycle(self):
    p = golden_program()
    i, row = edge(p)
    row[2][0] = i
    self.every_reader_refuses(self.programs(p), "in.jsonl line 1")
    row[2][0] = i + 1
    self.every_reader_refuses(self.programs(p), "in.jsonl line 1")

  def test_source_out_of_range(self):
    p = golden_program()
    for source in (10**9, -1, 2**63, 1.5, "0", None):
      with self.subTest(source):
        edge(p)[1][2][0] = source
        self.every_reader_refuses(self.programs(p), "in.jsonl line 1")
        p = golden_program()

  def test_unknown_op_and_dtype(self):
    for at, word in ((0, "DANCE"), (1, "float31")):
      p = golden_program()
      edge(p)[1][at] = word
      self.every_reader_refuses(self.programs(p), word)

  def test_no_file_and_no_gzip(self):
    self.every_reader_refuses(self.folder / "missing.jsonl", "missing.jsonl")
    cut = self.folder / "cut.jsonl.gz"
    cut.write_bytes(RANGEIFY.read_bytes()[:3000])
    self.every_reader_refuses(cut, "cut.jsonl.gz")
    # what came whole before the cut is done all the same
    cut.write_bytes(RANGEIFY.read_bytes()[:-3000])
    done = self.refused("schedule", cut, "--stats", "--repeat", 1, code=PARTLY, says="cut off")
    self.assertGreater(len(done.stdout.splitlines()), 3)
    self.every_reader_refuses(self.programs(), "no programs")
    self.every_reader_refuses(self.folder)

  def test_the_others_are_done(self):
    p = golden_program()
    out = self.folder / "out.jsonl"
    bad = golden_program()
    edge(bad)[1][0] = "DANCE"
    self.refused("schedule", self.programs(p, bad, p), "-o", out, code=PARTLY, says="in.jsonl line 2")
    self.assertEqual(len(out.read_text().splitlines()), 2)


class Traces(Case):
  def every_reader_refuses(self, path):
    before = path.read_bytes() if path.is_file() else None
    self.refused("info", path)
    self.refused("query", path, "SELECT 1")
    self.refused("export", path, "--kernel-graph", "-o", self.folder / "out.svg")
    self.refused("view", path, "--screenshot", self.folder / "out.png")
    self.refused("view", path, **DISPLAY)  # before there is a window
    if before is not None:
      self.assertEqual(path.read_bytes(), before)

  def test_cut(self):
    whole = self.trace().read_bytes()
    for size in (0, 10, 100, 4096, len(whole) // 2):
      with self.subTest(size):
        path = self.folder / "cut.rscope"
        path.write_bytes(whole[:size])
        self.every_reader_refuses(path)

  def test_a_database_of_another_program(self):
    path = self.folder / "other.db"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE matches (id INTEGER PRIMARY KEY, note TEXT)")
    db.execute("INSERT INTO matches VALUES (1, 'mine')")
    db.commit()
    db.close()
    self.every_reader_refuses(path)
    before = path.read_bytes()
    self.refused("record", RANGEIFY, "--name", NAME, "-o", path, says="other.db")
    self.assertEqual(path.read_bytes(), before)

  def test_not_a_database(self):
    path = self.folder / "notes.txt"
    path.write_text("mine\n")
    self.every_reader_refuses(path)
    self.refused("record", RANGEIFY, "--name", NAME, "-o", path, says="notes.txt")
    self.assertEqual(path.read_text(), "mine\n")
    self.every_reader_refuses(self.folder / "missing.rscope")
    self.assertFalse((self.folder / "missing.rscope").exists())

  def test_a_display_that_does_not_answer(self):
    trace = self.trace()
    self.refused("view", trace, says="does not answer", DISPLAY=":987", WAYLAND_DISPLAY="", QT_QPA_PLATFORM="xcb")

  def test_a_pass_or_step_that_is_not_there(self):
    trace = self.trace()
    out = self.folder / "out.svg"
    self.refused("export", trace, "--pass", 10**6, "-o", out)
    self.refused("export", trace, "--pass", 3, "--step", 10**6, "-o", out)
    self.refused("export", trace, "--pass", 3, "-o", self.folder / "out.gif", says=".svg")
    self.assertFalse(out.exists())
    shot = self.folder / "shot.png"
    db = sqlite3.connect(trace)
    number, matches = db.execute("SELECT id, matches FROM passes WHERE input IS NOT NULL ORDER BY matches DESC LIMIT 1").fetchone()
    db.close()
    for to in ([], ["--screenshot", shot]):
      self.refused("view", trace, "--pass", 10**6, *to, says=f"no pass {10**6}", **DISPLAY)
      self.refused("view", trace, "--pass", number, "--step", matches + 1, *to, says=f"no step {matches + 1}", **DISPLAY)
    self.assertFalse(shot.exists())
    self.ok("view", trace, "--pass", number, "--step", matches, "--screenshot", shot)

  def test_a_trace_without_passes(self):
    trace = self.trace()
    db = sqlite3.connect(trace)
    for table in ("errors", "matches", "passes"):
      db.execute(f"DELETE FROM {table}")
    db.commit()
    db.close()
    self.refused("view", trace, "--screenshot", self.folder / "shot.png", says="holds no passes")

  def test_a_damaged_trace_has_no_picture(self):
    trace, shot = self.trace(), self.folder / "shot.png"
    db = sqlite3.connect(trace)
    db.execute("UPDATE node_blocks SET data = x'00'")
    db.commit()
    db.close()
    self.refused("view", trace, "--screenshot", shot, says="")
    self.assertFalse(shot.exists())

  def test_bad_sql(self):
    trace = self.trace()
    for sql in ("SELEC 1", "SELECT * FROM nobody", "SELECT 1; SELECT 2", "ATTACH 'x' AS y", "PRAGMA journal_mode=DELETE", "VACUUM"):
      with self.subTest(sql):
        self.refused("query", trace, sql)
    self.refused("query", trace, "", code=2, says="a SELECT")
    self.refused("query", trace, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n", "--time", 100)


class Writing(Case):
  def test_a_folder_that_is_not_there(self):
    trace = self.trace()
    self.refused("schedule", RANGEIFY, "--name", NAME, "-o", "/nonexistent/x", says="/nonexistent/x")
    self.refused("simplify", RANGEIFY, "--name", NAME, "-o", "/nonexistent/x", says="/nonexistent/x")
    self.refused("codegen", RANGEIFY, "--name", NAME, "-o", "/nonexistent/x", says="/nonexistent/x")
    self.refused("record", RANGEIFY, "--name", NAME, "-o", "/nonexistent/x", says="/nonexistent/x")
    for kind in ("svg", "png", "dot", "json"):
      self.refused("export", trace, "--kernel-graph", "-o", f"/nonexistent/x.{kind}", says=f"/nonexistent/x.{kind}")
    self.refused("view", trace, "--screenshot", "/nonexistent/x.png", says="/nonexistent/x.png")

  def test_a_trace_into_a_pipe(self):
    pipe = self.folder / "pipe"
    os.mkfifo(pipe)
    self.refused("record", RANGEIFY, "--name", NAME, "-o", pipe, says="a device or a pipe")
    self.assertTrue(pipe.is_fifo())

  @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full here")
  def test_a_full_disk(self):
    trace = self.trace()
    self.refused("schedule", RANGEIFY, "--name", NAME, "-o", "/dev/full", says="No space left")
    self.refused("simplify", RANGEIFY, "--name", NAME, "-o", "/dev/full", says="No space left")
    self.refused("record", RANGEIFY, "--name", NAME, "-o", "/dev/full", says="/dev/full")
    with open("/dev/full", "w") as full:
      self.refused("info", trace, stdout=full, says="No space left")
      self.refused("query", trace, "SELECT * FROM matches", stdout=full, says="No space left")
      self.refused("schedule", RANGEIFY, "--name", NAME, stdout=full, says="No space left")

  def test_no_room_for_an_export(self):
    trace = self.trace()
    for kind in ("svg", "png", "dot", "json"):
      with self.subTest(kind):
        out = self.folder / f"out.{kind}"
        out.write_text("mine\n")
        self.refused("export", trace, "--kernel-graph", "-o", out, says=f"cannot write {out}", file_limit=100)
        self.assertEqual(out.read_text(), "mine\n")
    shot = self.folder / "shot.png"
    self.refused("view", trace, "--screenshot", shot, says=f"cannot write {shot}", file_limit=100)
    self.assertFalse(shot.exists())

  def test_no_room_for_a_recording_that_replaces_another(self):
    trace, old = self.folder / "t.rscope", self.folder / "t.rscope.old"
    self.ok("record", EXAMPLE, "-o", trace)
    before = trace.read_bytes()
    self.refused("record", EXAMPLE, "-o", trace, says=str(trace), file_limit=0)  # not even begun
    self.assertEqual(trace.read_bytes(), before)
    self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["t.rscope"])
    self.refused("record", EXAMPLE, "-o", trace, says=f"The trace that was there before is {old} now", file_limit=100_000)
    self.assertEqual(old.read_bytes(), before)
    self.ok("record", EXAMPLE, "-o", trace)
    self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["t.rscope"])

  def test_an_export_to_something_that_is_no_file_does_not_replace_it(self):
    trace = self.trace()
    link = self.folder / "null.svg"
    sink = self.folder / "sink"
    os.mkfifo(sink)
    link.symlink_to(sink)
    reader = os.open(sink, os.O_RDONLY | os.O_NONBLOCK)
    self.addCleanup(os.close, reader)
    self.ok("export", trace, "--kernel-graph", "-o", link)
    self.assertTrue(sink.is_fifo())
    self.assertTrue(link.is_symlink())
    self.assertTrue(os.read(reader, 5).startswith(b"<?xml"))


  def test_what_was_in_the_file_stays_when_nothing_comes_of_it(self):
    precious = self.folder / "precious.jsonl"
    precious.write_text("precious\n")
    for command in ("schedule", "simplify", "codegen", "run"):
      self.refused(command, self.folder / "nosuch.jsonl", "-o", precious)
      self.assertEqual(precious.read_text(), "precious\n", command)
    self.assertEqual([p.name for p in self.folder.iterdir()], ["precious.jsonl"])

  def test_a_file_can_be_written_over_itself(self):
    path = self.programs(golden_program())
    self.ok("schedule", path, "-o", path)
    self.assertEqual(json.loads(path.read_text())["name"], NAME)

  def test_a_recording_that_is_refused_keeps_the_one_that_was_there(self):
    trace = self.trace()
    before = self.ok("query", trace, "SELECT count(*) FROM matches")
    refused = "test_assign.py::TestAssign::test_assign_diamond_cycle"
    self.refused("record", GOLDEN / "schedule" / "assign.jsonl.gz", "--name", refused, "-o", trace, says=f"before is {trace}.old now.")
    self.assertEqual(self.ok("query", f"{trace}.old", "SELECT count(*) FROM matches"), before)
    self.ok("info", trace)


class NoVulkan(Case):
  def test_run_says_so_and_record_keeps_the_schedule(self):
    self.refused("run", RANGEIFY, "--name", NAME, says="Vulkan", **NO_VULKAN)
    trace = self.folder / "t.rscope"
    self.refused("record", RANGEIFY, "--name", NAME, "--run", "-o", trace, says="Vulkan", **NO_VULKAN)
    kept = self.ok("query", trace, "SELECT count(*) FROM matches").split()[-1]
    self.assertEqual(int(kept), golden_program()["counts"]["matches"])
    self.ok("info", trace, **NO_VULKAN)


if __name__ == "__main__":
  unittest.main()
