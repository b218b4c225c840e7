"""A sum over two devices.

The rows are sharded over two devices. Each sums its own; then the parts must meet: an allreduce, which the scheduler takes apart
into copies and additions. Both devices are on the one Vulkan device that there is: each has buffers of its own, every kernel is
launched for each of them, and what moves between them is copied, as the recording shows.
"""
import numpy as np
from rangescope import Tensor, kernel_count

x = np.arange(12, dtype=np.float32).reshape(4, 3)
a = Tensor(x).shard(("VK:1", "VK:2"), axis=0)
print("on", a.device)

before = kernel_count()
column_sums = a.sum(0)
np.testing.assert_array_equal(column_sums.numpy(), x.sum(0))
print("launches on both:", kernel_count() - before)

scaled = (a / column_sums).to("VK")
np.testing.assert_allclose(scaled.numpy(), x / x.sum(0), rtol=1e-5)
