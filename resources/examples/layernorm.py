"""Layer normalisation: two reductions, one after the other.

The variance is the mean of the squared distance from the mean, so the second reduce cannot start before the first has ended; what
comes after (scale and shift) is fused into the kernel that writes the result. Count the kernels, then look for the two REDUCE
nodes in the input graph and where they end up.
"""
import numpy as np
from rangescope import Tensor, kernel_count

rng = np.random.default_rng(0)
x = rng.standard_normal((16, 128)).astype(np.float32)
w, b = rng.random(128, dtype=np.float32), rng.random(128, dtype=np.float32)
a, weight, bias = Tensor(x).realize(), Tensor(w).realize(), Tensor(b).realize()

before = kernel_count()
y = (a.layernorm() * weight + bias).realize()
print("kernels:", kernel_count() - before)

centred = x - x.mean(1, keepdims=True)
np.testing.assert_allclose(y.numpy(), centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5) * w + b, rtol=1e-3, atol=1e-4)
