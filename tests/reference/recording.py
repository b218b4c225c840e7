"""What the reference rewrites while a case is made, as the passes of the golden corpus. Import it before anything is rewritten, with VIZ=1."""
from tinygrad.schedule.indexing import apply_movement_op, _apply_reshape
from tinygrad.uop import ops as O
from tinygrad.uop.ops import UOp

results = {}
for method in ("unified_rewrite", "walk_rewrite"):
  def patched(self, root, inner=getattr(O.RewriteContext, method)):
    out = inner(self, root)
    if O.TRACK_MATCH_STATS >= 2 and O.active_rewrites: results[id(O.active_rewrites[-1])] = out
    return out
  setattr(O.RewriteContext, method, patched)

made = {}
def from_trace(num):
  stack = [num]
  while stack:
    op, dtype, src, arg, tag = O.uop_fields[stack[-1]][:5]
    missing = [s for s in src if s not in made]
    if missing: stack += missing
    else: made[stack.pop()] = UOp(op, dtype, tuple(made[s] for s in src), arg, tag)
  return made[num]

def begin():
  """Forgets what was recorded, and what the reference keeps from one program to the next."""
  O.tracked_keys.clear(); O.tracked_ctxs.clear(); O.active_group.clear(); O.active_rewrites.clear(); results.clear()
  for cached in (apply_movement_op, _apply_reshape): cached.cache_clear()

def passes(table):
  """The passes of the first group, with their nodes in the table."""
  rows = []
  for p in O.tracked_ctxs[0] if O.tracked_ctxs else []:
    matches = [[table.add(from_trace(b)), table.add(from_trace(a)), loc[0].split("/tinygrad/")[-1] + ":" + str(loc[1])] for b, a, loc, _ in p.matches]
    rows.append([p.depth, p.name, p.bottom_up, p.walk, p.enter_calls, table.add(from_trace(p.sink)), table.add(results[id(p)]), matches])
  return rows
