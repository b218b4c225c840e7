"""A training step: forward, backward, update, in one program.

The gradient is more graph: every op of the forward pass adds what its sources get. Asked for together, loss and updated weights are
one program, in which forward values that the backward pass needs are kept or computed again as the scheduler finds cheaper. In the
window the nodes of the backward pass say which method they are the gradient of, and the line of this script.
"""
import numpy as np
from rangescope import Tensor

rng = np.random.default_rng(0)
points = rng.standard_normal((64, 2)).astype(np.float32)
inside = ((points**2).sum(1) < 1).astype(np.int32)
x, y = Tensor(points).realize(), Tensor(inside).realize()

w1 = Tensor(rng.standard_normal((2, 16)).astype(np.float32)).realize()
b1 = Tensor(np.zeros(16, dtype=np.float32)).realize()
w2 = Tensor(rng.standard_normal((16, 2)).astype(np.float32) / 4).realize()
weights = [w1, b1, w2]

losses = []
for step in range(20):
  loss = ((x @ w1 + b1).relu() @ w2).sparse_categorical_crossentropy(y)
  for w, g in zip(weights, loss.gradient(*weights)):
    w.assign(w - g * 0.5)
  loss.realize(*weights)
  losses.append(loss.item())
print(f"loss {losses[0]:.3f} -> {losses[-1]:.3f}")
assert losses[-1] < 0.75 * losses[0]
