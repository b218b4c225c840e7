"""Arguments and tags in the notation of the golden corpus (tests/golden/README.md), from tinygrad's objects or their stand-ins."""

import hashlib
import json
import math

from .foreign import dtype_name

_MOST_TEXT = 4000
_PARAM_DEFAULTS = (("vmin_vmax", None), ("multiple_of", None), ("name", None), ("addrspace", "GLOBAL"), ("axis", None), ("device", None),
                   ("volatile", False))


class NoNotation(Exception):
  """The corpus has no notation for this; `trace` writes its text."""


def encode(a):
  """What json.dumps makes the notation from."""
  if a is None or a is True or a is False:
    return a
  kind = type(a).__name__
  known = _KINDS.get(kind)
  if known is not None:
    return known(a)
  if isinstance(a, float):
    if math.isnan(a):
      return {"float": "nan"}
    if math.isinf(a):
      return {"float": "inf" if a > 0 else "-inf"}
    return float(a)
  if isinstance(a, int):
    return int(a)
  if isinstance(a, str):
    return a
  if isinstance(a, (bytes, bytearray)):
    return {"bytes": a.hex()}
  if isinstance(a, (tuple, list)):
    return [encode(x) for x in a]
  raise NoNotation(kind)


def _param(a):
  d = {"slot": a.slot, "dtype": dtype_name(a.dtype)}
  for key, default in _PARAM_DEFAULTS:
    value = getattr(a, key)
    if key == "addrspace":
      if value is None or value.name != default:
        d[key] = encode(value)
    elif value != default or (value is not None and isinstance(value, bool) != isinstance(default, bool)):
      d[key] = encode(value)
  return {"param": d}


def _stage(a):
  return {"stage": {"device": encode(a.device), "addrspace": a.addrspace.name, "removable": a.removable}}


def _kernel(a):
  if getattr(a, "estimates", None) is not None or getattr(a, "beam", 0):
    raise NoNotation("KernelInfo")
  d = {"name": a.name}
  if a.axis_types:
    d["axis_types"] = [x.name for x in a.axis_types]
  if a.dont_use_locals:
    d["dont_use_locals"] = True
  if a.applied_opts:
    d["applied_opts"] = [encode(x) for x in a.applied_opts]
  if a.opts_to_apply is not None:
    d["opts_to_apply"] = [encode(x) for x in a.opts_to_apply]
  return {"kernel": d}


def _call(a):
  if getattr(a, "aux", None) is not None:
    raise NoNotation("CallInfo")
  return {"call": {"name": a.name, "precompile": a.precompile, "precompile_backward": a.precompile_backward}}


_KINDS = {
    "InvalidType": lambda a: {"invalid": 1},
    "Ops": lambda a: {"op": a.name},
    "AxisType": lambda a: {"axis": a.name},
    "AddrSpace": lambda a: {"addrspace": a.name},
    "DType": lambda a: {"dtype": dtype_name(a)},
    "ParamArg": _param,
    "BufferizeOpts": _stage,
    "KernelInfo": _kernel,
    "CallInfo": _call,
    "Opt": lambda a: {"opt": [a.op.name, a.axis, encode(a.arg)]},
}


def dumps(value):
  return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def argument_json(a):
  """The notation of any argument. One that has none is a string: its class and what it holds."""
  try:
    return dumps(encode(a))
  except NoNotation:
    text = describe(a)
    if len(text) > _MOST_TEXT:  # still different where they differ
      text = f"{text[:_MOST_TEXT]}... #{hashlib.sha1(text.encode()).hexdigest()[:16]}"
    return dumps(text)


def describe(a, depth=6):
  """One line about any object. Graphs are shared inside, so that only their first levels are told."""
  kind = type(a).__name__
  if kind == "UOp":
    if depth <= 2:
      return "..."
    inside = [describe(s, depth - 2) for s in a.src]
    if a.arg is not None:
      inside.append(describe(a.arg, depth - 2))
    return f"{a.op.name}({', '.join(inside)})"
  if isinstance(a, (tuple, list)):
    return f"({', '.join(describe(x, depth) for x in a)})"
  if kind in _KINDS:
    try:
      value = encode(a)
      return str(next(iter(value.values()))) if len(value) == 1 and kind not in ("ParamArg", "CallInfo", "KernelInfo") else dumps(value)
    except NoNotation:
      pass
  fields = _fields(a)
  if fields is None or depth <= 0:
    text = repr(a)
    return f"{kind}()" if " at 0x" in text else text
  return f"{kind}({', '.join(f'{k}={describe(v, depth - 1)}' for k, v in fields.items())})"


def _fields(a):
  """Attributes of a data class or of its stand-in."""
  names = getattr(type(a), "__dataclass_fields__", None)
  if names is not None:
    return {n: getattr(a, n) for n in names}
  if hasattr(a, "args") and hasattr(a, "set_state"):
    return {k: v for k, v in vars(a).items() if k != "args" or (v and len(vars(a)) == 1)}
  return None
