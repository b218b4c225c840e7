#include "engine/codegen/loops.h"

#include <gtest/gtest.h>

#include "engine/symbolic/make_store.h"

namespace rangescope::codegen {
namespace {

// for a < sizes[0] { for b < sizes[1] { ... op ... } }
UOps nest(Store& store, const std::vector<int64_t>& sizes, int ops = 1) {
  UOps linear, ranges;
  for (const int64_t size : sizes) {
    ranges.push_back(store.range(Dim(size), static_cast<int64_t>(ranges.size())));
    linear.push_back(ranges.back());
  }
  const UOp one = store.constant(Scalar(1.0f), DType::float32);
  for (int i = 0; i < ops; ++i) linear.push_back(one);
  for (size_t i = ranges.size(); i-- > 0;) linear.push_back(one.end({&ranges[i], 1}));
  return linear;
}

TEST(LoopPlan, CountsEveryLoopAndUnrollsNoneWithoutALimit) {
  const auto store = symbolic::make_store();
  const LoopPlan plan = plan_loops(nest(*store, {10, 20, 3}), 0);
  EXPECT_EQ(plan.iterations, 10U + 200U + 600U);
  EXPECT_TRUE(plan.unroll.empty());
}

TEST(LoopPlan, UnrollsNoMoreThanItMust) {
  const auto store = symbolic::make_store();
  EXPECT_TRUE(plan_loops(nest(*store, {100, 600}), 65535).unroll.empty());
  const UOps linear = nest(*store, {100, 1000});
  const LoopPlan plan = plan_loops(linear, 65535);
  EXPECT_EQ(plan.iterations, 100U + 50000U);
  ASSERT_EQ(plan.unroll.size(), 1U);
  EXPECT_EQ(plan.unroll.at(linear[1].id()), 2);
}

TEST(LoopPlan, AWhollyUnrolledLoopIsNoneAndTheOneAroundItIsNext) {
  const auto store = symbolic::make_store();
  const UOps linear = nest(*store, {1000, 3, 3});
  const LoopPlan plan = plan_loops(linear, 3000);
  EXPECT_EQ(plan.unroll.at(linear[2].id()), 3);
  EXPECT_EQ(plan.unroll.at(linear[1].id()), 3);
  EXPECT_FALSE(plan.unroll.contains(linear[0].id()));
  EXPECT_EQ(plan.iterations, 1000U);
}

TEST(LoopPlan, PrefersCopiesThatDivideTheSteps) {
  const auto store = symbolic::make_store();
  const UOps linear = nest(*store, {90});
  EXPECT_EQ(plan_loops(linear, 40).unroll.at(linear[0].id()), 5);  // of 4 to 7
}

TEST(LoopPlan, ALongBodyIsNotCopiedWithoutEnd) {
  const auto store = symbolic::make_store();
  const LoopPlan plan = plan_loops(nest(*store, {1 << 20}, 3000), 65535);
  EXPECT_EQ(plan.iterations, uint64_t{1} << 19);  // says that it did not get there
}

TEST(LoopPlan, DoesNotOverflow) {
  const auto store = symbolic::make_store();
  EXPECT_EQ(plan_loops(nest(*store, {1LL << 40, 1LL << 40}), 65535).iterations, uint64_t{INT64_MAX});
}

}  // namespace
}  // namespace rangescope::codegen
