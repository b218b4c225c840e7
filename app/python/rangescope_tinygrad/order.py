"""In which order things happened: where nested passes stand among the matches of the pass around them, and who made a node.

tinygrad's recording has the order of passes and of each pass's matches. What it does not say is where a nested pass began. The trace
numbers tell it: they count up as nodes are first seen, so what shows a higher new number came later. Where nothing new was shown the
order makes no difference to any graph, and the place is told from what was rewritten."""

from array import array

_LOOK_AHEAD, _LEVELS, _MOST_NEAR = 64, 3, 32


def link_passes(passes):
  """Sets parent (an index) and depth from the depths that were recorded; a pass that a failure left open may have shifted those."""
  around = []  # (recorded depth, index)
  for i, p in enumerate(passes):
    while around and around[-1][0] >= p.depth:
      around.pop()
    p.parent = around[-1][1] if around else None
    around.append((p.depth, i))
    p.depth = len(around) - 1


def events(rewrites, passes, highest):
  """The events of a group in order: ("pass", index) and ("match", index of the match row). `highest`: [trace number shown last]."""
  before, after = rewrites.before, rewrites.after
  children = [[] for _ in passes]
  top = [p.sink for p in passes]
  for i in range(len(passes) - 1, -1, -1):
    p = passes[i]
    for m in range(p.first, p.first + p.count):
      top[i] = max(top[i], before[m], after[m])
    if p.parent is not None:
      children[p.parent].append(i)
      top[p.parent] = max(top[p.parent], top[i])
  for c in children:
    c.reverse()
  for root in (i for i, p in enumerate(passes) if p.parent is None):
    yield "pass", root
    highest[0] = max(highest[0], passes[root].sink)
    stack = [[root, 0, 0]]
    while stack:
      i, m, c = frame = stack[-1]
      p = passes[i]
      child = children[i][c] if c < len(children[i]) else None
      if m < p.count and (child is None or _match_first(rewrites, p, m, passes[child], top[child], highest[0])):
        row = p.first + m
        yield "match", row
        highest[0] = max(highest[0], before[row], after[row])
        frame[1] += 1
      elif child is not None:
        yield "pass", child
        highest[0] = max(highest[0], passes[child].sink)
        frame[2] += 1
        stack.append([child, 0, 0])
      else:
        stack.pop()


def _match_first(rewrites, p, m, child, child_top, highest):
  if child.at is None:
    child.at = _place(rewrites, p, m, child, child_top, highest)
  return m < child.at


def _place(rewrites, p, m, child, child_top, highest):
  """How many matches of p came before the nested pass `child`, from its m-th on."""
  number, nodes, before, after = rewrites.number, rewrites.nodes, rewrites.before, rewrites.after
  first, last = m, min(m + _LOOK_AHEAD, p.count)
  if child_top > highest:  # it shows something new: after all that shows less, before what shows more
    bound = child.sink if child.sink > highest else child_top
    last = p.count
    for i in range(m, p.count):
      shown = max(before[p.first + i], after[p.first + i])
      if shown > highest:
        if shown >= bound:
          last = i
          break
        first, highest = i + 1, shown
  # In between it was part of the rule that rewrote what stands around its root; else of the one whose node has most in common with it.
  root = number[child.sink]
  around = _near(nodes, root)
  best, most = first, 0
  for i in range(first, min(last + 1, p.count, first + _LOOK_AHEAD)):
    below = _near(nodes, number[before[p.first + i]])
    if root in below:
      return i
    shared = len(around & below)
    if shared > most:
      best, most = i, shared
  return best


def _near(nodes, n):
  """A node and the first sources below it."""
  found, level = {n}, [n]
  for _ in range(_LEVELS):
    level = [s for m in level for s in nodes.sources(m)][:_MOST_NEAR]
    found.update(level)
  return found


class FirstShown:
  """Which match showed each node first. Trace numbers are given as nodes are shown, so that an event made all numbers up to its own that
  no earlier event made."""

  def __init__(self, count):
    self._event = array("q", bytes(8 * count))  # -1: shown by no match

  def shown(self, number, match):
    if self._event[number] == 0:
      self._event[number] = match or -1

  def made_by(self, numbers, node_count):
    """For each node the match that showed it first; 0: an input, or a node rebuilt around new sources."""
    made = array("q", bytes(8 * (node_count + 1)))
    seen = bytearray(node_count + 1)
    event = self._event
    current = 0
    for n in range(len(event) - 1, -1, -1):
      if event[n] != 0:
        current = event[n]
      else:
        event[n] = current
    for n in range(len(event)):
      node = numbers[n]
      if not seen[node]:
        seen[node] = 1
        if event[n] > 0:
          made[node] = event[n]
    return made
