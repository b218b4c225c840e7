"""A matrix product is a broadcast product and a sum.

There is no op for it: a (n, k) and b (k, m) are reshaped so that their product has the shape (n, m, k), and the last axis is
summed. The product of n * m * k elements is never stored: the reduce takes it in, element by element. The optimiser of the code
generation then tiles the loops (its passes are the kernel's section of the trace).
"""
import numpy as np
from rangescope import Tensor, kernel_count

rng = np.random.default_rng(0)
x, y = rng.random((64, 96), dtype=np.float32), rng.random((96, 32), dtype=np.float32)
a, b = Tensor(x).realize(), Tensor(y).realize()

before = kernel_count()
by_hand = (a.reshape(64, 1, 96) * b.permute(1, 0).reshape(1, 32, 96)).sum(2)
product = a @ b
by_hand.realize(product)
print("kernels:", kernel_count() - before)

np.testing.assert_allclose(product.numpy(), x @ y, rtol=1e-4)
np.testing.assert_allclose(by_hand.numpy(), x @ y, rtol=1e-4)
