"""Scheduling times side by side with the reference, program by program, in one run.

usage: schedule.py RANGESCOPE REFERENCE FILE... [--rounds N] [--repeat N] [--min-nodes N] [--rss-nodes N]

REFERENCE is a checkout of tinygrad at the commit that the README names; FILEs are programs (.jsonl.gz). For every program
both are asked in turn, so that a busy machine slows both: the reference with caches cleared and no tracing, Rangescope
without an observer, each in memory of its own. The ratio is best against best. Programs over --rss-nodes input nodes are
also run once in a process of their own, for the peak of its memory.
"""

import argparse
import gzip
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def programs(path, min_nodes):
  with gzip.open(path, "rt") as f:
    for line in f:
      program = json.loads(line)
      n = program["counts"]["input_nodes"]
      if n < min_nodes or "error" in program:
        continue
      keep = {k: program[k] for k in ("name", "suite", "flags", "root", "counts") if k in program}
      yield {**keep, "nodes": program["nodes"][:n]}


# A process starts with the peak of the one that it was forked from: a small one stands between.
MEASURE = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:])
_, status, usage = os.wait4(process.pid, 0)
print(usage.ru_maxrss / 1024)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def times(command, environment=None):
  """What the command prints last, and the peak of its memory in MiB."""
  done = subprocess.run([sys.executable, "-S", "-c", MEASURE, *map(str, command)], stdout=subprocess.PIPE, text=True,
                        env={**os.environ, **(environment or {})}, check=False)
  if done.returncode != 0:
    sys.exit(f"{command[0]} failed")
  *_, said, peak = done.stdout.splitlines()
  return json.loads(said), float(peak)


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("rangescope")
  parser.add_argument("reference", type=pathlib.Path)
  parser.add_argument("files", nargs="+")
  parser.add_argument("--repeat", type=int, default=3, help="runs of the reference in a round; rangescope gets four times as many")
  parser.add_argument("--rounds", type=int, default=3)
  parser.add_argument("--min-nodes", type=int, default=300)
  parser.add_argument("--rss-nodes", type=int, default=2000)
  a = parser.parse_args()
  environment = {"PYTHONPATH": str(a.reference), "DEV": "NULL"}
  ratios = []
  print(f"{'program':<20} {'nodes':>6} {'matches':>8} {'reference ms':>13} {'rangescope ms':>14} {'ratio':>7}   peak MiB")
  with tempfile.TemporaryDirectory() as folder:
    one = pathlib.Path(folder) / "one.jsonl.gz"
    for path in a.files:
      for program in programs(path, a.min_nodes):
        with gzip.open(one, "wt") as f:
          f.write(json.dumps(program) + "\n")
        def reference(n):
          return times(["/usr/bin/python3", HERE / "reference" / "ref_time.py", one, "--n", str(n)], environment)
        def rangescope(n):
          return times([a.rangescope, "schedule", one, "--stats", "--repeat", str(n)])
        # in turns: how fast a machine runs changes with what else it does
        rounds = [(reference(a.repeat)[0], rangescope(4 * a.repeat)[0]) for _ in range(a.rounds)]
        ref, ours = (min(of, key=lambda t: t["best_ms"]) for of in zip(*rounds))
        ratio = ref["best_ms"] / ours["best_ms"]
        ratios.append(ratio)
        memory = ""
        if program["counts"]["input_nodes"] > a.rss_nodes:
          theirs, mine = reference(1)[1], rangescope(1)[1]
          memory = f"{theirs:.0f} against {mine:.0f} ({theirs / mine:.1f})"
        print(f"{program['name']:<20} {ours['input_nodes']:>6} {ours['matches']:>8} {ref['best_ms']:>13.2f} {ours['best_ms']:>14.3f} "
              f"{ratio:>7.1f}   {memory}", flush=True)
  if ratios:
    print(f"geometric mean {math.exp(sum(map(math.log, ratios)) / len(ratios)):.1f}, least {min(ratios):.1f}, programs {len(ratios)}")


if __name__ == "__main__":
  main()
