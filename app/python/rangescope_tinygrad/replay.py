"""The graph after the matches of a pass: its input under the map before -> after, as resources/docs/trace-format.md says.

A pass of tinygrad's recordings has no output; this gives it."""

from .dtype_rules import rebuilt_dtype
from .names import OP

_CALL, _FUNCTION = OP["CALL"], OP["FUNCTION"]
_OPAQUE = frozenset(OP[n] for n in "SINK PROGRAM LINEAR COPY CUSTOM_FUNCTION".split())


def output_of(nodes, root, replaced, bottom_up, walk, enter_calls):
  """The node that `root` becomes, made in `nodes`; None where the matches run in a circle.

  replaced: before -> after, of all matches of the pass; later ones stand for earlier ones."""
  if not replaced:
    return root
  op, start, srcs = nodes.op, nodes.start, nodes.srcs
  done, open_, restarts = {}, set(), {}
  limit = len(replaced) + 1
  lowest = min(replaced)  # sources have lower numbers than their users, so that below this nothing changes

  def follow(n):
    for _ in range(limit):
      after = replaced.get(n)
      if after is None:
        return n
      n = after
    return None

  # a frame is [what was asked for, what stands for it now, the next source]
  def enter(key):
    """True: done or begun. False: a circle."""
    if walk:
      after = replaced.get(key) if bottom_up else None
      if after is not None:
        done[key] = after
        return True
      current = key
    else:
      current = follow(key)
      if current is None:
        return False
      known = done.get(current)
      if known is not None:
        done[key] = known
        return True
    if current in open_:
      return False
    open_.add(current)
    stack.append([key, current, start[current]])
    return True

  stack = []
  if not enter(root):
    return None
  while stack:
    frame = stack[-1]
    key, current, i = frame
    first, end = start[current], start[current + 1]
    waits = False
    while i < end:
      s = srcs[i]
      i += 1
      if s < lowest or s in done:
        continue
      if i - 1 == first and not enter_calls and (op[current] == _FUNCTION or (op[current] == _CALL and op[s] in _OPAQUE)):
        done[s] = s
        continue
      frame[2] = i
      if not enter(s):
        return None
      if s not in done:
        waits = True
        break
    if waits:
      continue
    old = tuple(srcs[first:end])
    new = tuple(map(done.get, old, old))
    result = made = current
    if new != old:
      result = made = nodes.add(op[current], rebuilt_dtype(nodes, current, old, new), new, nodes.arg[current], nodes.tag[current])
    if walk:
      if not bottom_up:
        result = replaced.get(made, made)
    elif made != current:
      known = done.get(made)
      if known is not None:
        result = known
      else:
        after = follow(made)
        if after is None:
          return None
        if after != made:
          known = done.get(after)
          if known is not None:
            result = known
          else:
            restarts[key] = restarts.get(key, 0) + 1
            if restarts[key] > limit or after in open_:
              return None
            open_.discard(current)
            open_.add(after)
            frame[1], frame[2] = after, start[after]
            continue
    stack.pop()
    open_.discard(current)
    done[current] = result
    done[key] = result
  return done[root]
