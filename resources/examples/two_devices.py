"""A sum over two devices.

The rows are sharded over two devices. Each sums its own; then the parts must meet: an allreduce, which the scheduler takes apart
into copies and additions. Everything is scheduled and recorded as it would run on two devices; the numbers come from the
interpreter, since programs on several devices are not run on Vulkan yet.
"""
import numpy as np
from rangescope import Tensor

x = np.arange(12, dtype=np.float32).reshape(4, 3)
a = Tensor(x).shard(("VK:1", "VK:2"), axis=0)
print("on", a.device)

column_sums = a.sum(0)
np.testing.assert_array_equal(column_sums.numpy(), x.sum(0))

scaled = (a / column_sums).to("VK")
np.testing.assert_allclose(scaled.numpy(), x / x.sum(0), rtol=1e-5)
