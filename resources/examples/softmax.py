"""Softmax takes three kernels.

exp(x - max(x)) / sum(exp(x - max(x))): the sum needs the largest of the row before it can start, and the division needs the whole
sum before it can start. A value that is reduced and then used by another loop over the same axis has to be stored, so each reduce
ends a kernel: the largest, the sum, the result. The exponential itself is not stored; it is computed twice, which is cheaper.
The pass "remove_bufferize" is where the scheduler decides that.
"""
import numpy as np
from rangescope import Tensor, kernel_count

x = np.random.default_rng(0).standard_normal((32, 64)).astype(np.float32)
a = Tensor(x).realize()

before = kernel_count()
p = a.softmax().realize()
print("kernels:", kernel_count() - before)

e = np.exp(x - x.max(1, keepdims=True))
np.testing.assert_allclose(p.numpy(), e / e.sum(1, keepdims=True), rtol=1e-4, atol=1e-6)
