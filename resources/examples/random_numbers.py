"""Random numbers without state in the kernel: threefry.

A generator that changes a state at every number cannot run in parallel. Here number i is a hash of a key and of i, so a kernel
computes each by itself; the only state is a counter on the device, which every call moves on by an assign. The hash is one op in
the graph, THREEFRY, which the code generation takes apart into additions, rotations and xors.
"""
import numpy as np
from rangescope import Tensor

Tensor.manual_seed(42)
first, second = Tensor.rand(1000), Tensor.rand(1000)
first.realize(second)
a, b = first.numpy(), second.numpy()
assert not np.array_equal(a, b)

Tensor.manual_seed(42)
np.testing.assert_array_equal(Tensor.rand(1000).numpy(), a)
print(f"mean {a.mean():.3f}, least {a.min():.4f}, most {a.max():.4f}")
assert 0 <= a.min() and a.max() < 1 and abs(a.mean() - 0.5) < 0.05
