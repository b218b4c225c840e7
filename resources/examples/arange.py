"""arange is a sum, and then it is nothing.

The graph of arange(n) adds up a triangle of ones: n * n additions, written with the ops that exist. The simplifier proves that the
sum over a range of "r <= i" is i + 1, so no loop and no buffer is left, only the index. Indexing with a tensor rests on it: a
one-hot mask of an arange against the index, summed, becomes one load (look for the rules about reduce in the trace).
"""
import numpy as np
from rangescope import Tensor, kernel_count

before = kernel_count()
n = (Tensor.arange(1000) * 3).contiguous().realize()
table = Tensor(np.arange(40, dtype=np.float32).reshape(10, 4)).realize()
rows = table[Tensor([7, 0, 7])].realize()
print("kernels:", kernel_count() - before)

np.testing.assert_array_equal(n.numpy(), np.arange(1000) * 3)
np.testing.assert_array_equal(rows.numpy(), np.arange(40, dtype=np.float32).reshape(10, 4)[[7, 0, 7]])
