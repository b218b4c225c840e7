"""Attention in fewer kernels, with PCONTIG.

Scores, their largest, the sum, the weights times the values: as softmax.py explains, every reduce that another loop uses is stored,
and the matrix of scores is the largest of all. With PCONTIG the scheduler may keep such a value for a part of the ranges alone, so
that it needs a small local buffer instead of a whole one: partial realization. One kernel is left. Compare the two programs of the
recording.
"""
import numpy as np
from rangescope import Context, Tensor, kernel_count

rng = np.random.default_rng(0)
q, k, v = (rng.standard_normal((2, 16, 8)).astype(np.float32) for _ in range(3))
Q, K, V = (Tensor(t).realize() for t in (q, k, v))

counts = []
for level in (0, 2):
  before = kernel_count()
  with Context(PCONTIG=level):
    out = Q.scaled_dot_product_attention(K, V).realize()
  counts.append(kernel_count() - before)

  scores = q @ k.transpose(0, 2, 1) / np.sqrt(8)
  e = np.exp(scores - scores.max(-1, keepdims=True))
  np.testing.assert_allclose(out.numpy(), e / e.sum(-1, keepdims=True) @ v, rtol=1e-3, atol=1e-5)
print("kernels without and with PCONTIG=2:", *counts)
