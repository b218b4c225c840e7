"""In which order things happened: how passes stand in each other, and who made a node."""

from array import array


def link_passes(passes):
  """Sets parent (an index) and depth from the depths that were recorded; a pass that a failure left open may have shifted those."""
  around = []  # (recorded depth, index)
  for i, p in enumerate(passes):
    while around and around[-1][0] >= p.depth:
      around.pop()
    p.parent = around[-1][1] if around else None
    around.append((p.depth, i))
    p.depth = len(around) - 1


def events(passes):
  """The events of a section in order: ("pass", index) and ("match", index of the match row). Nested passes have their places."""
  children = [[] for _ in passes]
  for i, p in enumerate(passes):
    if p.parent is not None:
      children[p.parent].append(i)
  for root in (i for i, p in enumerate(passes) if p.parent is None):
    yield "pass", root
    stack = [[root, 0, 0]]
    while stack:
      i, m, c = frame = stack[-1]
      p = passes[i]
      child = children[i][c] if c < len(children[i]) else None
      if m < p.count and (child is None or m < passes[child].at):
        yield "match", p.first + m
        frame[1] += 1
      elif child is not None:
        yield "pass", child
        frame[2] += 1
        stack.append([child, 0, 0])
      else:
        stack.pop()


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
