"""The Python module: numpy in and out, operators, errors, recording. Runs on whatever device there is."""
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import rangescope
from rangescope import Context, Tensor, dtypes

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "resources" / "examples"
PROGRAM = os.environ.get("RANGESCOPE")


def query(path, sql):
  with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
    return db.execute(sql).fetchall()


class TestTensor(unittest.TestCase):
  def same(self, t, want):
    want = np.asarray(want)
    got = t.numpy()
    self.assertEqual(got.shape, want.shape)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-6)

  def test_numpy_in_and_out(self):
    for dtype in ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"):
      a = np.array([[0, 1, 2], [3, 4, 5]]).astype(dtype)
      t = Tensor(a)
      self.assertEqual((t.shape, t.dtype), ((2, 3), dtype))
      np.testing.assert_array_equal(t.numpy(), a)
      self.assertEqual(t.numpy().dtype, a.dtype)
    np.testing.assert_array_equal(Tensor(np.arange(6).reshape(2, 3).T).numpy(), np.arange(6).reshape(2, 3).T)
    self.assertEqual(Tensor([[1, 2], [3, 4]]).dtype, dtypes.int32)
    self.assertEqual(Tensor([1, 2.5]).dtype, dtypes.float32)
    self.assertEqual(Tensor([True]).dtype, dtypes.bool)
    self.assertEqual(Tensor([[1], [2]]).tolist(), [[1], [2]])
    self.assertEqual(Tensor(3.5).item(), 3.5)
    self.assertEqual(Tensor([1.5], dtype=dtypes.bfloat16).tolist(), [1.5])
    self.assertEqual(Tensor(b"\x01\x02").tolist(), [1, 2])
    self.assertEqual(Tensor.zeros(2, 0).numpy().shape, (2, 0))

  def test_operators(self):
    x, y = np.array([1.5, -2, 3], np.float32), np.array([2, 4, -1], np.float32)
    a, b = Tensor(x), Tensor(y)
    for f in (lambda p, q: p + q, lambda p, q: p - q, lambda p, q: p * q, lambda p, q: p / q, lambda p, q: p // q, lambda p, q: p % q,
              lambda p, q: 2 - p, lambda p, q: 1 / q, lambda p, q: -p, lambda p, q: p**2, lambda p, q: p < q, lambda p, q: p >= 1.5,
              lambda p, q: p == q, lambda p, q: p != q, lambda p, q: abs(p) if isinstance(p, np.ndarray) else p.abs(),
              lambda p, q: (p > 0) & (q > 0), lambda p, q: (p > 0) | (q > 0), lambda p, q: p @ q):
      self.same(f(a, b), f(x, y))
    n = np.array([5, -3], np.int32)
    self.same(Tensor(n) // 2 + Tensor(n) % 3, n // 2 + n % 3)
    self.same(~Tensor(n) ^ 3, ~n ^ 3)
    self.same(Tensor(n) << 2, n << 2)
    self.same((a > 0).where(a, 0), np.where(x > 0, x, 0))

  def test_movement_and_indexing(self):
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    t = Tensor(x).realize()
    self.same(t[1, ::-1, 1:3], x[1, ::-1, 1:3])
    self.same(t[..., None, -1], x[..., None, -1])
    self.same(t[[0, 1], :, [2, 3]], x[[0, 1], :, [2, 3]])
    self.same(t[:, Tensor([2, 0])], x[:, [2, 0]])
    self.same(t.permute(2, 0, 1).reshape(4, -1), x.transpose(2, 0, 1).reshape(4, -1))
    self.same(t.pad(((0, 0), (1, 0), None)), np.pad(x, ((0, 0), (1, 0), (0, 0))))
    self.same(Tensor.cat(t, t, dim=1), np.concatenate([x, x], 1))
    self.same(Tensor.stack(t[0], t[1], dim=2), np.stack([x[0], x[1]], 2))
    self.assertEqual([p.shape for p in t.split([1, 2], dim=1)], [(2, 1, 4), (2, 2, 4)])
    self.assertEqual(t.rearrange("a b c -> (a c) b").shape, (8, 3))

  def test_reductions_and_networks(self):
    x = np.random.default_rng(0).standard_normal((4, 6)).astype(np.float32)
    t = Tensor(x).realize()
    for name in ("sum", "max", "min", "mean", "prod"):
      self.same(getattr(t, name)(1), getattr(x, name)(1))
    self.same(t.std(0), x.std(0, ddof=1))
    self.same(t.argmax(1), x.argmax(1))
    self.same(t.sort(1)[0], np.sort(x, 1))
    self.same(t.cumsum(1), np.cumsum(x, 1))
    e = np.exp(x)
    self.same(t.softmax(), e / e.sum(1, keepdims=True))
    self.same(Tensor.einsum("ij,kj->ik", t, t), x @ x.T)
    weight, bias = np.ones((6, 2), np.float32), np.array([1.0, -1.0], np.float32)
    self.same(t.linear(Tensor(weight)), x @ weight)
    self.same(t.linear(Tensor(weight), Tensor(bias)), x @ weight + bias)
    self.assertEqual(t.reshape(1, 1, 4, 6).conv2d(Tensor.ones(2, 1, 3, 3), padding=1).max_pool2d(2).shape, (1, 2, 2, 3))

  def test_several_results_and_losses(self):
    x = np.random.default_rng(1).standard_normal((4, 6)).astype(np.float32)
    t = Tensor(x).realize()
    for got, want in zip((*t.var_mean(1), *t.std_mean(1)), (x.var(1, ddof=1), x.mean(1), x.std(1, ddof=1), x.mean(1))):
      self.same(got, want)
    e = np.exp(-x)
    self.same(t.softmin(), e / e.sum(1, keepdims=True))
    labels, weight = np.array([1, 0, 5, 3]), np.arange(1, 7, dtype=np.float32)
    logs = x - np.log(np.exp(x).sum(1, keepdims=True))
    each = -logs[np.arange(4), labels]
    self.same(t.log_softmax(1).nll_loss(Tensor(labels)), each.mean())
    self.same(t.log_softmax(1).nll_loss(Tensor(labels), Tensor(weight), reduction="none"), each * weight[labels])
    self.same(t.log_softmax(1).nll_loss(Tensor(labels), ignore_index=5), each[[0, 1, 3]].mean())
    self.same(t.pad_to(None, 8, value=2.0), np.pad(x, ((0, 0), (0, 2)), constant_values=2))
    self.same(t.shrink_to(2, None), x[:2])
    self.assertEqual(Tensor(x).shard_(("VK:1", "VK:2"), 0).to_("VK").device, t.device)

  def test_writing(self):
    a = Tensor.zeros(4).realize()
    a[1:3] = Tensor([5.0, 6.0])
    a += 1
    a[0] = 9
    a[1:2] += 1
    self.same(a, [9, 7, 7, 1])
    lazy = Tensor([1.0, 2.0]) * 2
    lazy[0] = 5
    self.same(lazy, [5, 4])

  def test_gradients(self):
    w = Tensor([1.0, 2.0, 3.0]).realize()
    loss = (w * w).sum()
    self.same(loss.gradient(w)[0], [2, 4, 6])
    loss.backward()
    self.same(w.grad, [2, 4, 6])

  def test_several_devices(self):
    x = np.arange(8, dtype=np.float32).reshape(4, 2)
    t = Tensor(x).shard(("VK:1", "VK:2"), 0)
    self.assertEqual(t.device, ("VK:1", "VK:2"))
    self.same(t.sum(0), x.sum(0))
    whole = Tensor(x).shard(("VK:1", "VK:2"))  # a copy on each
    self.same(t * 2 + whole[0], x * 2 + x[0])
    self.same((t @ Tensor(np.eye(2, dtype=np.float32)).shard(("VK:1", "VK:2"))).to("VK"), x)
    w = Tensor(np.array([[1.0], [2.0]], np.float32)).shard(("VK:1", "VK:2")).realize()
    self.same((t @ w).sum().gradient(w)[0], x.sum(0)[:, None])
    four = Tensor(x).shard(("VK:1", "VK:2", "VK:3", "VK:4"), 0).realize()
    four.assign(four + 1)
    self.same(four.max(), x.max() + 1)
    self.same(four[1], x[1] + 1)

  def test_errors_say_what_does_not_fit(self):
    for call, message in ((lambda: Tensor.ones(2, 3) @ Tensor.ones(4, 5), "a matrix product of"),
                          (lambda: Tensor.ones(2, 3).reshape(4), "the number of elements differs"),
                          (lambda: Tensor.ones(2).sum(3), "axis 3 is out of range"),
                          (lambda: Tensor.ones(2).cast("float33"), 'no dtype "float33"'),
                          (lambda: Tensor.ones(2)[5], "out of bounds")):
      with self.assertRaisesRegex(rangescope.Error, message):
        call()
    for call in (lambda: Tensor("text"), lambda: Tensor(np.array(["a"])), lambda: Tensor.ones(2) + "x"):
      with self.assertRaises(TypeError):
        call()
    with self.assertRaisesRegex(ValueError, "one length"):
      Tensor([[1], [1, 2]])
    with self.assertRaisesRegex(ValueError, "no setting"):
      Context(NONSENSE=1)
    with self.assertRaises(TypeError):
      bool(Tensor.ones(1))


class TestRecording(unittest.TestCase):
  def setUp(self):
    folder = tempfile.TemporaryDirectory()
    self.addCleanup(folder.cleanup)
    self.folder = pathlib.Path(folder.name)

  def test_block(self):
    path = self.folder / "t.rscope"
    x = Tensor(np.ones((4, 8), np.float32)).realize()
    with rangescope.record(path, repeats=2) as r:
      x.softmax().realize()
      self.assertEqual((x + 1).tolist(), [[2] * 8] * 4)
      with self.assertRaises(rangescope.Error):
        rangescope.record(path).__enter__()
    self.assertGreater(r.matches, 10)
    self.assertEqual(query(path, "SELECT count(*) FROM schedule WHERE kind = 'kernel'"), [(4,)])
    names = {n for n, in query(path, "SELECT DISTINCT name FROM node_metadata")}
    self.assertIn("softmax", names)
    lines = {w for w, in query(path, "SELECT DISTINCT location FROM node_metadata WHERE name = 'softmax'")}
    self.assertTrue(all(w.startswith("test_tensor.py:") for w in lines), lines)

  def test_several_devices_run_with_real_copies(self):
    path = self.folder / "t.rscope"
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    with rangescope.record(path, repeats=3):
      np.testing.assert_array_equal(Tensor(x).shard(("VK:1", "VK:2"), 0).sum(0).numpy(), x.sum(0))
    if "interpreter" in rangescope.device_name():
      self.skipTest("needs a Vulkan device")
    # each device launches what both have to do, and all of it is timed
    both = query(path, "SELECT count(*) FROM (SELECT item FROM launches WHERE kernel IS NOT NULL GROUP BY item HAVING count(*) >= 2)")
    self.assertGreater(both[0][0], 0)
    self.assertEqual(query(path, "SELECT count(*) FROM launches l WHERE NOT EXISTS (SELECT 1 FROM dispatches d WHERE d.item = l.item AND NOT d.warm_up)"), [(0,)])
    self.assertTrue(query(path, "SELECT 1 FROM buffers WHERE name LIKE '%@VK:2'"))

  def test_block_that_raises(self):
    path = self.folder / "t.rscope"
    x = Tensor([1.0]).realize()
    with self.assertRaises(ZeroDivisionError):
      with rangescope.record(path, repeats=0):
        (x + 1).realize()
        1 // 0
    self.assertEqual(query(path, "SELECT count(*) FROM schedule WHERE kind = 'kernel'"), [(1,)])
    self.assertEqual((Tensor([1.0]) + 1).tolist(), [2])

  def record(self, script, *more):
    path = self.folder / "script.py"
    path.write_text(script)
    return subprocess.run([PROGRAM, "record", str(path), "-o", str(self.folder / "s.rscope"), *more], capture_output=True, text=True)

  @unittest.skipUnless(PROGRAM, "needs the program")
  def test_script(self):
    done = self.record("from rangescope import Tensor\nprint((Tensor([1, 2]) + 1).tolist())\n")
    self.assertEqual(done.returncode, 0, done.stderr)
    self.assertIn("[2, 3]", done.stdout)
    self.assertIn("matches recorded", done.stdout)
    self.assertEqual(query(self.folder / "s.rscope", "SELECT DISTINCT location FROM node_metadata WHERE name = 'add'"), [("script.py:2",)])

  @unittest.skipUnless(PROGRAM, "needs the program")
  def test_script_without_a_rule_and_with_a_setting(self):
    script, path = "from rangescope import Tensor\nprint((Tensor([1.0, 2.0]).reshape(2, 1).reshape(1, 2) + 1).tolist())\n", self.folder / "s.rscope"
    fired = "SELECT count(*) FROM matches JOIN rules ON rules.id = rule WHERE name = 'merge-reshapes'"
    self.assertEqual(self.record(script).returncode, 0)
    self.assertGreater(query(path, fired)[0][0], 0)
    done = self.record(script, "--without", "merge-reshapes", "--flag", "SPLIT_REDUCEOP=0")
    self.assertEqual(done.returncode, 0, done.stderr)
    self.assertIn("[[2.0, 3.0]]", done.stdout)
    self.assertEqual(query(path, fired), [(0,)])
    self.assertEqual(query(path, "SELECT value FROM meta WHERE key = 'without'"), [('["merge-reshapes"]',)])
    self.assertEqual(query(path, "SELECT DISTINCT value FROM meta WHERE key LIKE 'flags of section %'"), [('{"SPLIT_REDUCEOP":0}',)])
    self.assertIn("there is no rule no-such-rule", self.record(script, "--without", "no-such-rule").stderr)

  @unittest.skipUnless(PROGRAM, "needs the program")
  def test_script_that_raises(self):
    done = self.record("from rangescope import Tensor\n\nTensor.ones(2).reshape(3)\n")
    self.assertEqual(done.returncode, 1)
    self.assertIn("script.py:3: Error: cannot reshape", done.stderr)
    self.assertNotIn("Traceback", done.stderr)
    done = self.record("def (\n")
    self.assertEqual(done.returncode, 1)
    self.assertIn("script.py:1: SyntaxError", done.stderr)
    self.assertIn("there is no script", subprocess.run([PROGRAM, "record", "none.py", "-o", "x.rscope"], capture_output=True, text=True,
                                                       cwd=self.folder).stderr)


class TestExamples(unittest.TestCase):
  """Each example checks its own numbers; here what it says of kernels."""

  def run_example(self, name):
    done = subprocess.run([sys.executable, str(EXAMPLES / name)], capture_output=True, text=True)
    self.assertEqual(done.returncode, 0, done.stderr)
    return done.stdout

  def test_all(self):
    says = {"fused_elementwise.py": "kernels: 1", "matmul.py": "kernels: 2", "softmax.py": "kernels: 3", "layernorm.py": "kernels: 3",
            "convolution.py": "kernels: 1", "flash_attention.py": "PCONTIG=2: 4 1"}
    scripts = sorted(p.name for p in EXAMPLES.glob("*.py"))
    self.assertGreaterEqual(len(scripts), 10)
    for name in scripts:
      with self.subTest(name):
        self.assertIn(says.get(name, ""), self.run_example(name))


if __name__ == "__main__":
  unittest.main()
