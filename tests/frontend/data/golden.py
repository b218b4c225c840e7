"""The calls whose graphs tinygrad gave for golden.jsonl.gz, in the order of golden_test.cpp. Run by make_golden.sh."""
from tinygrad import Tensor, dtypes

CASES = {}


def case(f):
  CASES[f.__name__] = f


E = Tensor.empty


@case
def fused():
  return (Tensor([1.0, 2.0, 3.0]) + E(3)).sum() * 2


@case
def softmax():
  return E(4, 8).softmax()


@case
def log_softmax_half():
  return E(4, 8, dtype=dtypes.half).log_softmax(0)


@case
def layernorm():
  return E(2, 16).layernorm()


@case
def matmul():
  return E(4, 8) @ E(8, 3)


@case
def conv2d():
  return E(1, 4, 8, 8).conv2d(E(6, 2, 3, 3), E(6), groups=2, stride=2, padding=1)


@case
def conv_transpose2d():
  return E(1, 4, 5, 5).conv_transpose2d(E(4, 3, 3, 3), stride=2, padding=1, output_padding=1)


@case
def max_pool2d():
  return E(1, 2, 7, 7).max_pool2d((3, 2), stride=2, padding=1, ceil_mode=True)


@case
def avg_pool2d():
  return E(1, 2, 7, 7).avg_pool2d((3, 3), stride=2, padding=(1, 0), ceil_mode=True, count_include_pad=False)


@case
def slices():
  return E(5, 6)[1:4, ::-2] + 1


@case
def index_one():
  return E(5, 6)[E(3, dtype=dtypes.int)] + 1


@case
def index_two():
  return E(5, 6, 7)[E(3, dtype=dtypes.int), :, E(3, dtype=dtypes.int)] + 1


@case
def index_neighbours():
  return E(5, 6, 7)[:, E(3, dtype=dtypes.int), E(2, 1, dtype=dtypes.int)] + 1


@case
def gather():
  return E(5, 6).gather(1, E(4, 3, dtype=dtypes.int))


@case
def scatter():
  return E(5, 6).scatter(0, E(2, 6, dtype=dtypes.int), E(2, 6))


@case
def scatter_mean():
  return E(5, 6).scatter_reduce(0, E(2, 6, dtype=dtypes.int), E(2, 6), "mean", include_self=False)


@case
def cumsum():
  return E(3, 1000).cumsum(1)


@case
def cummax():
  return E(3, 5).cummax(1)[1]


@case
def argmax():
  return E(3, 5).argmax(1)


@case
def argmin_int():
  return E(3, 5, dtype=dtypes.int).argmin()


@case
def sort():
  return E(7, 2).sort(0, descending=True)[0]


@case
def argsort():
  return E(5).argsort()


@case
def rand():
  Tensor.manual_seed(42)
  return Tensor.rand(2, 3)


@case
def randn_half():
  Tensor.manual_seed(42)
  return Tensor.randn(5, dtype=dtypes.half)


@case
def attention():
  return E(2, 4, 8).scaled_dot_product_attention(E(2, 4, 8), E(2, 4, 8), is_causal=True)


@case
def mlp_gradient():
  x, w1, w2 = E(4, 8), E(8, 16), E(16, 3)
  loss = (x @ w1).relu().matmul(w2).cross_entropy(E(4, dtype=dtypes.int))
  return loss.gradient(w1)[0]


@case
def conv_gradient():
  w = E(2, 1, 3, 3)
  return E(1, 1, 6, 6).conv2d(w, padding=1).relu().max_pool2d().sum().gradient(w)[0]


@case
def power_gradient():
  x = E(4)
  return (x**3 + x.exp() * x.log().sin() / x.sqrt()).prod().gradient(x)[0]


@case
def assign_view():
  a = E(4)
  a[1:3].assign(E(2))
  return a + 1


@case
def setitem():
  a = E(4, 4)
  a[1, ::2] = 3.0
  return a


@case
def einsum():
  return Tensor.einsum("bij,bkj->bik", E(2, 3, 4), E(2, 5, 4))


@case
def interpolate():
  return E(1, 1, 4, 5).interpolate((6, 3))


@case
def shard():
  return E(4, 3).shard(("NULL:1", "NULL:2"), 0).sum(0)


@case
def gelu():
  return E(5).gelu() + E(5).gelu("none")


@case
def rounding():
  return E(5).round() + E(5).floor() + E(5).ceil() % 3


@case
def std():
  return E(3, 5, dtype=dtypes.half).std(1)


@case
def cat():
  return E(2, 3).cat(E(4, 3), E(1, 3)) * Tensor.stack(E(3), E(3), dim=1).sum()


@case
def pad_reflect():
  return E(3, 5).pad(((0, 0), (2, 1)), mode="reflect") + 1


@case
def pad_value():
  return E(3, 5).pad((1, -2), value=4.0) + 1


@case
def pad_circular():
  return E(3, 5).pad(((1, 0), (2, 1)), mode="circular") + 1


@case
def eye():
  return Tensor.eye(3) + E(3, 3)


@case
def linspace():
  return Tensor.linspace(0, 1, 5) + E(5)


@case
def tril():
  return E(4, 4).tril(-1) + Tensor.full((4, 4), 2)


@case
def dtypes_meet():
  return (E(3, dtype=dtypes.int8) + E(3, dtype=dtypes.half)) * E(3, dtype=dtypes.uint8).minimum(7) - (E(3, dtype=dtypes.bool) & True)


@case
def division():
  i = E(3, dtype=dtypes.int)
  return i // 2 + i % 3 + (i / 2).cast(dtypes.int) + (1 - i) * (~i)


@case
def roll():
  return E(3, 5).roll((1, -2), (0, 1)).repeat(2, 1) + 1


@case
def logsumexp():
  return E(3, 5).logsumexp(1)


@case
def diagonal():
  return E(3, 5).diagonal(1) + E(3).diag().sum(0)


@case
def bitcast():
  return E(3).bitcast(dtypes.int) ^ 5


@case
def batchnorm():
  return E(2, 3, 4).batchnorm(E(3), E(3), E(3), E(3))


@case
def clamp():
  return E(3).clamp(0, 1).isnan().where(E(3).tanh(), E(3).sigmoid())


@case
def contiguous_chain():
  return ((E(3) + 1).contiguous() * 2).contiguous().sum()
