from tinygrad.uop import Ops
from tinygrad.uop.ops import UOp, graph_rewrite


def fold_zero(u):
  if u.op is Ops.ADD and u.src[1].op is Ops.CONST and u.src[1].arg == 0:
    return u.src[0]
  return None


def double(u):
  if u.op is Ops.MUL and u.src[1].op is Ops.CONST and u.src[1].arg == 2:
    graph_rewrite(u.src[0], [], name="check")
    return UOp(Ops.ADD, u.dtype, (u.src[0], u.src[0]))
  if u.op is Ops.MUL and u.src[1].op is Ops.CONST and u.src[1].arg == 3:
    raise ValueError("three is too many")
  return None


PATTERNS = [
    ("x + 0", fold_zero),
    ("x * 2",
     double),
]


def rules():
  # where each pair of PATTERNS stands in this file
  lines = open(__file__, encoding="utf-8").read().splitlines()
  return [((__file__, 1 + next(i for i, text in enumerate(lines) if text.startswith(f'    ("{name}"'))), f) for name, f in PATTERNS]


def get_kernel_graph(sink):
  clean = graph_rewrite(sink, rules()[:1], name="clean")
  return graph_rewrite(clean, rules()[1:], name="double")
