"""Run times and memory from tinygrad's profile.pkl, or from its lists of events while it is loaded."""

import mmap
import os

from .foreign import dtype_name
from .pickle_stream import read_pickle
from .problem import Problem


def from_pickle(path):
  try:
    with open(path, "rb") as f:
      if os.fstat(f.fileno()).st_size == 0:
        raise Problem("the file is empty")
      with mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as data:
        events = read_pickle(data)
  except Problem as e:
    raise Problem(f"{path}: {e}") from e
  except OSError as e:
    raise Problem(f"cannot read {path}: {e.strerror}") from e
  if not isinstance(events, list) or not all(type(e).__name__.startswith("Profile") for e in events[:100]):
    raise Problem(f"{path} holds no profile of tinygrad; run the program with VIZ=1 or PROFILE=1 to make one")
  return events


_HOST = ("TINY", "USER", "GC")  # spans of what Python does


def _ns(microseconds):
  return round(float(microseconds) * 1000)


def _spans(events):
  """(device, name, key, start, end) in nanoseconds, of everything that ended. Batched launches of a graph are spans of their own."""
  for e in events:
    kind = type(e).__name__
    if kind == "ProfileRangeEvent" and e.en is not None:
      yield e.device, e.name, getattr(e, "profile_key", None), _ns(e.st), _ns(e.en)
    elif kind == "ProfileGraphEvent":
      for entry in e.ents:
        yield entry.device, entry.name, getattr(entry, "profile_key", None), _ns(e.sigs[entry.st_id]), _ns(e.sigs[entry.en_id])


def pass_times(events, passes):
  """Sets ns of the passes: the k-th span of a name is the k-th pass of that name. A name whose counts differ is left alone."""
  spans, by_name = {}, {}
  for device, name, _, start, end in _spans(events):
    if device == "TINY" and isinstance(name, str):
      spans.setdefault(name, []).append((start, end - start))
  for p in passes:
    by_name.setdefault(p.name, []).append(p)
  for name, some in by_name.items():
    times = spans.get(name, ())
    if len(times) == len(some):
      for p, (_, ns) in zip(some, sorted(times)):
        p.ns = ns


def write_runs(trace, events, kernels, items):
  """Dispatches of the kernels, one run a device. Returns how many were written and how many belong to no kernel of the trace.

  items: kernel id -> ids of its schedule items, in order. The n-th time that a program ran was the next of the items of the kernels that
  share it: kernels that differ before code generation may come to the same program."""
  spans = [(device, bytes(key), start, end) for device, name, key, start, end in _spans(events) if key is not None]
  by_key = bool(spans)
  if not by_key:  # until August 2026 tinygrad wrote the name of a kernel alone
    spans = [(device, name, start, end) for device, name, _, start, end in _spans(events) if isinstance(name, str) and device not in _HOST]
  own = {}
  for k in kernels:
    for key in (key for key in k.keys if isinstance(key, bytes)) if by_key else (k.name,):
      own.setdefault(key, []).extend(items.get(k.id, ()))
  for some in own.values():
    some.sort()
  runs = {}
  lost = 0
  for device, key, start, end in spans:
    if not own.get(key):
      lost += by_key  # a name may be that of a copy
      continue
    runs.setdefault(device, []).append((start, end - start, key))
  written = 0
  for run, (device, samples) in enumerate(runs.items(), 1):
    samples.sort()
    first = samples[0][0]
    count = {}
    for start, ns, key in samples:
      n = count[key] = count.get(key, -1) + 1
      some = own[key]
      trace.add("dispatches", (run, some[n % len(some)], 0, n // len(some), 0, start - first, ns))
    repeats = max(n // len(own[key]) + 1 for key, n in count.items())
    trace.add("runs", (run, device, "tinygrad", None, 0, repeats, None, None))
    written += len(samples)
  return written, lost


def write_memory(trace, events):
  """Allocations, in a table of our own beside those of the format. Returns how many rows."""
  points = [e for e in events if type(e).__name__ == "ProfilePointEvent" and e.name in ("alloc", "free")]
  if not points:
    return 0
  trace.create("CREATE TABLE x_memory(id INTEGER PRIMARY KEY, device TEXT NOT NULL, kind TEXT NOT NULL, buffer INTEGER NOT NULL, "
               "dtype TEXT, count INTEGER, bytes INTEGER, start_ns INTEGER NOT NULL)")
  points.sort(key=lambda e: e.ts)
  first = points[0].ts
  held = {}
  for i, e in enumerate(points, 1):
    if e.name == "alloc":
      count = int(e.arg["sz"])
      held[e.key] = (dtype_name(e.arg["dtype"]), count, count * ((e.arg["dtype"].bitsize + 7) // 8))
    trace.add("x_memory", (i, e.device, e.name, e.key, *held.get(e.key, (None, None, None)), _ns(e.ts - first)))
  return len(points)
