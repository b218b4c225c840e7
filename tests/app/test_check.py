"""Holding a trace against a file of expectations."""

import sqlite3

from program import FAILED, USAGE, Case


class Check(Case):
  def expect(self, *lines):
    path = self.folder / "expect.txt"
    path.write_text("\n".join(lines) + "\n")
    return path

  def setUp(self):
    super().setUp()
    self.file = self.trace()
    with sqlite3.connect(f"file:{self.file}?mode=ro", uri=True) as db:
      self.kernels, = db.execute("SELECT count(*) FROM schedule WHERE kind = 'kernel'").fetchone()
      self.rule, self.hits = db.execute("SELECT name, count(*) FROM matches JOIN rules ON rules.id = rule GROUP BY rule LIMIT 1").fetchone()

  def test_what_holds(self):
    out = self.ok("check", self.file, "--expect", self.expect(
      "# of this program", "", f"kernels = {self.kernels}", "copies == 0", f"rule {self.rule} fired = {self.hits}", "errors < 1",
      "pass View Rangeify matches = 0", "pass View Rangeify count >= 1", "pass no such pass count = 0", "matches > 3", "passes != 0",
      "SELECT count(*) FROM passes WHERE matches <= 0 > 1"))
    self.assertEqual(out, "10 of 10 expectations hold\n")

  def test_what_does_not(self):
    path = self.expect("kernels = 99", "rule no-such-rule fired > 0", "errors = 0")
    done = self.refused("check", self.file, "--expect", path, code=FAILED, says=f"{path}:1: kernels = 99: it is {self.kernels}.")
    self.assertIn(f"{path}:2: rule no-such-rule fired > 0: it is 0.", done.stderr)
    self.assertEqual(done.stdout, "1 of 3 expectations hold\n")

  def test_a_pass_that_is_not_there_has_no_matches_to_count(self):
    self.refused("check", self.file, "--expect", self.expect("pass no such pass matches = 0"), says="nothing of that name")

  def test_what_is_not_understood(self):
    self.refused("check", self.file, "--expect", self.expect("kernels are few"), code=USAGE, says="not understood")
    self.refused("check", self.file, "--expect", self.expect("# nothing"), code=USAGE, says="no expectation")
    self.refused("check", self.file, "--expect", self.expect("SELECT id FROM passes = 1"), says="one row with one number")
    self.refused("check", self.file, "--expect", self.expect("DELETE FROM passes = 1"), code=USAGE, says="not understood")
    self.refused("check", self.file, "--expect", self.folder / "none.txt", says="none.txt")
