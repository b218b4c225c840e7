#!/usr/bin/env python3
"""Write how the reference orders pairs of nodes of corpus programs: tests/ir/data/tuplize.tsv.

usage: PYTHONPATH=<checkout>:<oracle>/tools:. DEV=NULL tuplize_order.py GOLDEN_DIR > tuplize.tsv
"""
import sys, json, gzip, random
from node_properties import nodes_of

def order(a, b):
  x, y = a.tuplize, b.tuplize
  try: return 0 if x == y else -1 if x < y else 1
  except TypeError: return "!"

sys.setrecursionlimit(20000)
rng = random.Random(7)
for file, step in (("schedule/rangeify.jsonl.gz", 5), ("schedule/func.jsonl.gz", 20), ("schedule/multi.jsonl.gz", 40), ("schedule/setitem.jsonl.gz", 20), ("symbolic.jsonl.gz", 60)):
  for i, l in list(enumerate(gzip.open(f"{sys.argv[1]}/{file}", "rt"), 1))[::step]:
    us = nodes_of(json.loads(l)["nodes"])
    by_op = {}
    for k, u in enumerate(us): by_op.setdefault(u.op, []).append(k)
    pairs = {(rng.randrange(len(us)), rng.randrange(len(us))) for _ in range(12)}
    # of one op: the argument and the sources decide
    for _ in range(120):
      same = rng.choice(list(by_op.values()))
      pairs.add((rng.choice(same), rng.choice(same)))
    for a, b in sorted(pairs): print(file, i, a, b, order(us[a], us[b]), sep="\t")
