#!/usr/bin/env python3
"""Cuts passes.jsonl.gz out of the golden corpus: select_passes.py CORPUS/*/*.jsonl.gz

Takes passes that use the rules of engine/symbolic alone, small ones first, until every place whose rule fires in any of
them is there WANTED times, each time in another pass.
"""
import collections, gzip, json, pathlib, sys

WANTED = 6
NAMES = {"load collapse", "split ranges", "initial symbolic", "simplify ranges", "postopt symbolic", "early symbolic",
         "final symbolic", "flatten range", "reduce_collapse", "reshape", "pad"}

def groups(program):
  """(passes under way, pass and those nested in it) of each pass with only our rules."""
  passes, outer, i = program["passes"], [], 0
  while i < len(passes):
    depth, name = passes[i][0], passes[i][1]
    del outer[depth:]
    lower = name == "graph_rewrite" and outer and outer[-1][1] == "lower all index dtypes"
    outer.append(passes[i])
    end = i + 1
    if passes[i][5] is not None and (name in NAMES or lower):
      while end < len(passes) and passes[end][0] > depth: end += 1
      yield outer[:-1] if lower else [], passes[i:end]
    i = end

def rooted(passes):
  for p in passes:
    yield p[5]
    if p[6] is not None: yield p[6]
    for before, after, _ in p[7]:
      yield before
      if after is not None: yield after

def reach(nodes, roots):
  seen, stack = set(), list(roots)
  while stack:
    if (n := stack.pop()) in seen: continue
    seen.add(n)
    stack.extend(nodes[n][2])
  return sorted(seen)

def cut(program, chosen):
  """The program with these groups of passes alone. The pass around a lowering of weak nodes stays as a name."""
  nodes = program["nodes"]
  keep = reach(nodes, [r for _, g in chosen for r in rooted(g)])
  at = {old: new for new, old in enumerate(keep)}
  passes = []
  for outer, group in chosen:
    base = group[0][0] - (1 if outer else 0)
    if outer: passes.append([0, outer[-1][1], *outer[-1][2:5], None, None, []])
    for depth, name, bottom_up, walk, enter, start, stop, matches in group:
      passes.append([depth - base, name, bottom_up, walk, enter, at[start], None if stop is None else at[stop],
                     [[at[b], None if a is None else at[a], ref] for b, a, ref in matches]])
  table = [[op, dt, [at[s] for s in src], arg, tag] for op, dt, src, arg, tag in (nodes[k] for k in keep)]
  return {"name": program["name"], "nodes": table, "root": passes[-1][5], "passes": passes}

def main(files):
  candidates = []
  for file in files:
    for line_number, line in enumerate(gzip.open(file, "rt")):
      program = json.loads(line)
      for g, (_, group) in enumerate(groups(program)):
        refs = {m[2] for p in group for m in p[7]}
        if refs: candidates.append((len(reach(program["nodes"], rooted(group))) + 4 * sum(len(p[7]) for p in group), file, line_number, g, refs))
  candidates.sort(key=lambda c: c[:4])
  places = collections.Counter(r for c in candidates for r in c[4])
  missing = {r: min(WANTED, n) for r, n in places.items()}
  chosen = collections.defaultdict(list)
  for _, file, line_number, g, refs in candidates:
    if not any(missing[r] for r in refs): continue
    chosen[file, line_number].append(g)
    for r in refs: missing[r] = max(0, missing[r] - 1)
  out = gzip.GzipFile(pathlib.Path(__file__).parent / "passes.jsonl.gz", "wb", mtime=0)
  for file in files:
    for line_number, line in enumerate(gzip.open(file, "rt")):
      if (file, line_number) not in chosen: continue
      program = json.loads(line)
      wanted = set(chosen[file, line_number])
      text = json.dumps(cut(program, [g for i, g in enumerate(groups(program)) if i in wanted]), separators=(",", ":"))
      out.write(text.encode() + b"\n")
  out.close()
  print(f"{len(places)} places, {sum(map(len, chosen.values()))} of {len(candidates)} passes")

if __name__ == "__main__": main(sys.argv[1:])
