// The graph of a call is the one that tinygrad makes of the same call: data/golden.jsonl.gz, recorded by
// data/make_golden.sh from the calls in data/golden.py.

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "engine/frontend/callify.h"
#include "engine/frontend/graph_copy.h"
#include "engine/frontend/tensor.h"
#include "engine/ir/program.h"
#include "engine/ir/text.h"
#include "engine/ir/traversal.h"
#include "engine/symbolic/make_store.h"

namespace rangescope::frontend {
namespace {

using Index = Tensor::Index;

struct Make {
  Context& c;
  Tensor f(const Shape& s, DType d = DType::float32) const { return c.empty(s, {.dtype = d}); }
  Tensor i(const Shape& s) const { return f(s, DType::int32); }
};

using Case = std::function<Tensor(const Make&)>;

Slice slice(std::optional<int> a, std::optional<int> b, std::optional<int64_t> step = std::nullopt) {
  Slice s;
  if (a) s.start = Dim(*a);
  if (b) s.stop = Dim(*b);
  s.step = step;
  return s;
}

Tensor mlp_gradient(const Make& e) {
  const Tensor x = e.f({4, 8}), w1 = e.f({8, 16}), w2 = e.f({16, 3});
  return x.matmul(w1).relu().matmul(w2).cross_entropy(e.i({4})).gradient({w1})[0];
}
Tensor conv_gradient(const Make& e) {
  const Tensor w = e.f({2, 1, 3, 3}), x = e.f({1, 1, 6, 6});
  return x.conv2d(w, std::nullopt, 1, {.padding = {1}}).relu().max_pool2d().sum().gradient({w})[0];
}
Tensor power_gradient(const Make& e) {
  const Tensor x = e.f({4});
  return (x.pow(3) + x.exp() * x.log().sin() / x.sqrt()).prod().gradient({x})[0];
}
Tensor assign_view(const Make& e) {
  const Tensor a = e.f({4});
  Tensor view = a.at({slice(1, 3)});
  view.assign(e.f({2}));
  return a + 1;
}
Tensor setitem(const Make& e) {
  Tensor a = e.f({4, 4});
  a.set_item({int64_t{1}, slice({}, {}, 2)}, 3.0);
  return a;
}
Tensor dtypes_meet(const Make& e) {
  const Tensor a = e.f({3}, DType::int8), b = e.f({3}, DType::float16), c = e.f({3}, DType::uint8);
  return (a + b) * c.minimum(7) - (e.f({3}, DType::bool_) & true);
}
Tensor division(const Make& e) {
  const Tensor i = e.i({3});
  return i.floordiv(2) + i % 3 + (i / 2).cast(DType::int32) + (1 - i) * i.bitwise_not();
}

const std::map<std::string, Case>& cases() {
  using T = const Make&;
  static const std::map<std::string, Case> all = {
      {"fused",
       [](T e) {
         const std::vector<double> v{1, 2, 3};
         const Tensor a = e.c.from_data(HostArray::from_doubles(DType::float32, {3}, v));
         return (a + e.f({3})).sum() * 2;
       }},
      {"softmax",
       [](T e) {
         return e.f({4, 8}).softmax();
       }},
      {"log_softmax_half",
       [](T e) {
         return e.f({4, 8}, DType::float16).log_softmax(0);
       }},
      {"layernorm",
       [](T e) {
         return e.f({2, 16}).layernorm();
       }},
      {"matmul",
       [](T e) {
         const Tensor a = e.f({4, 8});
         return a.matmul(e.f({8, 3}));
       }},
      {"conv2d",
       [](T e) {
         const Tensor x = e.f({1, 4, 8, 8}), w = e.f({6, 2, 3, 3}), b = e.f({6});
         return x.conv2d(w, b, 2, {.stride = {2}, .padding = {1}});
       }},
      {"conv_transpose2d",
       [](T e) {
         const Tensor x = e.f({1, 4, 5, 5}), w = e.f({4, 3, 3, 3});
         return x.conv_transpose2d(w, std::nullopt, 1, {.stride = {2}, .padding = {1}}, {1});
       }},
      {"max_pool2d",
       [](T e) {
         return e.f({1, 2, 7, 7}).max_pool2d({3, 2}, Ints{2}, {1}, {1}, true);
       }},
      {"avg_pool2d",
       [](T e) {
         return e.f({1, 2, 7, 7}).avg_pool2d({3, 3}, Ints{2}, {1}, {1, 0}, true, false);
       }},
      {"slices",
       [](T e) {
         return e.f({5, 6}).at({slice(1, 4), slice({}, {}, -2)}) + 1;
       }},
      {"index_one",
       [](T e) {
         const Tensor x = e.f({5, 6});
         return x.at({e.i({3})}) + 1;
       }},
      {"index_two",
       [](T e) {
         const Tensor x = e.f({5, 6, 7}), i = e.i({3});
         return x.at({i, Slice{}, e.i({3})}) + 1;
       }},
      {"index_neighbours",
       [](T e) {
         const Tensor x = e.f({5, 6, 7}), i = e.i({3});
         return x.at({Slice{}, i, e.i({2, 1})}) + 1;
       }},
      {"gather",
       [](T e) {
         const Tensor x = e.f({5, 6});
         return x.gather(1, e.i({4, 3}));
       }},
      {"scatter",
       [](T e) {
         const Tensor x = e.f({5, 6}), i = e.i({2, 6});
         return x.scatter(0, i, e.f({2, 6}));
       }},
      {"scatter_mean",
       [](T e) {
         const Tensor x = e.f({5, 6}), i = e.i({2, 6});
         return x.scatter_reduce(0, i, e.f({2, 6}), "mean", false);
       }},
      {"cumsum",
       [](T e) {
         return e.f({3, 1000}).cumsum(1);
       }},
      {"cummax",
       [](T e) {
         return e.f({3, 5}).cummax(1).second;
       }},
      {"argmax",
       [](T e) {
         return e.f({3, 5}).argmax(1);
       }},
      {"argmin_int",
       [](T e) {
         return e.i({3, 5}).argmin();
       }},
      {"sort",
       [](T e) {
         return e.f({7, 2}).sort(0, true).first;
       }},
      {"argsort", [](T e) { return e.f({5}).argsort(); }},
      {"rand",
       [](T e) {
         e.c.manual_seed(42);
         return e.c.rand({2, 3});
       }},
      {"randn_half",
       [](T e) {
         e.c.manual_seed(42);
         return e.c.randn({5}, {.dtype = DType::float16});
       }},
      {"attention",
       [](T e) {
         const Tensor q = e.f({2, 4, 8}), k = e.f({2, 4, 8}), v = e.f({2, 4, 8});
         return q.scaled_dot_product_attention(k, v, std::nullopt, 0.0, true);
       }},
      {"mlp_gradient", mlp_gradient},
      {"conv_gradient", conv_gradient},
      {"power_gradient", power_gradient},
      {"assign_view", assign_view},
      {"setitem", setitem},
      {"einsum",
       [](T e) {
         const Tensor a = e.f({2, 3, 4});
         return Tensor::einsum("bij,bkj->bik", {a, e.f({2, 5, 4})});
       }},
      {"interpolate",
       [](T e) {
         return e.f({1, 1, 4, 5}).interpolate({6, 3});
       }},
      {"shard",
       [](T e) {
         return e.f({4, 3}).shard({"NULL:1", "NULL:2"}, 0).sum(0);
       }},
      {"gelu",
       [](T e) {
         const Tensor a = e.f({5}).gelu();
         return a + e.f({5}).gelu(false);
       }},
      {"rounding",
       [](T e) {
         const Tensor a = e.f({5}).round(), b = e.f({5}).floor();
         return a + b + e.f({5}).ceil() % 3;
       }},
      {"std",
       [](T e) {
         return e.f({3, 5}, DType::float16).std(1);
       }},
      {"cat",
       [](T e) {
         const Tensor a = e.f({2, 3}), b = e.f({4, 3}), c = e.f({1, 3}), d = e.f({3});
         return a.cat({b, c}) * d.stack({e.f({3})}, 1).sum();
       }},
      {"pad_reflect",
       [](T e) {
         return e.f({3, 5}).pad({{0, 0}, {2, 1}}, "reflect") + 1;
       }},
      {"pad_value",
       [](T e) {
         return e.f({3, 5}).pad_flat({1, -2}, "constant", Scalar(4.0)) + 1;
       }},
      {"pad_circular",
       [](T e) {
         return e.f({3, 5}).pad({{1, 0}, {2, 1}}, "circular") + 1;
       }},
      {"eye",
       [](T e) {
         return e.c.eye(3) + e.f({3, 3});
       }},
      {"linspace", [](T e) { return e.c.linspace(Scalar(0), Scalar(1), 5) + e.f({5}); }},
      {"tril",
       [](T e) {
         return e.f({4, 4}).tril(-1) + e.c.full({4, 4}, Scalar(2));
       }},
      {"dtypes_meet", dtypes_meet},
      {"division", division},
      {"roll",
       [](T e) {
         return e.f({3, 5}).roll({1, -2}, Ints{0, 1}).repeat({2, 1}) + 1;
       }},
      {"logsumexp",
       [](T e) {
         return e.f({3, 5}).logsumexp(1);
       }},
      {"diagonal",
       [](T e) {
         const Tensor a = e.f({3, 5});
         return a.diagonal(1) + e.f({3}).diag().sum(0);
       }},
      {"bitcast", [](T e) { return e.f({3}).bitcast(DType::int32) ^ 5; }},
      {"batchnorm",
       [](T e) {
         const Tensor x = e.f({2, 3, 4}), w = e.f({3}), b = e.f({3}), m = e.f({3});
         return x.batchnorm(w, b, m, e.f({3}));
       }},
      {"clamp",
       [](T e) {
         const Tensor a = e.f({3}).clamp(Operand(0), Operand(1)).isnan(), b = e.f({3}).tanh();
         return a.where(b, e.f({3}).sigmoid());
       }},
      {"contiguous_chain", [](T e) { return ((e.f({3}) + 1).contiguous() * 2).contiguous().sum(); }},
  };
  return all;
}

// The first node, sources first, of one graph that the other lacks.
std::string first_difference(UOp mine, UOp golden) {
  const UOps theirs = toposort(golden);
  for (const UOp u : toposort(mine))
    if (std::ranges::find(theirs, u) == theirs.end())
      return "ours alone: " + std::string(op_name(u.op())) + " of\n" + u.render(false) + "\n";
  return "a node of theirs is missing";
}

TEST(Golden, GraphsAreThoseOfTheReference) {
  auto reader = ProgramReader::open(RANGESCOPE_DATA_DIR "/golden.jsonl.gz");
  ASSERT_TRUE(reader) << reader.error().message;
  size_t read = 0;
  while (true) {
    const auto store = symbolic::make_store();
    const auto program = reader->next(*store, ReadWhat::Input);
    ASSERT_TRUE(program) << program.error().message;
    if (!*program) break;
    ++read;
    const std::string& name = (*program)->name;
    ASSERT_TRUE(cases().contains(name)) << name;
    const auto context = Context::create({.device = "NULL"});
    const auto root = attempt([&] {
      const Tensor t = cases().at(name)({*context});
      return copied_to(callify(*context, {t.uop()}).root, *store);
    });
    ASSERT_TRUE(root) << name << ": " << root.error().message;
    EXPECT_EQ(*root, (*program)->root) << name << ": " << first_difference(*root, (*program)->root);
  }
  EXPECT_EQ(read, cases().size());
}

}  // namespace
}  // namespace rangescope::frontend
