"""The dtype of a node whose sources were exchanged: kept where theirs are, else by the rules of tinygrad's ops."""

from functools import lru_cache

from .names import DTYPE, OP


def _ops(names):
  return frozenset(OP[n] for n in names.split())


_VOID = _ops("STORE LINEAR SINK PROGRAM SOURCE END BARRIER GROUP IF ENDIF TUPLE FUNCTION CUSTOM_FUNCTION REWRITE_ERROR")
_KEPT = _ops("CUSTOM CUSTOMI PYLITERAL INS NOOP CONST BUFFER PARAM")
_FIRST = _ops("LOAD UNSHARD REDUCE AFTER RANGE CONTIGUOUS CONTIGUOUS_BACKWARD COPY STAGE DETACH MSTACK MSELECT ALLREDUCE SPECIAL SHL SHR "
              "NEG TRUNC RESHAPE EXPAND PERMUTE PAD SHRINK FLIP")
_COMPARE = _ops("CMPLT CMPNE CMPEQ")
_FLOAT_FUNCTION = _ops("SIN LOG2 EXP2 SQRT RECIPROCAL")
_PROMOTE = _ops("ADD MUL CDIV MAX CMOD XOR OR AND THREEFRY SUB FDIV POW FLOORDIV FLOORMOD MULACC STACK")
_SEEN_THROUGH = _ops("RESHAPE EXPAND PERMUTE PAD SHRINK FLIP DETACH")

_ABOVE = {"bool": "weakint", "weakint": "int8 uint8", "int8": "int16", "int16": "int32", "int32": "int64", "int64": "weakfloat",
          "uint8": "int16 uint16", "uint16": "int32 uint32", "uint32": "int64 uint64", "uint64": "weakfloat",
          "weakfloat": "fp8e4m3 fp8e5m2 fp8e4m3fnuz fp8e5m2fnuz", "fp8e4m3": "float16 bfloat16", "fp8e5m2": "float16 bfloat16",
          "fp8e4m3fnuz": "float16 bfloat16", "fp8e5m2fnuz": "float16 bfloat16", "float16": "float32", "bfloat16": "float32",
          "float32": "float64"}


@lru_cache(maxsize=None)
def _above(dtype):
  from .names import DTYPES
  found = {dtype}
  for name in _ABOVE.get(DTYPES[dtype], "").split():
    found |= _above(DTYPE[name])
  return frozenset(found)


# The least of a set is the one of lowest priority, then size: the order of the numbers, but for the kinds of fp8 (last by name).
@lru_cache(maxsize=None)
def _least_upper(dtypes):
  common = frozenset.intersection(*map(_above, dtypes))
  return min(common) if common else None


def _image(nodes, n):
  if nodes.op[n] != OP["PARAM"]:
    return False
  shape = nodes.sources(n)
  if len(shape) == 0 or nodes.op[shape[0]] != OP["STACK"]:
    return False
  sizes = nodes.sources(shape[0])
  return len(sizes) == 3 and nodes.op[sizes[2]] == OP["CONST"] and nodes.args[nodes.arg[sizes[2]] - 1] == "4"


def rebuilt_dtype(nodes, n, old, new):
  """The dtype of node n with the sources `new` in place of `old`."""
  dt = nodes.dtype
  if all(dt[a] == dt[b] for a, b in zip(old, new)):
    return dt[n]
  op = nodes.op[n]
  made = None
  if op in _VOID:
    made = DTYPE["void"]
  elif op in _FIRST:
    made = dt[new[0]]
  elif op in _COMPARE:
    made = DTYPE["bool"]
  elif op in _PROMOTE:
    made = _least_upper(frozenset(dt[s] for s in new)) if len(set(dt[s] for s in new)) > 1 else dt[new[0]]
  elif op == OP["WHERE"]:
    made = _least_upper(frozenset(dt[s] for s in new[1:]))
  elif op == OP["INDEX"]:
    made = DTYPE["float32"] if _image(nodes, new[0]) else dt[new[0]]
  elif op in _FLOAT_FUNCTION:
    base = new[0]
    while nodes.op[base] in _SEEN_THROUGH:
      base = nodes.sources(base)[0]
    if nodes.op[base] == OP["CONST"] and nodes.args[nodes.arg[base] - 1] == '{"invalid":1}':
      made = DTYPE["bool"]
    elif dt[new[0]] == DTYPE["weakint"]:
      made = DTYPE["weakfloat"]
    else:
      made = dt[new[0]] if dt[new[0]] >= DTYPE["weakfloat"] else _least_upper(frozenset((dt[new[0]], DTYPE["float32"])))
  elif op == OP["CALL"]:
    made = DTYPE["void"] if dt[new[0]] == DTYPE["void"] else None
  elif op == OP["WMMA"]:
    made = dt[new[2]]
  elif op == OP["GETTUPLE"]:
    held = new[0] if nodes.op[new[0]] != OP["FUNCTION"] else nodes.sources(new[0])[0]
    made = dt[nodes.sources(held)[int(nodes.args[nodes.arg[n] - 1])]]
  elif op == OP["GETADDR"]:
    made = DTYPE["uint64"]
  return dt[n] if made is None else made
