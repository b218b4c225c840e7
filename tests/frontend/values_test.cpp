// What the methods compute, by the interpreter, against numbers worked out with numpy.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/frontend/program.h"

namespace rangescope::frontend {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

using ::testing::DoubleNear;
using ::testing::Pointwise;

class Values : public ::testing::Test {
 protected:
  std::shared_ptr<Context> c = Context::create();

  Tensor f(std::vector<int64_t> shape, const std::vector<double>& v) {
    return c->from_device_data(HostArray::from_doubles(DType::float32, std::move(shape), v));
  }
  Tensor i(std::vector<int64_t> shape, const Ints& v) {
    return c->from_device_data(HostArray::from_ints(DType::int32, std::move(shape), v));
  }
  // 0, 1, ... in floats
  Tensor iota(std::vector<int64_t> shape) {
    std::vector<double> v(1);
    for (const int64_t s : shape) v.resize(v.size() * static_cast<size_t>(s));
    for (size_t k = 0; k < v.size(); ++k) v[k] = static_cast<double>(k);
    return f(std::move(shape), v);
  }
  void is(const Tensor& t, const std::vector<double>& want, const std::vector<int64_t>& shape = {},
          double within = 1e-5) {
    const auto got = evaluate(t);
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_THAT(got->to_doubles(), Pointwise(DoubleNear(within), want));
    if (!shape.empty()) {
      EXPECT_EQ(got->shape, shape);
    }
  }
};

TEST_F(Values, Arithmetic) {
  const Tensor a = f({3}, {-7, 2.5, 7}), n = i({4}, {-7, 7, -8, 8});
  is(a + 1, {-6, 3.5, 8});
  is(1 - a, {8, -1.5, -6});
  is(1 / f({2}, {2, 4}), {0.5, 0.25});
  is(n.floordiv(3), {-3, 2, -3, 2});
  is(n.trunc_div(3), {-2, 2, -2, 2});
  is(n % 3, {2, 1, 1, 2});
  is(n.fmod(3), {-1, 1, -2, 2});
  is(a % 3, {2, 2.5, 1});
  is(a.fmod(3), {-1, 2.5, 1});
  is(n.bitwise_not(), {6, -8, 7, -9});
  is(n >> 1, {-4, 3, -4, 4});
  is(n.pow(2), {49, 49, 64, 64});
  is(n.minimum(0), {-7, 0, -8, 0});
  is(n.maximum(0), {0, 7, 0, 8});
  is(a.abs() + a.sign(), {6, 3.5, 8});
  is(a.lt(2.5), {1, 0, 0});
  is(a.ge(2.5), {0, 1, 1});
  is(f({5}, {-2.5, -0.5, 0.5, 1.5, 2.5}).round(), {-2, 0, 0, 2, 2});
  is(f({4}, {-1.5, -0.2, 0.2, 1.5}).floor(), {-2, -1, 0, 1});
  is(f({4}, {-1.5, -0.2, 0.2, 1.5}).ceil(), {-1, 0, 1, 2});
  is(a.clamp(Operand(-1), Operand(3.0)), {-1, 2.5, 3});
  is(a.copysign(-1.0), {-7, -2.5, -7});
  is(f({3}, {0, kNan, kInfinity}).isnan(), {0, 1, 0});
  is(f({3}, {0, kNan, -kInfinity}).isinf(), {0, 0, 1});
  is(a.gt(0).where(a, 9), {9, 2.5, 7});
  is(a.masked_fill(a.gt(5), 0), {-7, 2.5, 0});
}

TEST_F(Values, DtypesMeet) {
  const auto meet = [&](DType a, DType b) {
    return (c->empty({1}, {.dtype = a}) + c->empty({1}, {.dtype = b})).dtype();
  };
  EXPECT_EQ(meet(DType::int8, DType::uint8), DType::int16);
  EXPECT_EQ(meet(DType::int64, DType::uint64), DType::weakfloat);
  EXPECT_EQ(meet(DType::bool_, DType::int8), DType::int8);
  EXPECT_EQ(meet(DType::float16, DType::bfloat16), DType::float32);
  EXPECT_EQ(meet(DType::int64, DType::float16), DType::float16);
  EXPECT_EQ((c->empty({1}, {.dtype = DType::int8}) + 1).dtype(), DType::int8);
  EXPECT_EQ((c->empty({1}, {.dtype = DType::int8}) + 1.5).dtype(), DType::weakfloat);
  EXPECT_EQ((c->empty({1}, {.dtype = DType::float16}) * 2.5).dtype(), DType::float16);
  EXPECT_EQ((c->empty({1}, {.dtype = DType::int32}) / 2).dtype(), DType::float32);
  EXPECT_EQ(c->empty({4}, {.dtype = DType::uint8}).sum().dtype(), DType::uint32);
  EXPECT_EQ(c->empty({4}, {.dtype = DType::float16}).sum().dtype(), DType::float16);
  EXPECT_EQ(c->empty({4}, {.dtype = DType::int16}).mean().dtype(), DType::float32);
}

TEST_F(Values, FunctionsOfEachElement) {
  const std::vector<double> x{-0.9, -0.3, 0.2, 0.8};
  const Tensor t = f({4}, x);
  const auto check = [&](const Tensor& got, double (*want)(double), double within = 1e-5) {
    std::vector<double> w;
    w.reserve(x.size());
    for (const double v : x) w.push_back(want(v));
    is(got, w, {}, within);
  };
  check(t.exp(), [](double v) { return std::exp(v); });
  check(t.sin(), [](double v) { return std::sin(v); });
  check(t.cos(), [](double v) { return std::cos(v); });
  check(t.tan(), [](double v) { return std::tan(v); });
  check(t.asin(), [](double v) { return std::asin(v); });
  check(t.acos(), [](double v) { return std::acos(v); });
  check(t.atan(), [](double v) { return std::atan(v); });
  check(t.sinh(), [](double v) { return std::sinh(v); });
  check(t.cosh(), [](double v) { return std::cosh(v); });
  check(t.tanh(), [](double v) { return std::tanh(v); });
  check(t.asinh(), [](double v) { return std::asinh(v); });
  check(t.atanh(), [](double v) { return std::atanh(v); });
  check((t + 2).acosh(), [](double v) { return std::acosh(v + 2); });
  check((t + 2).log(), [](double v) { return std::log(v + 2); });
  check((t + 2).log10(), [](double v) { return std::log10(v + 2); });
  check(t.erf(), [](double v) { return std::erf(v); });
  check(t.sigmoid(), [](double v) { return 1 / (1 + std::exp(-v)); });
  check(t.relu(), [](double v) { return std::max(v, 0.0); });
  check(t.leaky_relu(0.1), [](double v) { return v < 0 ? 0.1 * v : v; });
  check(t.elu(), [](double v) { return v < 0 ? std::expm1(v) : v; });
  check(t.celu(2.0), [](double v) { return v < 0 ? 2 * std::expm1(v / 2) : v; });
  check(t.softplus(), [](double v) { return std::log1p(std::exp(v)); });
  check(t.mish(), [](double v) { return v * std::tanh(std::log1p(std::exp(v))); });
  check(t.gelu(false), [](double v) { return v * 0.5 * (1 + std::erf(v / std::sqrt(2.0))); });
  check(t.hardsigmoid(), [](double v) { return std::clamp(v / 6 + 0.5, 0.0, 1.0); });
  check(t.hardswish(), [](double v) { return v * std::clamp(v + 3, 0.0, 6.0) / 6; });
  check(t.softsign(), [](double v) { return v / (1 + std::fabs(v)); });
  check(t.silu(), [](double v) { return v / (1 + std::exp(-v)); });
}

TEST_F(Values, Creation) {
  is(c->arange(Scalar(5)), {0, 1, 2, 3, 4});
  is(c->arange(Scalar(5), Scalar(0), Scalar(-2)), {5, 3, 1});
  is(c->arange(Scalar(0.0), Scalar(1.0), Scalar(0.25)), {0, 0.25, 0.5, 0.75});
  is(c->arange(Scalar(3), Scalar(3)), {}, {0});
  is(c->linspace(Scalar(0), Scalar(1), 5), {0, 0.25, 0.5, 0.75, 1});
  is(c->eye(2, 3), {1, 0, 0, 0, 1, 0}, {2, 3});
  is(c->full({2, 2}, Scalar(3)), {3, 3, 3, 3}, {2, 2});
  is(c->zeros({2}).full_like(Scalar(2)), {2, 2});
  EXPECT_EQ(c->arange(Scalar(int64_t{3000000000}), Scalar(int64_t{3000000002})).dtype(), DType::int64);
}

TEST_F(Values, Movement) {
  const Tensor x = iota({2, 3});
  is(x.transpose(), {0, 3, 1, 4, 2, 5}, {3, 2});
  is(x.flip({1}), {2, 1, 0, 5, 4, 3});
  is(x.reshape({-1, 2}), {0, 1, 2, 3, 4, 5}, {3, 2});
  is(x.at({int64_t{0}}).expand({2, 3}), {0, 1, 2, 0, 1, 2}, {2, 3});
  is(x.repeat({2, 1}), {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}, {4, 3});
  is(x.repeat_interleave(2, 1), {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5}, {2, 6});
  is(x.roll({1}, Ints{1}), {2, 0, 1, 5, 3, 4});
  is(x.pad_flat({1, 0}), {0, 0, 1, 2, 0, 3, 4, 5}, {2, 4});
  is(x.pad_flat({-1, 1}, "constant", Scalar(9)), {1, 2, 9, 4, 5, 9}, {2, 3});
  is(x.pad({{0, 0}, {2, 1}}, "reflect"), {2, 1, 0, 1, 2, 1, 5, 4, 3, 4, 5, 4}, {2, 6});
  is(x.pad({{0, 0}, {1, 2}}, "replicate"), {0, 0, 1, 2, 2, 2, 3, 3, 4, 5, 5, 5}, {2, 6});
  is(x.pad({{0, 0}, {1, 2}}, "circular"), {2, 0, 1, 2, 0, 1, 5, 3, 4, 5, 3, 4}, {2, 6});
  is(x.rearrange("a b -> (b a)"), {0, 3, 1, 4, 2, 5}, {6});
  is(x.rearrange("a (b c) -> c a b", {{"b", 1}}), {0, 3, 1, 4, 2, 5}, {3, 2, 1});
  is(x.unsqueeze(1).squeeze(1).unflatten(1, {3, 1}), {0, 1, 2, 3, 4, 5}, {2, 3, 1});
  is(iota({3}).diag(), {0, 0, 0, 0, 1, 0, 0, 0, 2}, {3, 3});
  is(iota({3, 3}).diagonal(-1), {3, 7});
  is(iota({5}).unfold(0, 3, 2), {0, 1, 2, 2, 3, 4}, {2, 3});
  is(x.cat({iota({1, 3})}), {0, 1, 2, 3, 4, 5, 0, 1, 2}, {3, 3});
  is(iota({2}).stack({iota({2}) + 5}, 1), {0, 5, 1, 6}, {2, 2});
  is(iota({5}).chunk(2)[1], {3, 4});
  is(iota({5}).split(Ints{1, 4})[1], {1, 2, 3, 4});
  is(iota({2}).meshgrid({iota({3})}, "xy")[1], {0, 0, 1, 1, 2, 2}, {3, 2});
  is(iota({3, 3}).tril(), {0, 0, 0, 3, 4, 0, 6, 7, 8});
  is(iota({3, 3}).triu(1), {0, 1, 2, 0, 0, 5, 0, 0, 0});
}

TEST_F(Values, Indexing) {
  const Tensor x = iota({3, 4});
  const auto s = [](std::optional<int> a, std::optional<int> b, std::optional<int64_t> step) {
    return Slice{a ? std::optional<Dim>(*a) : std::nullopt, b ? std::optional<Dim>(*b) : std::nullopt, step};
  };
  is(x.at({int64_t{-1}}), {8, 9, 10, 11}, {4});
  is(x.at({Ellipsis{}, int64_t{1}}), {1, 5, 9}, {3});
  is(x.at({NewAxis{}, s(0, 2, {}), s({}, {}, -3)}), {3, 0, 7, 4}, {1, 2, 2});
  is(x.at({s(5, 9, {})}), {}, {0, 4});
  is(x.at({i({2}, {2, -3})}), {8, 9, 10, 11, 0, 1, 2, 3}, {2, 4});
  is(x.at({i({2}, {0, 2}), i({2}, {1, 3})}), {1, 11}, {2});
  is(iota({2, 3, 2}).at({i({2}, {0, 1}), Slice{}, i({2}, {1, 0})}), {1, 3, 5, 6, 8, 10}, {2, 3});
  is(x.set({int64_t{1}, s({}, {}, 2)}, 9), {0, 1, 2, 3, 9, 5, 9, 7, 8, 9, 10, 11});
  is(x.set({i({2}, {0, 2}), i({2}, {1, 1})}, f({2}, {7, 8})), {0, 7, 2, 3, 4, 5, 6, 7, 8, 8, 10, 11});
  is(x.gather(1, i({3, 2}, {0, 3, 1, 1, 2, 0})), {0, 3, 5, 5, 10, 8}, {3, 2});
  const Tensor at = i({1, 4}, {2, 0, 2, 1}), v = f({1, 4}, {1, 2, 3, 4});
  is(x.scatter(0, at, v), {0, 2, 2, 3, 4, 5, 6, 4, 1, 9, 3, 11});
  is(c->zeros({3, 4}).scatter(0, at, 1.0, "add"), {0, 1, 0, 0, 0, 0, 0, 1, 1, 0, 1, 0});
  const Tensor one = f({3}, {10, 20, 30}), idx = i({4}, {0, 0, 2, 2}), src = f({4}, {1, 2, 3, 4});
  is(one.scatter_reduce(0, idx, src, "sum"), {13, 20, 37});
  is(one.scatter_reduce(0, idx, src, "prod"), {20, 20, 360});
  is(one.scatter_reduce(0, idx, src, "amax", false), {2, 20, 4});
  is(one.scatter_reduce(0, idx, src, "amin"), {1, 20, 3});
  is(one.scatter_reduce(0, idx, src, "mean", false), {1.5, 20, 3.5});
  is(i({2}, {1, 0}).one_hot(3), {0, 1, 0, 1, 0, 0}, {2, 3});
  is(x.masked_select(x.gt(8), 4), {9, 10, 11, 0}, {4});
  is(f({3}, {0, 5, 6}).nonzero(2), {1, 2}, {2, 1});
}

TEST_F(Values, Reductions) {
  const Tensor x = f({2, 3}, {1, -2, 3, 4, 0, -6});
  is(x.sum(), {0});
  is(x.sum(0), {5, -2, -3}, {3});
  is(x.sum(Axes{0, 1}, true), {0}, {1, 1});
  is(x.prod(1), {-6, 0});
  is(x.max(1), {3, 4});
  is(x.min(0), {1, -2, -6});
  is(i({3}, {3, -5, 4}).min(), {-5});
  is(x.any(1), {1, 1});
  is(x.all(1), {1, 0});
  is(x.mean(1), {2.0 / 3, -2.0 / 3});
  is(x.var(1), {19.0 / 3, 76.0 / 3});
  is(x.std(1, false, 0), {std::sqrt(38.0 / 9), std::sqrt(152.0 / 9)});
  is(x.argmax(1), {2, 0});
  is(x.argmin(), {5});
  is(x.logsumexp(1),
     {std::log(std::exp(1.0) + std::exp(-2.0) + std::exp(3.0)), std::log(std::exp(4.0) + 1 + std::exp(-6.0))});
  is(x.cumsum(1), {1, -1, 2, 4, 4, -2});
  is(x.cumprod(1), {1, -2, -6, 4, 0, 0});
  is(x.cummax(1).first, {1, 1, 3, 4, 4, 4});
  is(x.cummax(1).second, {0, 0, 2, 0, 0, 0});
  is(x.cummin(1).first, {1, -2, -2, 4, 0, -6});
  is(c->ones({600}).cumsum().at({int64_t{599}}), {600});
  is(f({2}, {0, 1}).logcumsumexp(), {0, std::log(1 + std::exp(1.0))});
}

TEST_F(Values, Order) {
  const Tensor x = f({5}, {3, 1, 2, 1, 5});
  is(x.sort().first, {1, 1, 2, 3, 5});
  is(x.argsort(), {1, 3, 2, 0, 4});
  is(x.sort(-1, true).first, {5, 3, 2, 1, 1});
  is(x.topk(2).first, {5, 3});
  is(x.topk(2).second, {4, 0});
  is(x.topk(2, -1, false).second, {1, 3});
}

TEST_F(Values, Products) {
  is(iota({2, 3}).matmul(iota({3, 2})), {10, 13, 28, 40}, {2, 2});
  is(iota({3}).dot(iota({3})), {5});
  is(iota({2, 2, 2}).matmul(iota({2})), {1, 3, 5, 7}, {2, 2});
  is(Tensor::einsum("ij,jk", {iota({2, 3}), iota({3, 2})}), {10, 13, 28, 40});
  is(Tensor::einsum("ii->", {iota({3, 3})}), {12});
  is(Tensor::einsum("i,j->ji", {iota({2}), iota({3})}), {0, 0, 0, 1, 0, 2}, {3, 2});
  is(Tensor::einsum("...ij->...ji", {iota({2, 1, 2})}), {0, 1, 2, 3}, {2, 2, 1});
  is(iota({2}).linear(iota({2, 2}), f({2}, {1, 1})), {3, 4});
}

TEST_F(Values, Windows) {
  const Tensor x = iota({1, 1, 4, 4}), ones = f({1, 1, 2, 2}, {1, 1, 1, 1});
  is(x.conv2d(ones), {10, 14, 18, 26, 30, 34, 42, 46, 50}, {1, 1, 3, 3});
  is(x.conv2d(ones, f({1}, {1}), 1, {.stride = {2}, .padding = {1}}), {1, 4, 4, 13, 31, 19, 13, 28, 16}, {1, 1, 3, 3});
  is(x.conv2d(ones, std::nullopt, 1, {.dilation = {3}}), {30}, {1, 1, 1, 1});
  is(iota({1, 2, 3}).conv2d(f({2, 1, 2}, {1, 1, 1, -1}), std::nullopt, 2), {1, 3, -1, -1}, {1, 2, 2});
  is(iota({1, 1, 2, 2}).conv_transpose2d(ones, std::nullopt, 1, {.stride = {2}}),
     {0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3}, {1, 1, 4, 4});
  is(x.max_pool2d(), {5, 7, 13, 15}, {1, 1, 2, 2});
  is(x.max_pool2d({3, 3}, Ints{2}, {1}, {0}, true), {10, 11, 14, 15});
  is(x.max_pool2d_indices().second, {5, 7, 13, 15});
  is(x.max_pool2d().max_unpool2d(x.max_pool2d_indices().second).sum(), {40});
  is(x.avg_pool2d(), {2.5, 4.5, 10.5, 12.5});
  is(x.avg_pool2d({3, 3}, Ints{2}, {1}, {1}, false, false), {2.5, 4, 8.5, 10});
  // One number is one axis.
  const Tensor line = iota({1, 1, 5});
  is(line.max_pool2d({2}), {1, 3}, {1, 1, 2});
  is(line.max_pool2d({2}, std::nullopt, {1}, {0}, true), {1, 3, 4}, {1, 1, 3});
  is(line.max_pool2d_indices({3}, Ints{1}).second, {2, 3, 4}, {1, 1, 3});
  is(line.avg_pool2d({3}, Ints{2}), {1, 3}, {1, 1, 2});
  is(iota({1, 1, 1, 2}).interpolate({1, 4}), {0, 0.25, 0.75, 1});
  is(iota({1, 1, 1, 2}).interpolate({3}, "linear", true), {0, 0.5, 1});
  is(iota({1, 1, 1, 2}).interpolate({1, 4}, "nearest"), {0, 0, 1, 1});
}

TEST_F(Values, Networks) {
  const Tensor x = f({2, 2}, {0, 1, 2, 4});
  const double a = 1 / (1 + std::exp(1.0)), b = 1 / (1 + std::exp(2.0));
  is(x.softmax(), {a, 1 - a, b, 1 - b});
  is(x.log_softmax(), {std::log(a), std::log(1 - a), std::log(b), std::log(1 - b)});
  is(x.layernorm(), {-1, 1, -1, 1}, {}, 1e-4);
  is(f({1, 4, 1}, {0, 2, 5, 7}).groupnorm(2), {-1, 1, -1, 1}, {1, 4, 1}, 1e-4);
  is(x.cross_entropy(i({2}, {1, 0})), {(-std::log(1 - a) - std::log(b)) / 2});
  is(x.sparse_categorical_crossentropy(i({2}, {1, 0})), {(-std::log(1 - a) - std::log(b)) / 2});
  is(x.log_softmax().nll_loss(i({2}, {1, 0})), {(-std::log(1 - a) - std::log(b)) / 2});
  const Tensor q = iota({1, 2, 2}), v = f({1, 2, 1}, {1, 3});
  is(q.scaled_dot_product_attention(q, v, std::nullopt, 0.0, true).at({0, 0}), {1});
  is(x.batchnorm(std::nullopt, std::nullopt, f({2}, {1, 1}), f({2}, {2, 2})), {-2, 0, 2, 6});
}

// Against finite differences.
TEST_F(Values, Gradients) {
  const std::vector<double> x0{0.5, 1.5, 0.7, 2.0};
  using Loss = Tensor (*)(const Tensor&);
  const Loss losses[] = {
      [](const Tensor& x) { return (x.exp() * x.log().sin() / x.sqrt()).sum(); },
      [](const Tensor& x) { return x.pow(2.5).prod(); },
      [](const Tensor& x) {
        return x.reshape({2, 2}).max(0).sum() + x.minimum(1.0).sum();
      },
      [](const Tensor& x) {
        return x.reshape({2, 2}).softmax().square().sum();
      },
      [](const Tensor& x) {
        return x.reshape({2, 2}).matmul(x.reshape({2, 2})).tanh().sum();
      },
      [](const Tensor& x) {
        return x.reshape({1, 1, 4}).conv2d(x.shrink_to({Dim(2)}).reshape({1, 1, 2})).square().sum();
      },
      [](const Tensor& x) { return x.cat({x.flip({0})}).cumsum().std(); },
      [](const Tensor& x) {
        return x.pad_flat({1, 2}).gelu().mean();
      },
      [](const Tensor& x) { return x.gt(1).where(x * x, x * 3).sum() + x.contiguous().relu().sum(); },
  };
  for (const Loss loss : losses) {
    const auto value = [&](const std::vector<double>& v) {
      const auto r = evaluate(loss(f({4}, v).cast(DType::float64)));
      EXPECT_TRUE(r) << r.error().message;
      return r->to_doubles()[0];
    };
    std::vector<double> want;
    for (size_t k = 0; k < 4; ++k) {
      std::vector<double> up = x0, down = x0;
      up[k] += 1.0 / 1024;
      down[k] -= 1.0 / 1024;
      want.push_back((value(up) - value(down)) * 512);
    }
    const Tensor x = f({4}, x0);
    is(loss(x).gradient({x})[0], want, {4}, 2e-3);
  }
}

// The first numbers of tinygrad's generator with seed 42.
TEST_F(Values, RandomNumbers) {
  c->manual_seed(42);
  const auto first = evaluate(c->rand({3}));
  ASSERT_TRUE(first) << first.error().message;
  c->manual_seed(42);
  is(c->rand({3}), first->to_doubles());
  const auto next = evaluate(c->rand({3}));
  ASSERT_TRUE(next);
  EXPECT_NE(first->to_doubles(), next->to_doubles());
  is(c->randint({50}, 3, 5).lt(5).all(), {1});
  is(c->randint({50}, 3, 5).ge(3).all(), {1});
  const auto n = evaluate(c->randn({2000}).std());
  ASSERT_TRUE(n) << n.error().message;
  EXPECT_NEAR(n->to_doubles()[0], 1, 0.1);
  is(c->randperm(6).sort().first, {0, 1, 2, 3, 4, 5});
}

}  // namespace
}  // namespace rangescope::frontend
