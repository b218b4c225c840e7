"""Reading pickles without running them, and the parts that a conversion is made of."""

import pickle
import random
import unittest

import door  # sets the path  # noqa: F401
from rangescope_tinygrad import notation, rule_source
from rangescope_tinygrad.foreign import Class
from rangescope_tinygrad.names import DTYPE, OP
from rangescope_tinygrad.nodes import Nodes
from rangescope_tinygrad.pickle_stream import CutShort, read_pickle
from rangescope_tinygrad.problem import Problem
from rangescope_tinygrad.replay import output_of


class ReadPickle(unittest.TestCase):
  def test_plain_values_as_pickle_reads_them(self):
    r = random.Random(7)

    def value(depth):
      kind = r.randrange(11 if depth else 7)
      return ([None, True, r.randrange(-5, 300), r.randrange(-2**70, 2**70), r.random(), "".join(r.choices("aé\n\U0001f600", k=r.randrange(300))),
               bytes(r.randrange(600))][kind] if kind < 7 else
              [[value(depth - 1) for _ in range(r.randrange(6))], tuple(value(depth - 1) for _ in range(r.randrange(6))),
               {r.randrange(99): value(depth - 1) for _ in range(r.randrange(6))}, [1, 2] * r.randrange(600)][kind - 7])
    for _ in range(300):
      v = value(4)
      for protocol in (2, 3, 4, 5):
        self.assertEqual(read_pickle(pickle.dumps(v, protocol)), v)

  def test_shared_values_stay_shared(self):
    a = ["a"]
    for protocol in (2, 4):
      x, y = read_pickle(pickle.dumps((a, a), protocol))
      self.assertIs(x, y)

  def test_a_cut_anywhere_is_an_error(self):
    data = pickle.dumps({"a": [1, 2.5, "text" * 100, b"bytes" * 100, (None, True)], "b": 2**80})
    for i in range(1, len(data)):
      with self.assertRaises(Problem):
        read_pickle(data[:i])
    with self.assertRaises(CutShort):
      read_pickle(data[:-1])


class Arguments(unittest.TestCase):
  def test_notation(self):
    from tinygrad.dtype import AddrSpace, ConstFloat, InvalidType, dtypes
    from tinygrad.schedule.indexing import BufferizeOpts
    from tinygrad.uop import Ops
    from tinygrad.uop.ops import KernelInfo, ParamArg
    nan = float("nan")
    for value, text in ((None, "null"), (True, "true"), (1, "1"), (1.0, "1.0"), (-0.0, "-0.0"), (nan, '{"float":"nan"}'), (2**70, str(2**70)),
                        (-float("inf"), '{"float":"-inf"}'), (ConstFloat(1e-5), "1e-05"), ("é", '"é"'), (b"\x01\xff", '{"bytes":"01ff"}'),
                        (InvalidType(), '{"invalid":1}'), (Ops.ADD, '{"op":"ADD"}'), (dtypes.float32, '{"dtype":"float32"}'),
                        ((Ops.ADD, (1, 2)), '[{"op":"ADD"},[1,2]]'), (AddrSpace.REG, '{"addrspace":"REG"}'),
                        (ParamArg(3, dtypes.int32, device=("A", "B"), axis=0),
                         '{"param":{"slot":3,"dtype":"int32","axis":0,"device":["A","B"]}}'),
                        (ParamArg(0, dtypes.int32, addrspace=None), '{"param":{"slot":0,"dtype":"int32","addrspace":null}}'),
                        (BufferizeOpts(None, AddrSpace.LOCAL), '{"stage":{"device":null,"addrspace":"LOCAL","removable":true}}'),
                        (KernelInfo("k", opts_to_apply=()), '{"kernel":{"name":"k","opts_to_apply":[]}}')):
      self.assertEqual(notation.argument_json(value), text)
      if not isinstance(value, (ConstFloat, bytes)):  # the same from a pickle
        self.assertEqual(notation.argument_json(read_pickle(pickle.dumps(value))), text)

  def test_what_has_no_notation_is_told_and_stays_different(self):
    from tinygrad.uop.ops import Estimates, KernelInfo, ProgramInfo
    texts = [notation.argument_json(a) for a in (KernelInfo("k", estimates=Estimates(1)), KernelInfo("k", estimates=Estimates(2)),
                                                 ProgramInfo("p", (1, 2, 3)), "x" * 9000 + "a", ("x" * 9000, 3j), ("x" * 9000, 4j))]
    self.assertEqual(len(set(texts)), len(texts))
    self.assertIn("global_size=(1, 2, 3)", texts[2])
    self.assertIn("KernelInfo(name=", texts[0])

  def test_a_member_by_value(self):
    self.assertEqual(Class("tinygrad.uop", "Ops").call((33,)).name, "ADD")
    self.assertEqual(Class("tinygrad.uop.ops", "AxisType").call((12,)).name, "LOOP")
    with self.assertRaisesRegex(Problem, "another version"):
      Class("tinygrad.uop", "Ops").call((333,))


def variable(nodes, slot, dtype="weakint"):
  return nodes.add(OP["PARAM"], DTYPE[dtype], (), nodes._number_of_json(f"slot {slot}"), 0)


class Replay(unittest.TestCase):
  def setUp(self):
    self.n = Nodes()
    self.x, self.y = variable(self.n, 0), variable(self.n, 1)

  def add(self, a, b, dtype="weakint"):
    return self.n.add(OP["ADD"], DTYPE[dtype], (a, b), 0, 0)

  def test_the_map_is_followed_and_sources_rebuilt(self):
    n, x, y = self.n, self.x, self.y
    inner, outer = self.add(x, y), self.add(self.add(x, y), x)
    self.assertEqual(output_of(n, outer, {}, False, False, False), outer)
    self.assertEqual(output_of(n, outer, {inner: y, y: x}, False, False, False), self.add(x, x))
    # the rebuilt node is in the map too
    self.assertEqual(output_of(n, outer, {inner: y, self.add(y, x): x}, False, False, False), x)
    # a walk replaces once
    self.assertEqual(output_of(n, outer, {inner: y, y: x}, True, True, False), self.add(y, x))
    self.assertEqual(output_of(n, outer, {self.add(y, y): y, x: y}, False, True, False), y)

  def test_a_circle_has_no_end(self):
    self.assertIsNone(output_of(self.n, self.add(self.x, self.x), {self.x: self.y, self.y: self.x}, False, False, False))
    self.assertIsNone(output_of(self.n, self.x, {self.x: self.add(self.x, self.y)}, False, False, False))

  def test_bodies_of_calls_are_left_alone(self):
    n, x, y = self.n, self.x, self.y
    body = n.add(OP["SINK"], 0, (x,), 0, 0)
    call = n.add(OP["CALL"], 0, (body, x), 0, 0)
    self.assertEqual(n.sources(output_of(n, call, {x: y}, False, False, False)).tolist(), [body, y])
    entered = output_of(n, call, {x: y}, False, False, True)
    self.assertEqual(n.sources(n.sources(entered)[0]).tolist(), [y])

  def test_dtypes_are_derived(self):
    n = self.n
    f, i = variable(n, 2, "float16"), variable(n, 3, "int32")
    for op, dtype, srcs, becomes in (("ADD", "weakint", (self.x, self.x), "float16"), ("CMPLT", "bool", (self.x, self.x), "bool"),
                                     ("EXP2", "weakfloat", (self.x,), "float16"), ("SINK", "void", (self.x,), "void"),
                                     ("MAX", "int32", (self.x, i), "float16")):
      root = n.add(OP[op], DTYPE[dtype], srcs, 0, 0)
      self.assertEqual(n.dtype[output_of(n, root, {self.x: f}, False, False, False)], DTYPE[becomes], op)

  def test_a_deep_graph(self):
    root = self.x
    for _ in range(50000):
      root = self.add(root, self.y)
    self.assertNotEqual(output_of(self.n, root, {self.x: self.y}, False, False, False), root)


class Sources(unittest.TestCase):
  def test_reference(self):
    for path, ref in (("/a/tinygrad/tinygrad/uop/ops.py", "uop/ops.py:3"), ("/x/tinygrad/schedule/y.py", "schedule/y.py:3"),
                      ("/home/me/rules.py", "rules.py:3"), ("C:\\tinygrad\\tensor.py", "tensor.py:3")):
      self.assertEqual(rule_source.reference(path, 3), ref)

  def test_a_file_that_is_gone(self):
    self.assertEqual(rule_source.RuleSources().find("/none/tinygrad/a.py", 3), ("a.py:3", None))


if __name__ == "__main__":
  unittest.main()
