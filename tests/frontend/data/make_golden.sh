#!/bin/sh
# golden.jsonl.gz again, from tinygrad's own checkout: make_golden.sh path/to/tinygrad
set -e
here=$(cd "$(dirname "$0")" && pwd)
cd "$here"
export DEV=NULL PYTHONPATH="$here:$here/../../../app/python:$1"
python3 - <<'PY'
import gzip, json
import tinygrad.schedule as schedule
from rangescope_tinygrad.capture import flags_now, graph_line
import golden
lines, original = [], schedule.get_kernel_graph
def capture(sink):
  lines.append(graph_line(sink, name, flags_now()))
  return original(sink)
schedule.get_kernel_graph = capture
for name, call in golden.CASES.items():
  before = len(lines)
  call().realize()
  del lines[before + 1 :]  # the bodies of its calls
with gzip.GzipFile("golden.jsonl.gz", "wb", mtime=0) as f:
  f.write(("\n".join(lines) + "\n").encode())
print(len(lines), "graphs")
PY
