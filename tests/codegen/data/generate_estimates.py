"""Writes estimates.tsv: operations and bytes of the golden kernels as the reference counts them.

A line: suite, place of the kernel in the suite's file, ops, bytes through loads and stores, bytes reached. A symbolic
count is given for the largest values of the variables, with a * behind it.

    PYTHONPATH=<checkout of the reference>:tests/reference python3 generate_estimates.py ../../golden/codegen > estimates.tsv
"""
import gzip, json, sys
from pathlib import Path
from tinygrad.renderer import Estimates
from tinygrad.uop.ops import Ops, UOp
from uopjson import load

def number(x):
  if not isinstance(x, UOp): return str(int(x))
  at = {u: u.const_like(u.vmax) for u in x.toposort() if u.op is Ops.PARAM}
  return f"{int(x.substitute(at).ssimplify())}*"

for path in sorted(Path(sys.argv[1]).glob("*.jsonl.gz")):
  with gzip.open(path, "rt") as f:
    for i, line in enumerate(f):
      d = json.loads(line)
      if "linear" not in d: continue
      load_all = load(d["nodes"], slice(None))
      e = Estimates.from_uops(tuple(load_all[k] for k in d["linear"]), ignore_indexing=True).simplify()
      print(path.name.split(".")[0], i, number(e.ops), number(e.lds), number(e.mem), sep="\t")
