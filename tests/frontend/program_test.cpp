// Programs with inputs and outputs, realizing, and writing in place.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/frontend/program.h"

namespace rangescope::frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Programs : public ::testing::Test {
 protected:
  std::shared_ptr<Context> c = Context::create();
  Evaluator evaluator;

  Tensor f(const std::vector<double>& v) {
    return c->from_data(HostArray::from_doubles(DType::float32, {static_cast<int64_t>(v.size())}, v));
  }
  std::vector<double> values(const Tensor& t) {
    const auto r = read(t, evaluator);
    EXPECT_TRUE(r) << r.error().message;
    return r ? r->to_doubles() : std::vector<double>{};
  }
};

TEST_F(Programs, InputsAndOutputsHaveNames) {
  const Tensor x = c->input("x", {2, 2}, DType::float32), w = f({1, 2});
  const auto p = make_program(*c, {{"y", x * w}, {"same", x}, {"count", c->arange(Scalar(3))}});
  ASSERT_TRUE(p) << p.error().message;
  const std::vector<double> v{1, 2, 3, 4};
  std::map<std::string, HostArray> in{{"x", HostArray::from_doubles(DType::float32, {2, 2}, v)}};
  const auto out = run(*p, in, evaluator);
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_THAT((*out)[0].to_doubles(), ElementsAre(1, 4, 3, 8));
  EXPECT_THAT((*out)[0].shape, ElementsAre(2, 2));
  EXPECT_THAT((*out)[1].to_doubles(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT((*out)[2].to_ints(), ElementsAre(0, 1, 2));
  EXPECT_EQ((*out)[2].dtype, DType::int32);
  EXPECT_THAT(run(*p, {}, evaluator).error().message, HasSubstr("input \"x\" is not given"));
  in["x"] = HostArray::from_doubles(DType::float32, {1}, std::vector<double>{1});
  EXPECT_THAT(run(*p, in, evaluator).error().message, HasSubstr("4 elements, 1 are given"));
}

TEST_F(Programs, RealizedTensorsAreComputedOnce) {
  const Tensor a = f({1, 2, 3}), b = a * 2;
  ASSERT_TRUE(realize(*c, {b}, evaluator));
  EXPECT_TRUE(b.uop().has_buffer_identity());
  EXPECT_THAT(values(b + 1), ElementsAre(3, 5, 7));
  EXPECT_THAT(values(b.at({Slice{Dim(1), std::nullopt, std::nullopt}})), ElementsAre(4, 6));
}

TEST_F(Programs, AssignmentsAreSeenThroughEveryTensor) {
  Tensor a = c->zeros({4});
  ASSERT_TRUE(realize(*c, {a}, evaluator));
  Tensor view = a.at({Slice{Dim(1), Dim(3), std::nullopt}});
  view.assign(f({5, 6}));
  EXPECT_THAT(values(a), ElementsAre(0, 5, 6, 0));
  a.assign(a + 1);
  a.assign(a * 2);
  EXPECT_THAT(values(a), ElementsAre(2, 12, 14, 2));
  a.set_item({int64_t{0}}, 9.0);
  EXPECT_THAT(values(a), ElementsAre(9, 12, 14, 2));
  Tensor lazy = f({1, 2}) + 1;
  lazy.set_item({int64_t{1}}, 7);
  EXPECT_THAT(values(lazy), ElementsAre(2, 7));
}

TEST_F(Programs, ShardsAreJoinedWhenRead) {
  const Tensor x = f({1, 2, 3, 4}).reshape({4, 1}).shard({"VK:1", "VK:2"}, 0);
  EXPECT_THAT(values(x * 2), ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(values(x.sum(0)), ElementsAre(10));
  EXPECT_THAT(values(x.to(Device::single("VK"))), ElementsAre(1, 2, 3, 4));
}

TEST_F(Programs, TrainingStep) {
  Tensor w = f({1, -1}).contiguous();
  ASSERT_TRUE(realize(*c, {w}, evaluator));
  const Tensor x = f({2, 3});
  for (int step = 0; step < 3; ++step) {
    const Tensor loss = (w * x).sum().square();
    w.assign(w - loss.gradient({w})[0] * 0.01);
    ASSERT_TRUE(realize(*c, {w}, evaluator));
  }
  EXPECT_LT(std::abs(values((w * x).sum())[0]), 0.5);
}

TEST_F(Programs, SymbolicSizes) {
  const UOp n = c->bind(c->variable("n", 1, 4), 3);
  const Tensor x = f({1, 2, 3, 4}).contiguous();
  ASSERT_TRUE(realize(*c, {x}, evaluator));
  EXPECT_THAT(values(x.shrink_to({Dim(n)}).sum()), ElementsAre(6));
}

TEST_F(Programs, NodesSayWhichMethodMadeThem) {
  c->location = "train.py:7";
  const Tensor t = f({1, 2}).softmax();
  const Metadata* m = c->store().metadata(t.uop());
  ASSERT_NE(m, nullptr);
  EXPECT_EQ(m->name, "softmax");
  EXPECT_EQ(m->location, "train.py:7");
  const auto p = make_program(*c, {{"y", t}});
  ASSERT_TRUE(p) << p.error().message;
  size_t named = 0;
  for (uint32_t id = 0; id < p->store->node_count(); ++id) {
    const Metadata* of = p->store->metadata(p->store->at(id));
    named += of != nullptr && of->name == "softmax" ? 1 : 0;
  }
  EXPECT_GT(named, 4U);
}

}  // namespace
}  // namespace rangescope::frontend
