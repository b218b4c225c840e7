"""The programs of ./dev bench kernels. Writes one captured graph a program:

    DEV=NULL PYTHONPATH=app/python:path/to/tinygrad python3 tests/bench/data/kernels.py tests/bench/data/kernels.jsonl
"""

import sys

import tinygrad.schedule
import tinygrad.schedule.rangeify
from rangescope_tinygrad.capture import graph_line
from tinygrad import Tensor


def inputs(*shapes):
  return [Tensor.empty(*s).realize() for s in shapes]


def attention(q, k, v):
  return q.scaled_dot_product_attention(k, v)


PROGRAMS = {
  "matmul_512": (lambda a, b: a @ b, [(512, 512)] * 2),
  "matmul_1024": (lambda a, b: a @ b, [(1024, 1024)] * 2),
  "matmul_batched": (lambda a, b: a @ b, [(16, 256, 256)] * 2),
  "conv_3x3": (lambda x, w: x.conv2d(w, padding=1), [(8, 64, 56, 56), (64, 64, 3, 3)]),
  "add_64_mib": (lambda a, b: a + b, [(1 << 24,)] * 2),
  "copy_64_mib": (lambda a, out: out.assign(a), [(1 << 24,)] * 2),
  "sum_rows": (lambda a: a.sum(1), [(4096, 4096)]),
  "sum_columns": (lambda a: a.sum(0), [(4096, 4096)]),
  "softmax": (lambda a: a.softmax(1), [(4096, 4096)]),
  "layernorm": (lambda a: a.layernorm(), [(4096, 1024)]),
  "attention": (attention, [(1, 8, 512, 64)] * 3),
}


def main(path):
  lines = []
  real = tinygrad.schedule.rangeify.get_kernel_graph

  def watched(sink, *args, **named):
    lines.append(sink)
    return real(sink, *args, **named)

  tinygrad.schedule.rangeify.get_kernel_graph = watched
  if getattr(tinygrad.schedule, "get_kernel_graph", None) is real:
    tinygrad.schedule.get_kernel_graph = watched
  with open(path, "w", encoding="utf-8") as out:
    for name, (program, shapes) in PROGRAMS.items():
      given = inputs(*shapes)
      lines.clear()
      program(*given).realize()
      assert len(lines) == 1, f"{name} was scheduled in {len(lines)} parts"
      out.write(graph_line(lines[0], name, {}) + "\n")


main(sys.argv[1])
