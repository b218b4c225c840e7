"""Where nested passes stood among the matches of the pass around them. A pickle has the order of passes and of each pass's matches, but
not how the two interleave. It does say:

- Trace numbers count up as nodes are first seen, so what shows a higher new number came later. That gives the earliest and the latest
  place of each nested pass, for certain; where they are one, it is known.
- The time of a match holds the time of the passes inside it.
- What a nested pass gave is part of what the match made, and what it was given often is what the match was given.
- One line of tinygrad that calls graph_rewrite is reached from few rules.

A nested pass is inside a match, or inside a rule that did not fire, which leaves no trace: then it stands between two. The likeliest
places of all passes in one, in their order, are found together (a shortest path over the places that come into question)."""

import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict

from .names import OP
from .replay import output_of

_SINK = OP["SINK"]
_LEVELS, _MOST_NEAR = 3, 32
_FEW, _MOST_LOOKED_AT, _MOST_OPTIONS = 8, 64, 1000
# What speaks for a place, in units of log odds.
_GAVE_SOURCES, _GAVE_BELOW, _SHARED_INPUT, _TIME = 4.0, 2.0, 1.0, 1.5
# What speaks against one: a rule that did not fire, a second pass in one match, more time than the match took.
_NOT_FIRED, _STACKED, _TOO_LONG = -3.0, -4.0, -10.0
_HOPELESS = 150.0  # what is behind by that much stays behind


class _State:
  """The likeliest way to place the passes so far so that the last stands at `at`."""
  __slots__ = ("at", "score", "between", "used", "before")

  def __init__(self, at, score, between, used, before):
    self.at, self.score, self.between, self.used, self.before = at, score, between, used, before


class _Nested:
  """The passes inside one pass, with the places that come into question."""

  def __init__(self, outer, passes, options):
    self.outer, self.passes, self.options = outer, passes, options


class Places:
  """Sets `at`, `earliest` and `latest` of nested passes: how many matches of the pass around one came before it. Give it the passes of
  one section after the other, in order, then `settle`."""

  def __init__(self, rewrites):
    self._r = rewrites
    self._highest = -1
    self._nested = []
    self._rules_of_place = defaultdict(Counter)  # line that calls graph_rewrite -> rules that it was inside of

  def add(self, passes):
    r = self._r
    inside = [[] for _ in passes]
    top = [p.sink for p in passes]  # highest trace number in a pass and below
    for i in range(len(passes) - 1, -1, -1):
      p = passes[i]
      for rows in (r.before, r.after):
        if p.count:
          top[i] = max(top[i], max(rows[p.first:p.first + p.count]))
      if p.parent is not None:
        inside[p.parent].append(i)
        top[p.parent] = max(top[p.parent], top[i])
    start = [0] * len(passes)  # highest trace number when a pass began
    for i, p in enumerate(passes):
      if p.parent is None:
        start[i] = max(self._highest, p.sink)
        self._highest = max(start[i], top[i])
      if inside[i]:
        within = inside[i][::-1]
        some = [passes[c] for c in within]
        if some[0].at is None:
          _bounds(r, p, some, [top[c] for c in within], start[i])
          nested = _Nested(p, some, self._options(p, some))
          self._nested.append(nested)
          self._place(nested, None)
        highest, m = start[i], p.first
        for c in within:
          at = p.first + min(passes[c].at, p.count)
          if at > m:
            highest = max(highest, max(r.before[m:at]), max(r.after[m:at]))
            m = at
          start[c] = highest = max(highest, passes[c].sink)
          highest = max(highest, top[c])

  def settle(self):
    """A second time, now with what was learned about which rules call what. Returns how many places are not certain."""
    for nested in self._nested:
      self._place(nested, self._rules_of_place)
    return sum(c.earliest < c.latest for nested in self._nested for c in nested.passes)

  def _options(self, outer, passes):
    """For each pass [(match, score)], in order."""
    r, nodes, number = self._r, self._r.nodes, self._r.number
    near, index = {}, None
    found = []
    for c, rank, many in _ranks(passes):
      # how long it took, at least and commonly: without a profile there are its matches, which are a third or less
      c.span = c.ns or sum(r.ns[c.first:c.first + c.count])
      usual = c.ns or 3 * c.span
      first, last = c.earliest, min(c.latest, outer.count - 1)
      if first == last:
        found.append([(first, 0.0)] if r.ns[outer.first + first] >= c.span else [])
        continue
      if first > last:
        found.append([])
        continue
      gave = made(r, c)
      gave = () if gave is None else nodes.sources(gave) if nodes.op[gave] == _SINK else (gave,)
      wanted, root = set(gave), number[c.sink]
      matches = likely = None
      if last - first > _FEW:
        if index is None:
          index = _Index(r, outer)
        matches, likely = index.given(root, first, last), index.made(wanted, first, last)
        matches = [m for m in matches if r.ns[outer.first + m] >= c.span]
      if not matches:
        matches = [m for m in range(first, last + 1) if r.ns[outer.first + m] >= c.span]
        if len(matches) > _MOST_LOOKED_AT:  # each of the passes that share these bounds leaves some for those before and behind it
          spare = _FEW + many // 8
          matches = matches[max(0, min(rank, len(matches) - many) - spare):max(rank, len(matches) - many + rank) + spare + 1]
        if len(matches) > _MOST_OPTIONS:
          matches = sorted(sorted(matches, key=lambda m: -r.ns[outer.first + m])[:_MOST_OPTIONS])
      around = _near(nodes, root, near)
      few = len(matches) <= _MOST_LOOKED_AT
      options = []
      for m in matches:
        row = outer.first + m
        score = min(_TIME, _TIME * (r.ns[row] + 1000) / (usual + 5000))
        if few or m in likely:
          before, after = number[r.before[row]], number[r.after[row]]
          score += _SHARED_INPUT * len(around & _near(nodes, before, near)) / len(around)
          if wanted and (wanted == {after} or wanted.issubset(nodes.sources(after))):
            score += _GAVE_SOURCES
          elif wanted <= _near(nodes, after, near):
            score += _GAVE_BELOW
        options.append((m, score))
      found.append(options)
    return found

  def _place(self, nested, rules_of_place):
    r, outer = self._r, nested.outer
    states = [_State(0, 0.0, True, 0, None)]
    for c, options in zip(nested.passes, nested.options):
      rules = rules_of_place[c.loc] if rules_of_place else None
      total = sum(rules.values()) + 1 if rules else 0

      def learned(rule):
        return math.log((rules[rule] + 0.3) / total * 10) if rules else 0.0
      new = []
      missed = _NOT_FIRED + learned(None)
      for s in states:
        at = max(c.earliest, s.at if s.between else s.at + 1)
        if at <= c.latest:
          new.append(_State(at, s.score + missed, True, 0, s))
      i, best = 0, None
      for m, score in options:
        while i < len(states) and states[i].at < m or (i < len(states) and states[i].at == m and states[i].between):
          if best is None or states[i].score > best.score:
            best = states[i]
          i += 1
        score += learned(r.rule[outer.first + m])
        if best is not None:
          new.append(_State(m, score + best.score, False, c.span, best))
        if i < len(states) and states[i].at == m:
          s = states[i]
          too_long = _TOO_LONG if s.used + c.span > r.ns[outer.first + m] else 0.0
          new.append(_State(m, score + s.score + _STACKED + too_long, False, s.used + c.span, s))
      states = _best(new)
    s = max(states, key=lambda s: s.score)
    after = None
    for c in reversed(nested.passes):
      c.at = s.at
      if s.between:  # as late as may be
        c.at = max(s.at, c.latest if after is None else min(c.latest, after))
      if rules_of_place is None:
        self._rules_of_place[c.loc][None if s.between else r.rule[outer.first + c.at]] += 1
      after = c.at
      s = s.before


def _best(states):
  """Without those that another one beats which leaves as much open."""
  states.sort(key=lambda s: (s.at, not s.between, -s.score))
  kept = []
  for s in states:
    if not kept or s.score > kept[-1].score:
      kept.append(s)
  hopeless = kept[-1].score - _HOPELESS
  return kept[:1] + [s for s in kept[1:] if s.score > hopeless]  # from the first on there is always a way


def made(rewrites, p):
  """The node that a pass ended with; None where its matches run in a circle."""
  if p.made is None:
    r, number = rewrites, rewrites.number
    replaced = {}
    for m in range(p.first, p.first + p.count):
      before, after = number[r.before[m]], number[r.after[m]]
      if before != after and r.after[m] not in r.error_text:
        replaced[before] = after
    p.made = output_of(r.nodes, number[p.sink], replaced, p.bottom_up, p.walk, p.enter_calls) or 0
  return p.made or None


def _bounds(r, outer, passes, top, start):
  """earliest and latest of each pass. A match that shows a new number stands after what showed all lower ones."""
  # a pass that shows new numbers shows those from `lowest` to `top`
  lowest, highest = [], []
  shown = start
  news = []
  for c, t in zip(passes, top):
    new = t > shown
    news.append((c.sink if c.sink > shown else t) if new else None)
    if new:
      lowest.append(news[-1])
      highest.append(t)
      shown = t
  numbers, matches = [], []  # of matches that show new numbers, themselves and not a pass
  shown = start
  for m in range(outer.count):
    n = max(r.before[outer.first + m], r.after[outer.first + m])
    if n > shown:
      shown = n
      i = bisect_left(highest, n)
      if i == len(highest) or n < lowest[i]:
        numbers.append(n)
        matches.append(m)
  at = 0
  for c, new in zip(passes, news):
    c.latest = outer.count
    if new is not None:
      i = bisect_left(numbers, new)
      if i:
        at = max(at, matches[i - 1] + 1)
      if i < len(matches):
        c.latest = matches[i]
    c.earliest = at
  latest = outer.count
  for c in reversed(passes):
    c.latest = latest = max(c.earliest, min(latest, c.latest))


def _ranks(passes):
  """Each pass, the how manieth it is of those with the same bounds in a row, and how many these are."""
  ranked, i = [], 0
  while i < len(passes):
    end = i + 1
    while end < len(passes) and (passes[end].earliest, passes[end].latest) == (passes[i].earliest, passes[i].latest):
      end += 1
    ranked += [(passes[n], n - i, end - i) for n in range(i, end)]
    i = end
  return ranked


class _Index:
  """The matches of a pass by what they were given and by what they made."""

  def __init__(self, r, outer):
    self._given, self._made = defaultdict(list), defaultdict(list)
    for m in range(outer.count):
      row = outer.first + m
      self._given[r.number[r.before[row]]].append(m)
      after = r.number[r.after[row]]
      for n in {after, *r.nodes.sources(after)}:
        self._made[n].append(m)

  def given(self, root, first, last):
    return self._within(self._given, root, first, last)

  def made(self, wanted, first, last):
    return set(min((self._within(self._made, n, first, last) for n in wanted), key=len, default=()))

  @staticmethod
  def _within(matches, node, first, last):
    some = matches.get(node, ())
    return some[bisect_left(some, first):bisect_right(some, last)]


def _near(nodes, n, known):
  """A node and the first sources below it."""
  found = known.get(n)
  if found is None:
    found, level = {n}, [n]
    for _ in range(_LEVELS):
      level = [s for m in level for s in nodes.sources(m)][:_MOST_NEAR]
      found.update(level)
    known[n] = found
  return found
