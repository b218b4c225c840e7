// What a search over optimisations may choose from, and the choice for processors.
#include "engine/codegen/search_space.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "engine/codegen/heuristic.h"
#include "engine/codegen/pipeline.h"
#include "engine/symbolic/make_store.h"
#include "tests/codegen/matrix_product.h"

namespace rangescope::codegen {
namespace {

using ::testing::Contains;
using ::testing::Not;

class SearchSpace : public ::testing::Test {
 protected:
  KernelAxes axes(int64_t n) {
    const auto found = searchable_axes(testing::matrix_product(*store_, n), target_);
    if (!found || !*found) throw std::runtime_error("the product has no axes");
    return **found;
  }
  static std::vector<KernelAxes> steps(const KernelAxes& kernel, const SearchLimits& limits = {}) {
    std::vector<KernelAxes> all;
    each_search_step(kernel, limits, [&](KernelAxes& next) {
      all.push_back(next);
      return true;
    });
    return all;
  }
  static std::vector<OptArg> step_opts(const KernelAxes& kernel) {
    std::vector<OptArg> opts;
    for (const KernelAxes& k : steps(kernel)) opts.push_back(k.applied_opts().back());
    return opts;
  }
  static OptArg opt(OptOp op, int64_t axis, int64_t amount) { return {op, axis, {Arg(amount)}}; }

  const Target target_{};
  std::unique_ptr<Store> store_ = symbolic::make_store();
};

TEST_F(SearchSpace, HasWhatDividesTheAxesAndNothingElse) {
  const std::vector<OptArg> opts = step_opts(axes(64));
  EXPECT_THAT(opts, Contains(opt(OptOp::UPCAST, 0, 4)));
  EXPECT_THAT(opts, Contains(opt(OptOp::UPCAST, 1, 16)));
  EXPECT_THAT(opts, Contains(opt(OptOp::UNROLL, 0, 8)));
  EXPECT_THAT(opts, Contains(opt(OptOp::LOCAL, 1, 32)));
  EXPECT_THAT(opts, Contains(opt(OptOp::SWAP, 0, 1)));
  EXPECT_THAT(opts, Not(Contains(opt(OptOp::UPCAST, 0, 3))));  // does not divide 64
  EXPECT_THAT(opts, Not(Contains(opt(OptOp::UPCAST, 2, 4))));  // is reduced over
  EXPECT_THAT(opts, Not(Contains(opt(OptOp::UPCAST, 0, 0))));  // more than 16 at once
}

TEST_F(SearchSpace, AWholeAxisHasOneAction) {
  const std::vector<OptArg> opts = step_opts(axes(8));
  EXPECT_THAT(opts, Contains(opt(OptOp::UPCAST, 0, 0)));
  EXPECT_THAT(opts, Not(Contains(opt(OptOp::UPCAST, 0, 8))));
}

TEST_F(SearchSpace, StaysWithinItsLimits) {
  for (const KernelAxes& k : steps(axes(64), {.most_upcast = 4, .most_local = 8})) {
    EXPECT_LE(k.upcast_size(), Int(4));
    EXPECT_FALSE(k.applied_opts().back() == opt(OptOp::LOCAL, 0, 16));
  }
}

TEST_F(SearchSpace, EndsWhenToldTo) {
  int seen = 0;
  each_search_step(axes(64), {}, [&](KernelAxes&) { return ++seen < 3; });
  EXPECT_EQ(seen, 3);
}

TEST_F(SearchSpace, ChosenOptimisationsAreApplied) {
  const std::vector<OptArg> opts = {opt(OptOp::UPCAST, 1, 4), opt(OptOp::LOCAL, 0, 8)};
  const UOp ast = with_opts(testing::matrix_product(*store_, 64), opts);
  const auto program = generate(ast, target_);
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_EQ(plain_name(program->name), "r_8_16_8_4_64");
  const auto axes_of_chosen = searchable_axes(ast, target_);
  ASSERT_TRUE(axes_of_chosen);
  EXPECT_FALSE(*axes_of_chosen);  // nothing is left to choose
  EXPECT_FALSE(generate(with_opts(ast, {opt(OptOp::UPCAST, 0, 7)}), target_));
}

TEST_F(SearchSpace, AProcessorGetsLargeTilesAndNoSharedSums) {
  const KernelAxes k = processor_optimizations(axes(512));
  EXPECT_EQ(k.upcast_size(), Int(8 * 8 * 4));
  for (const OptArg& o : k.applied_opts()) EXPECT_FALSE(o.op == OptOp::GROUP || o.op == OptOp::GROUPTOP);
  Settings settings;
  settings.optimizer = processor_optimizations;
  const auto program = generate(testing::matrix_product(*store_, 512), target_, settings);
  ASSERT_TRUE(program) << program.error().message;
  const auto reference = generate(testing::matrix_product(*store_, 512), target_);
  ASSERT_TRUE(reference);
  EXPECT_NE(program->name, reference->name);
}

}  // namespace
}  // namespace rangescope::codegen
