"""Run times and memory of a profile, as rows of a trace."""

import decimal
import pickle
import unittest

from door import Case
from rangescope_tinygrad import profile
from rangescope_tinygrad.kernels import Kernel
from rangescope_tinygrad.problem import Problem
from rangescope_tinygrad.rewrites import Pass
from tinygrad.dtype import dtypes
from tinygrad.helpers import ProfilePointEvent, ProfileRangeEvent, TracingKey

us = decimal.Decimal


class OldRangeEvent:
  """Before there was a profile_key."""

  def __init__(self, device, name, st, en):
    self.device, self.name, self.st, self.en = device, name, st, en


OldRangeEvent.__name__ = "ProfileRangeEvent"


class Rows:
  """A trace file that remembers."""

  def __init__(self):
    self.rows, self.created = {}, []

  def add(self, table, row):
    self.rows.setdefault(table, []).append(row)

  def create(self, sql):
    self.created.append(sql)


def kernel(id, name, key=None):
  k = Kernel(id, id, id, name)
  k.keys = (name,) if key is None else (name, key)
  return k


class RunTimes(unittest.TestCase):
  def test_each_run_of_a_kernel_is_a_dispatch_of_its_items_in_turn(self):
    rows = Rows()
    events = [ProfileRangeEvent("GPU", "k", us(10 * i), us(10 * i + 2), b"key") for i in (3, 1, 2)]
    events += [ProfileRangeEvent("GPU", "none", us(1), us(2), b"other"), ProfileRangeEvent("TINY", "k", us(1), us(2)),
               ProfileRangeEvent("GPU", "k", us(50), None, b"key")]
    self.assertEqual(profile.write_runs(rows, events, [kernel(1, "k", b"key")], {1: [7, 9]}), (3, 1))
    self.assertEqual(rows.rows["dispatches"], [(1, 7, 0, 0, 0, 0, 2000), (1, 9, 0, 0, 0, 10000, 2000), (1, 7, 0, 1, 0, 20000, 2000)])
    self.assertEqual(rows.rows["runs"], [(1, "GPU", "tinygrad", None, 0, 2, None, None)])

  def test_names_tell_kernels_where_there_are_no_keys(self):
    rows = Rows()
    events = [OldRangeEvent("GPU", "k", us(1), us(2)), OldRangeEvent("GPU", "k_2", us(3), us(7)), OldRangeEvent("GPU:COPY", "A -> B", us(7), us(8)),
              OldRangeEvent("TINY", "k", us(0), us(9)), OldRangeEvent("USER", TracingKey("k"), us(0), us(9))]
    self.assertEqual(profile.write_runs(rows, events, [kernel(1, "k"), kernel(2, "k_2")], {1: [1], 2: [2]}), (2, 0))
    self.assertEqual([(row[1], row[-1]) for row in rows.rows["dispatches"]], [(1, 1000), (2, 4000)])

  def test_passes_have_the_times_of_their_names(self):
    passes = []
    for name in ("a", "b", "a"):
      p = Pass()
      p.name = name
      passes.append(p)
    profile.pass_times([ProfileRangeEvent("TINY", "a", us(5), us(8)), ProfileRangeEvent("TINY", "a", us(1), us(2)),
                        ProfileRangeEvent("TINY", "b", us(1), us(2)), ProfileRangeEvent("TINY", "b", us(1), us(2))], passes)
    self.assertEqual([p.ns for p in passes], [1000, 0, 3000])  # two spans of b, one pass: not known


class Memory(Case):
  EVENTS = [ProfilePointEvent("GPU", "free", 1, {}, us("12.5")), ProfilePointEvent("GPU", "alloc", 1, {"dtype": dtypes.float32, "sz": 300}, us(10)),
            ProfilePointEvent("TINY", "marker", None, {}, us(1)), ProfilePointEvent("GPU", "free", 9, {}, us(20))]

  def test_allocations_are_rows_in_order_of_time(self):
    rows = Rows()
    self.assertEqual(profile.write_memory(rows, self.EVENTS), 3)
    self.assertEqual(rows.rows["x_memory"], [(1, "GPU", "alloc", 1, "float32", 300, 1200, 0), (2, "GPU", "free", 1, "float32", 300, 1200, 2500),
                                             (3, "GPU", "free", 9, None, None, None, 10000)])

  def test_they_arrive_in_a_trace(self):
    events, out = self.pickled(self.EVENTS, "profile.pkl"), self.folder / "t.rscope"
    self.convert(self.recording(), "--profile", events, "-o", out)
    self.keeps_the_format(out)
    self.assertEqual(self.query(out, "SELECT kind, sum(bytes) FROM x_memory GROUP BY kind"), [("alloc", 1200), ("free", 1200)])
    self.assertIn("float32", self.rangescope("query", out, "SELECT * FROM x_memory"))

  def test_without_any_there_is_no_table(self):
    rows = Rows()
    self.assertEqual(profile.write_memory(rows, self.EVENTS[2:3]), 0)
    self.assertEqual(rows.created, [])

  def test_a_profile_of_another_kind_is_refused(self):
    for value in ({"a": 1}, [1, 2]):
      with self.assertRaisesRegex(Problem, "holds no profile"):
        profile.from_pickle(self.pickled(value))
    whole = pickle.dumps(self.EVENTS)
    for n in range(0, len(whole) - 1, 9):
      path = self.folder / "cut.pkl"
      path.write_bytes(whole[:n])
      with self.assertRaisesRegex(Problem, "empty|cut short"):
        profile.from_pickle(path)


if __name__ == "__main__":
  unittest.main()
