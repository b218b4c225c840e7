"""The order of things in a recording that does not tell it: where nested passes stand, and who made a node."""

import unittest

import door  # sets the path  # noqa: F401
from rangescope_tinygrad import order
from rangescope_tinygrad.names import OP
from rangescope_tinygrad.places import Places
from rangescope_tinygrad.rewrites import Pass, Rewrites

MS = 1_000_000


class Recording:
  """Matches are (before, after, rule, ns) by trace number. Every trace number is a node of its own: a SINK over what `sources` names."""

  def __init__(self, count, sources=None):
    self.rewrites = r = Rewrites()
    for n in range(count):
      below = tuple(r.number[s] for s in (sources or {}).get(n, ()))
      r.number.append(r.nodes.add(OP["SINK"], 0, below, r.nodes._number_of_json(str(n)), 0))

  def passed(self, sink, depth, matches, at=None, line=1):
    r = self.rewrites
    p = Pass()
    p.sink, p.depth, p.first, p.count, p.at, p.loc = sink, depth, len(r.before), len(matches), at, ("a.py", line)
    p.bottom_up = p.walk = p.enter_calls = False
    for before, after, rule, ns in matches:
      r.before.append(before)
      r.after.append(after)
      r.rule.append(rule)
      r.ns.append(ns)
    return p

  def placed(self, *passes):
    """(at, earliest, latest) of each nested pass."""
    order.link_passes(passes)
    places = Places(self.rewrites)
    places.add(passes)
    self.guessed = places.settle()
    return [(p.at, p.earliest, p.latest) for p in passes if p.parent is not None]


class WhereNestedPassesStand(unittest.TestCase):
  def test_new_trace_numbers_tell_it(self):
    r = Recording(20)
    passes = [r.passed(3, 0, [(1, 5, 0, 9), (2, 9, 0, 9), (4, 12, 0, 9)]), r.passed(6, 1, [(6, 7, 0, 1)]), r.passed(10, 1, [])]
    self.assertEqual(r.placed(*passes), [(1, 1, 1), (2, 2, 2)])
    self.assertEqual(r.guessed, 0)
    self.assertEqual(list(order.events(passes)),
                     [("pass", 0), ("match", 0), ("pass", 1), ("match", 3), ("match", 1), ("pass", 2), ("match", 2)])

  def test_else_the_match_that_took_the_time(self):
    r = Recording(20)
    passes = [r.passed(9, 0, [(1, 2, 0, 50), (2, 3, 0, 50), (3, 4, 1, 9 * MS), (4, 5, 0, 50)]), r.passed(6, 1, [(6, 7, 2, 2 * MS)])]
    self.assertEqual(r.placed(*passes), [(2, 0, 4)])
    self.assertEqual(r.guessed, 1)

  def test_a_profile_knows_more_about_the_time(self):
    r = Recording(20)
    passes = [r.passed(9, 0, [(1, 2, 0, 3 * MS), (2, 3, 0, 50), (3, 4, 0, 9 * MS)]), r.passed(6, 1, [(6, 7, 2, MS)])]
    passes[1].ns = 8 * MS
    self.assertEqual(r.placed(*passes), [(2, 0, 3)])

  def test_what_a_pass_gave_is_in_what_its_match_made(self):
    r = Recording(40, {7: (1,), 8: (2,), 13: (8,), 11: (3,), 12: (3,)})
    passes = [r.passed(39, 0, [(20, 11, 0, MS), (21, 12, 0, MS), (22, 13, 0, MS), (23, 11, 0, MS)]), r.passed(7, 1, [(7, 8, 2, MS // 9)])]
    passes[1].made = r.rewrites.number[13]  # whose source is node 8
    self.assertEqual(r.placed(*passes)[0][0], 2)

  def test_many_passes_keep_their_order_and_share_no_match(self):
    """512 matches of which every second took long; the nested passes look all the same."""
    r = Recording(9)
    outer = r.passed(8, 0, [(1, 2, 0, 300_000 if m % 2 else 4000) for m in range(512)])
    passes = [outer] + [r.passed(5, 1, [(5, 6, 3, 30_000)]) for _ in range(256)]
    self.assertEqual([at for at, _, _ in r.placed(*passes)], list(range(1, 512, 2)))

  def test_a_rule_that_did_not_fire_leaves_a_pass_between_matches(self):
    r = Recording(20)
    passes = [r.passed(9, 0, [(1, 2, 0, 50), (2, 15, 0, 50), (3, 4, 0, 50)]), r.passed(16, 1, [(6, 7, 2, 2 * MS)])]
    self.assertEqual(r.placed(*passes), [(3, 2, 3)])

  def test_which_rules_call_from_a_line_is_learned(self):
    r = Recording(400)
    passes = []
    for i in range(20):  # rule 1 calls line 7, as new numbers show
      n = 10 * i + 1
      passes += [r.passed(n, 0, [(n, n + 1, 0, MS), (n, n + 5, 1, MS), (n, n + 6, 0, MS)]), r.passed(n + 3, 1, [(n + 3, n + 4, 2, MS // 9)], line=7)]
    passes += [r.passed(300, 0, [(1, 2, 0, MS), (2, 3, 0, MS), (3, 4, 1, MS), (4, 5, 0, MS)]), r.passed(6, 1, [(6, 7, 2, MS // 9)], line=7)]
    self.assertEqual(r.placed(*passes)[-1], (2, 0, 4))

  def test_a_place_that_was_recorded_stands(self):
    r = Recording(20)
    passes = [r.passed(9, 0, [(1, 2, 0, 50), (2, 3, 0, 9 * MS)]), r.passed(6, 1, [(6, 7, 2, MS)], at=0)]
    self.assertEqual(r.placed(*passes), [(0, None, None)])


class Order(unittest.TestCase):
  def test_depths_that_a_failure_shifted(self):
    passes = []
    for depth in (2, 3, 2, 4, 3, 0):
      p = Pass()
      p.depth = depth
      passes.append(p)
    order.link_passes(passes)
    self.assertEqual([(p.parent, p.depth) for p in passes], [(None, 0), (0, 1), (None, 0), (2, 1), (2, 1), (None, 0)])

  def test_who_made_a_node(self):
    first = order.FirstShown(6)
    first.shown(1, 0)  # 0 and 1 were in an input
    first.shown(3, 7)  # match 7 showed 2 and 3
    first.shown(3, 8)
    first.shown(4, 0)
    self.assertEqual(list(first.made_by([1, 2, 3, 4, 5, 6], 6)), [0, 0, 0, 7, 7, 0, 0])


if __name__ == "__main__":
  unittest.main()
