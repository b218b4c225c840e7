"""A convolution is shifts and a reduction.

conv2d makes no special op. The padded input is repeated and cut so that a reshape shows it as windows, a view with two more axes
for the kernel; then it is a product with the weights and a sum over the channels and the window. In rangeify all these movement
ops become index arithmetic: `y * stride + ky - padding`, and the padding a condition. One kernel comes out.
"""
import numpy as np
from rangescope import Tensor, kernel_count

rng = np.random.default_rng(0)
x, w = rng.random((1, 3, 12, 12), dtype=np.float32), rng.random((4, 3, 3, 3), dtype=np.float32)
image, weights = Tensor(x).realize(), Tensor(w).realize()

before = kernel_count()
y = image.conv2d(weights, padding=1).realize()
print("kernels:", kernel_count() - before)

padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
expected = sum(np.einsum("bchw,oc->bohw", padded[:, :, i : i + 12, j : j + 12], w[:, :, i, j]) for i in range(3) for j in range(3))
np.testing.assert_allclose(y.numpy(), expected, rtol=1e-4)
