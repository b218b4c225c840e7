"""Writing in place, and what must be ordered around it.

An assign is a node like any other: the buffer AFTER a STORE. Who read the buffer before reads the node without the AFTER, who reads
it later reads the one with it, so the graph itself says what is old and what is new. Where a kernel would read what it writes at
another index (a reversal, say), the scheduler first makes a copy: the pass that fixes store hazards.
"""
import numpy as np
from rangescope import Tensor

x = np.arange(6, dtype=np.float32)
a = Tensor(x).realize()

old = a + 100  # reads what is there now
a.assign(a.flip(0))  # another index: what is read must not be overwritten yet
new = a * 2  # reads what is there then
old.realize(new)  # one program: who reads the old values comes before who overwrites them
np.testing.assert_array_equal(old.numpy(), x + 100)
np.testing.assert_array_equal(new.numpy(), x[::-1] * 2)

a[1:3] = 7.0  # a part is written
a += 1  # the same index: in place, no copy
print("a:", a.numpy())
np.testing.assert_array_equal(a.numpy(), [6, 8, 8, 3, 2, 1])
