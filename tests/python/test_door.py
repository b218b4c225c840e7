"""capture, trace and convert, from a program's start to a file that rangescope opens."""

import gzip
import json
import os
import shutil

from door import REALIZE, ROOT, SCRIPT, STUB, Case, stub_graph


class Capture(Case):
  def test_each_graph_is_a_line_that_the_engine_schedules(self):
    out = self.folder / "graphs.jsonl"
    self.door("capture", self.script(REALIZE + "realize(program(5))\n"), "-o", out, says="2 graphs")
    first = json.loads(out.read_text().splitlines()[0])
    self.assertEqual(first["name"], "script.py")
    self.assertEqual(first["nodes"][1], ["PARAM", "weakint", [0],
                                         {"param": {"slot": 0, "dtype": "weakint", "vmin_vmax": [0, 9], "name": "x",
                                                    "addrspace": {"addrspace": "ALU"}}}, None])
    self.assertEqual(first["root"], 6)

  def test_a_graph_of_the_corpus_comes_back_as_it_was(self):
    from rangescope_tinygrad.capture import graph_line
    with gzip.open(ROOT / "resources" / "examples" / "transformer_block.jsonl.gz", "rt") as f:
      program = json.loads(f.readline())
    line = json.loads(graph_line(stub_graph(program), program["name"], {}))
    self.assertEqual(line["nodes"], program["nodes"])
    again = self.folder / "again.jsonl"
    again.write_text(json.dumps(line) + "\n")
    self.assertRegex(self.rangescope("schedule", again), "74 passes, 949 matches, 16 kernels")

  def test_settings_are_in_the_line(self):
    out = self.folder / "graphs.jsonl"
    self.door("capture", self.script("from tinygrad import helpers\nhelpers.PCONTIG.value = 2\n" + REALIZE), "-o", out)
    self.assertEqual(json.loads(out.read_text())["flags"], {"PCONTIG": 2})

  def test_the_script_has_its_arguments_and_its_folder(self):
    self.script("VALUE = 2\n", "beside.py")
    script = self.script(SCRIPT + "import sys, beside\nassert sys.argv[1:] == ['-o', '--', 'x'], sys.argv\nrealize(program(beside.VALUE))\n")
    self.door("capture", script, "-o", self.folder / "g.jsonl", "--", "-o", "--", "x", says="1 graphs")

  def test_a_script_that_raises_keeps_what_came_before(self):
    out = self.folder / "g.jsonl"
    script = self.script(REALIZE + "raise RuntimeError('no more')\n")
    self.door("capture", script, "-o", out, code=1, says="the script raised RuntimeError: no more")
    self.assertEqual(len(out.read_text().splitlines()), 1)
    self.door("capture", self.script(REALIZE + "raise SystemExit(4)\n"), "-o", out, code=1, says="the script left with 4")
    self.door("capture", self.script(REALIZE + "raise SystemExit(0)\n"), "-o", out, says="1 graphs")

  def test_what_cannot_be_done_is_said(self):
    script = self.script(REALIZE)
    self.door("capture", self.folder / "none.py", "-o", "g.jsonl", code=1, says="there is no script")
    self.door("capture", script, "-o", "none/g.jsonl", code=1, says="cannot write none/g.jsonl")
    self.door("capture", script, "-o", "g.jsonl", code=1, says="PYTHONPATH=path/to/tinygrad", tinygrad=None)
    self.door("capture", self.script("pass\n", "idle.py"), "-o", "g.jsonl", code=1, says="scheduled nothing")
    self.door("capture", script, "-o", "g.jsonl", code=1, says="cannot write g.jsonl", file_limit=100)


class Trace(Case):
  def trace(self, script, **how):
    out = self.folder / "t.rscope"
    self.door("trace", self.script(script), "-o", out, **how)
    return out

  def test_passes_matches_rules_and_nodes(self):
    t = self.trace(REALIZE)
    self.keeps_the_format(t)
    self.assertEqual(self.query(t, "SELECT depth, name, parent, matches FROM passes"),
                     [(0, "clean", None, 1), (0, "double", None, 1), (1, "check", 2, 0)])
    rules = self.query(t, "SELECT name, ref, pattern, source FROM rules ORDER BY id")
    self.assertEqual([r[1] for r in rules], ["schedule/rangeify.py:21", "schedule/rangeify.py:22"])
    self.assertEqual(rules[0][0], "fold-zero (schedule/rangeify.py:21)")
    self.assertIn('("x + 0", fold_zero)', rules[0][3])
    self.assertIn("def fold_zero(u):", rules[0][3])
    self.assertIn('("x * 2",\n double)', rules[1][3])
    self.assertEqual(self.query(t, "SELECT value FROM meta WHERE key IN ('status', 'program') ORDER BY key"), [("script.py",), ("complete",)])
    # the product's replacement was first shown by the second match, its sources were there
    made = json.loads(self.rangescope("query", t, "SELECT node_op(after) AS op, node_made_by(after) AS m FROM matches WHERE id=2", "--json"))
    self.assertEqual(made, {"op": "ADD", "m": "2"})
    self.assertEqual(self.query(t, "SELECT DISTINCT name FROM node_metadata"), [("relu",)])

  def test_a_step_is_a_graph(self):
    t = self.trace(REALIZE)
    out = self.folder / "step.json"
    self.rangescope("export", t, "--pass", 2, "--step", 1, "-o", out)
    self.assertEqual([n[0] for n in json.loads(out.read_text())["nodes"]], ["STACK", "PARAM", "ADD", "SINK"])

  def test_a_rule_that_raises_is_the_end_of_its_pass(self):
    t = self.trace(SCRIPT + "realize(program(2))\nrealize(program(3))\n", code=1, says="ValueError: three is too many")
    self.keeps_the_format(t)
    # the last pass did not end
    self.assertEqual(self.query(t, "SELECT id, output IS NULL, matches FROM passes WHERE depth = 0"), [(1, 0, 1), (2, 0, 1), (4, 0, 1), (5, 1, 0)])
    self.assertEqual(self.query(t, "SELECT pass, match, message FROM errors ORDER BY id")[0], (5, 4, "ValueError\nthree is too many"))
    self.assertEqual(self.query(t, "SELECT after FROM matches WHERE id=4"), [(None,)])

  def test_what_a_script_raises_is_told_as_python_tells_it(self):
    done = self.door("trace", self.script(REALIZE + "def f(): raise RuntimeError('no more')\nf()\n"), "-o", "t.rscope", code=1,
                     says="RuntimeError: no more")
    self.assertIn("script.py", done.stderr)
    self.assertNotIn("runpy", done.stderr)

  def test_what_cannot_be_done_is_said(self):
    self.trace("pass\n", code=1, says="made no graph")
    for out, says in (("none/t.rscope", "there is no folder"), (".", "is a folder")):  # before the script runs
      done = self.door("trace", self.script("print('it ran')\n" + REALIZE), "-o", out, code=1, says=says)
      self.assertNotIn("it ran", done.stdout)
    notes = self.folder / "notes.txt"
    notes.write_text("mine\n")
    self.door("trace", self.script(REALIZE), "-o", notes, code=1, says="not a trace")
    self.assertEqual(notes.read_text(), "mine\n")
    pipe = self.folder / "pipe"
    os.mkfifo(pipe)
    self.door("trace", self.script(REALIZE), "-o", pipe, code=1, says="a device or a pipe")
    self.assertTrue(pipe.is_fifo())


class Convert(Case):
  def test_a_pickle_gives_the_trace_of_the_same_run(self):
    traced, converted = self.folder / "a.rscope", self.folder / "b.rscope"
    self.door("trace", self.script(REALIZE), "-o", traced)
    self.convert(self.recording(), "-o", converted, says="3 passes, 2 matches")
    self.keeps_the_format(converted)
    for table in ("passes", "matches", "rules"):
      columns = "*" if table != "passes" else "id, parent, depth, name, input, output, matches"
      self.assertEqual(self.query(traced, f"SELECT {columns} FROM {table}"), self.query(converted, f"SELECT {columns} FROM {table}"))
    same = self.rangescope("diff", traced, converted)
    self.assertIn("neither trace holds a schedule", same)

  def test_protocols(self):
    for protocol in (2, 3, 4, 5):
      out = self.folder / f"{protocol}.rscope"
      self.convert(self.recording(protocol=protocol), "-o", out, says="2 matches")
      self.keeps_the_format(out)

  def test_nothing_in_a_pickle_is_run(self):
    flag = self.folder / "ran"

    class Evil:
      def __reduce__(self):
        return (exec, (f"open({str(flag)!r}, 'w').close()",))
    self.convert(self.pickled(Evil()), "-o", "t.rscope", code=1, says="holds no rewrites")
    self.convert(self.pickled([Evil(), {"uop_fields": Evil()}]), "-o", "t.rscope", code=1)
    self.assertFalse(flag.exists())
    self.assertFalse((self.folder / "t.rscope").exists())

  def test_what_is_no_pickle(self):
    for content, says in ((b"", "empty"), (b"hello\n", "not a pickle"), (b"\x80\x04\x95", "cut short"), (b"\x80\x04\xff.", "no instruction"),
                          (b"PK\x03\x04" + bytes(100), "not a pickle")):
      path = self.folder / "bad.pkl"
      path.write_bytes(content)
      self.convert(path, "-o", "t.rscope", code=1, says=says)
    self.convert(self.folder / "none.pkl", "-o", "t.rscope", code=1, says="No such file")
    self.convert(self.pickled({"a": 1}), "-o", "t.rscope", code=1, says="holds no rewrites of tinygrad but a dict")
    self.assertFalse((self.folder / "t.rscope").exists())

  def test_a_pickle_that_is_cut_short_gives_what_stands_before(self):
    # more than one batch of nodes, so that some stand whole
    whole = self.recording(SCRIPT + "for i in range(400): realize(program(10 + i))\nrealize(program(2))\n").read_bytes()
    cut = self.folder / "cut.pkl"
    for part in (0.3, 0.9, 0.97, 0.999):
      cut.write_bytes(whole[:int(len(whole) * part)])
      out = self.folder / f"{part}.rscope"
      done = self.convert(cut, "-o", out, code=1, says="cut short")
      if out.exists():
        self.keeps_the_format(out)
        self.assertIn("holds what stands before", done)
        self.assertGreater(self.query(out, "SELECT count(*) FROM passes")[0][0], 0)
        self.assertIn("cut short", self.query(out, "SELECT message FROM errors")[0][0])
    self.assertTrue(out.exists())

  def test_every_cut_and_flip_is_an_error_or_a_trace(self):
    from rangescope_tinygrad import rewrites
    from rangescope_tinygrad.problem import Problem
    whole = self.recording().read_bytes()
    path = self.folder / "bad.pkl"
    for i in range(0, len(whole), 7):
      for bad in (whole[:i], whole[:i] + bytes((whole[i] ^ 0x41,)) + whole[i + 1:]):
        path.write_bytes(bad)
        try:
          rewrites.from_pickle(path)
        except Problem:
          pass

  def test_another_version_of_tinygrad(self):
    whole = self.recording(protocol=2).read_bytes()

    def changed(old, new):
      path = self.folder / "other.pkl"
      path.write_bytes(whole.replace(old, new))
      return path
    # by name and by value, a member of an enumeration that is not known; a field that has another name
    self.convert(changed(rb"enter_calls", rb"enter_holes"), "-o", "t.rscope", code=1, says="no 'enter_calls'")
    self.convert(changed(rb"uop_fields", rb"uop_fielda"), "-o", "t.rscope", code=1, says="another version")
    if b"\x03\0\0\0MUL" in whole:  # from Python 3.12 on, members of an IntEnum stand there by value
      self.convert(changed(b"\x03\0\0\0MUL", b"\x03\0\0\0MUX"), "-o", "t.rscope", code=1, says="op MUX is not known")
    self.convert(changed(rb"weakint", rb"weaksqt"), "-o", "t.rscope", code=1, says="dtype 'weaksqt' is not known")
    self.convert(changed(rb"walk", rb"wolk"), "-o", "t.rscope", code=1, says="no 'walk': this is of another version of tinygrad")
    self.assertFalse((self.folder / "t.rscope").exists())

  def test_ops_that_have_other_numbers(self):
    """Newer Pythons write an op by its number. In another version of tinygrad 32 may be what is 33 here."""
    from rangescope_tinygrad.foreign import Class
    from rangescope_tinygrad.problem import OtherVersion
    from rangescope_tinygrad.rewrites import Rewrites
    ops, void = Class("tinygrad.uop", "Ops"), Class("tinygrad.dtype", "DType").call((0, 0, "void", None))
    sink, neg, add = (ops.call((n,)) for n in (12, 31, 33))
    Rewrites().add_nodes([0, (sink, void, (), None, None), 1, (neg, void, (0,), None, None), 2, (add, void, (0, 1), None, None)])
    with self.assertRaisesRegex(OtherVersion, "node 1 is ADD with 1 sources"):
      Rewrites().add_nodes([0, (sink, void, (), None, None), 1, (add, void, (0,), None, None)])

  def test_another_tinygrad_that_is_loaded(self):
    """Found before the script runs, where that can be."""
    script = self.script("print('it ran')\n" + REALIZE)
    for path, old, new, command, says in (("schedule/rangeify.py", "def get_kernel_graph", "def get_graph", "capture", "get_kernel_graph"),
                                          ("uop/ops.py", "  walk: bool\n", "", "trace", "a tracked rewrite has no 'walk'"),
                                          ("uop/ops.py", "uop_fields", "uop_table", "trace", "tinygrad.uop.ops has no uop_fields"),
                                          ("schedule/rangeify.py", "import Ops", "import Ops, Opz", "trace", "cannot import name 'Opz'")):
      with self.subTest(says):
        other = self.folder / "other"
        shutil.rmtree(other, ignore_errors=True)
        shutil.copytree(STUB, other)
        file = other / "tinygrad" / path
        file.write_text(file.read_text().replace(old, new))
        done = self.door(command, script, "-o", "out", code=1, says=says, tinygrad=other)
        self.assertIn("another version of tinygrad", done.stderr)
        self.assertNotIn("it ran", done.stdout)
        self.assertFalse((self.folder / "out").exists())

  def test_ops_of_another_tinygrad_are_told_at_once(self):
    other = self.folder / "other"
    shutil.copytree(STUB, other)
    ops = other / "tinygrad" / "uop" / "__init__.py"
    ops.write_text(ops.read_text().replace("PYLITERAL", "PYLITERAL SLICE"))
    done = self.door("trace", self.script(REALIZE), "-o", "t.rscope", tinygrad=other)
    self.assertIn("ops that are not known here (SLICE)", done.stderr)

  def test_a_full_disk(self):
    big = self.recording(SCRIPT + "for i in range(2000): realize(program(10 + i))\n", "big.pkl")
    for limit in (20000, 300000):
      self.convert(big, "-o", "t.rscope", code=1, says="cannot write t.rscope", file_limit=limit)
    # what was there before stays
    out = self.folder / "t2.rscope"
    self.convert(self.recording(), "-o", out)
    self.convert(big, "-o", out, code=1, says="The trace that was there before is", file_limit=300000)
    self.keeps_the_format(f"{out}.old")

  def test_one_that_is_stopped_leaves_whole_passes(self):
    from unittest import mock

    from rangescope_tinygrad import convert, trace_file
    calls = []

    def stopped(*arguments):
      calls.append(1)
      if len(calls) == 900:
        raise KeyboardInterrupt
      return real(*arguments)
    real, out = convert.made, self.folder / "t.rscope"
    many = self.recording(SCRIPT + "for i in range(600): realize(program(2)); realize(program(10 + i))\n")
    with mock.patch.object(convert, "made", stopped), mock.patch.object(trace_file, "_BATCH", 500):
      self.convert(many, "-o", out, code=130, says="stopped")
    self.assertEqual(self.query(out, "SELECT value FROM meta WHERE key='status'"), [("recording",)])
    self.assertGreater(self.query(out, "SELECT count(*) FROM passes")[0][0], 500)
    self.keeps_the_format(out)

  def test_a_profile_that_is_none(self):
    bad = self.pickled({"a": 1})
    self.convert(self.recording(), "--profile", bad, "-o", "t.rscope", code=1, says="holds no profile")


class Help(Case):
  def test_every_command_has_help(self):
    for command in ("capture", "trace", "convert"):
      self.assertIn("-o", self.door(command, "--help", tinygrad=None).stdout)
    self.door(code=2, says="usage", tinygrad=None)


class Elsewhere(Case):
  """What the other commands make of a trace that is not ours."""

  def setUp(self):
    super().setUp()
    self.trace = self.folder / "t.rscope"
    self.convert(self.recording(), "-o", self.trace)

  def test_rules_lists_them(self):
    rows = [json.loads(line) for line in self.rangescope("rules", self.trace, "--fired", "--json").splitlines()]
    self.assertEqual([(r["ref"], r["hits"]) for r in rows], [("schedule/rangeify.py:22", 1), ("schedule/rangeify.py:21", 1)])

  def test_explain_shows_the_source(self):
    self.assertIn("def fold_zero(u):", self.rangescope("explain", self.trace, "--pass", 1, "--step", 0))

  def test_explain_takes_ours_of_the_same_place(self):
    import sqlite3
    with sqlite3.connect(self.trace) as db:
      db.execute("UPDATE rules SET ref='uop/movement.py:7' WHERE id=1")
    db.close()
    said = self.rangescope("explain", self.trace, "--pass", 1, "--step", 0)
    self.assertIn("merge-reshapes", said)
    self.assertIn("fails", said.replace("does not match", "fails"))
