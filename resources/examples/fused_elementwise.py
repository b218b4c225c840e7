"""Elementwise work is one kernel, however many operations it is.

Each line below makes nodes of a graph and nothing else. When the result is asked for, rangeify gives every axis a range and
substitutes: no operation needs a buffer of its own, since each element of the result depends on the same element of the inputs.
Look at the pass "Rangeify" in the window: the graph gets ranges, and the chain of operations stays one expression.
"""
import numpy as np
from rangescope import Tensor, kernel_count

x, y = np.linspace(-2, 2, 1024, dtype=np.float32), np.linspace(0, 1, 1024, dtype=np.float32)
a, b = Tensor(x).realize(), Tensor(y).realize()

before = kernel_count()
c = ((a * 2 + b) * a).relu() + (a - b).square()
c.realize()
print("kernels:", kernel_count() - before)

np.testing.assert_allclose(c.numpy(), np.maximum((x * 2 + y) * x, 0) + (x - y) ** 2, rtol=1e-5, atol=1e-6)
