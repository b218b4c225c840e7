// Kernels of partial realization for targets whose invocations gain nothing from sharing work.
#include "engine/codegen/recompute.h"

#include <gmock/gmock.h>

#include "engine/codegen/glsl.h"
#include "engine/codegen/heuristic.h"
#include "engine/codegen/pipeline.h"
#include "engine/symbolic/make_store.h"
#include "tests/codegen/kernel_param.h"

namespace rangescope::codegen {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kRows = 512, kColumns = 64;

class Recompute : public ::testing::Test {
 protected:
  Recompute() { alone_.shares_work = false; }

  UOp range(int64_t id, int64_t size, AxisType type) {
    return store_->range(Dim(size), std::span<const int64_t>(&id, 1), type);
  }
  UOp at(int64_t slot, UOp row, UOp column) {
    return testing::kernel_param(*store_, slot, kRows * kColumns).index({row * Scalar(kColumns) + column});
  }
  // Each row less its largest element, as shares of their sum; the differences are staged. `staged` gives them for a
  // column.
  template <class F>
  UOp shares(F staged) {
    const UOp row = range(3, kRows, AxisType::WEAK), column = range(4, kColumns, AxisType::WEAK);
    const UOp own = range(1, kColumns, AxisType::WEAK), summed = range(2, kColumns, AxisType::REDUCE);
    StageArg arg;
    arg.addrspace = AddrSpace::LOCAL;
    const UOp stage = staged(row, own).bufferize({{own}}, arg);
    const UOp sum = stage.index({summed}).reduce_op({&summed, 1}, Op::ADD);
    const UOp outer[] = {row, column};
    return at(0, row, column).store_value(stage.index({column}) * sum.reciprocal()).end(outer).sink(Arg(KernelInfo{}));
  }
  UOp shares_of_differences() {
    return shares([&](UOp row, UOp column) {
      const UOp all = range(0, kColumns, AxisType::REDUCE);
      return at(1, row, column) - at(1, row, all).reduce_op({&all, 1}, Op::MAX);
    });
  }
  // What is staged is a sum for each column.
  UOp shares_of_products() {
    return shares([&](UOp row, UOp column) {
      const UOp all = range(0, kColumns, AxisType::REDUCE);
      return (at(1, row, all) * at(2, all, column)).reduce_op({&all, 1}, Op::ADD);
    });
  }
  static std::string glsl(UOp ast, const Target& target, Optimizer optimizer) {
    Settings settings;
    settings.optimizer = optimizer;
    const auto program = generate(ast, target, settings);
    if (!program) return program.error().message;
    const auto text = render_glsl(*program);
    return text ? *text : text.error().message;
  }

  std::unique_ptr<Store> store_ = symbolic::make_store();
  Target alone_;
};

TEST_F(Recompute, NothingIsStagedAndNothingReducedTwice) {
  const UOp ast = shares_of_differences();
  const std::string shared = glsl(ast, {}, processor_optimizations), alone = glsl(ast, alone_, processor_optimizations);
  EXPECT_THAT(shared, HasSubstr("shared float"));
  EXPECT_THAT(alone, Not(HasSubstr("shared float")));
  EXPECT_THAT(alone, Not(HasSubstr("barrier")));
  // rows run in parallel, a workgroup has sixteen; columns are a loop after those of the reductions, four at a time
  EXPECT_THAT(alone, HasSubstr("launch   32 x 1 x 1 workgroups"));
  EXPECT_THAT(alone, HasSubstr("local_size_x = 16"));
  for (const char* loop : {"r0 < 16", "r2 < 16", "r4 < 16"}) EXPECT_THAT(alone, HasSubstr(loop));
  EXPECT_THAT(alone, HasSubstr("out0_4["));
}

TEST_F(Recompute, AStageThatHoldsReductionsOfItsOwnStays) {
  EXPECT_THAT(glsl(shares_of_products(), alone_, processor_optimizations), HasSubstr("shared float"));
}

TEST_F(Recompute, ASearchMayChooseForWhatIsNotStaged) {
  const UOp ast = shares_of_differences();
  const auto shared = searchable_axes(ast, {}), alone = searchable_axes(ast, alone_);
  ASSERT_TRUE(shared && alone);
  EXPECT_FALSE(*shared);
  ASSERT_TRUE(*alone);
  EXPECT_EQ((*alone)->axes_of({AxisType::GLOBAL}).size(), 1U);
  EXPECT_EQ((*alone)->axes_of({AxisType::WEAK}).size(), 1U);
}

// A reduction of each element's own does not keep the elements from running in parallel.
TEST_F(Recompute, AReductionForEachElementLeavesTheAxesParallel) {
  const UOp row = range(1, kRows, AxisType::WEAK), column = range(2, kColumns, AxisType::WEAK),
            all = range(0, kColumns, AxisType::REDUCE), outer[] = {row, column};
  const UOp sum = (at(1, row, all) * at(2, all, column)).reduce_op({&all, 1}, Op::ADD);
  const auto found = searchable_axes(at(0, row, column).store_value(sum).end(outer).sink(Arg(KernelInfo{})), alone_);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->axes_of({AxisType::GLOBAL}).size(), 2U);
}

}  // namespace
}  // namespace rangescope::codegen
