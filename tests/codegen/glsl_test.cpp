#include "engine/codegen/glsl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "engine/codegen/glsl_types.h"
#include "engine/symbolic/make_store.h"
#include "tests/codegen/kernel_param.h"

namespace rangescope::codegen {
namespace {

using testing::kernel_param;

using ::testing::HasSubstr;
using ::testing::Not;

std::string glsl_of(UOp ast, const Settings& settings = {}) {
  const Result<KernelProgram> p = generate(ast, {}, settings);
  if (!p) return "error: " + p.error().message;
  const Result<std::string> text = render_glsl(*p);
  return text ? *text : "error: " + text.error().message;
}

TEST(Glsl, WideAccessOfNeighbours) {
  const auto store = symbolic::make_store();
  const UOp range = store->range(Dim(1024), 0);
  const UOp value = kernel_param(*store, 1, 1024, DType::float32).index({range}) * Scalar(2.0);
  const UOp ast = kernel_param(*store, 0, 1024, DType::float32)
                      .index({range})
                      .store_value(value)
                      .end({&range, 1})
                      .sink(Arg(KernelInfo{}));
  const std::string text = glsl_of(ast);
  EXPECT_THAT(text, HasSubstr("// kernel E_8_32_4\n"));
  EXPECT_THAT(text, HasSubstr("layout(local_size_x = 32, local_size_y = 1, local_size_z = 1) in;"));
  EXPECT_THAT(text, HasSubstr("readonly buffer block_in1_4 { vec4 in1_4[]; };"));
  EXPECT_THAT(text, HasSubstr("out0_4["));
}

TEST(Glsl, ReductionIsALoopOverAnAccumulator) {
  const auto store = symbolic::make_store();
  const UOp i = store->range(Dim(3), 0), j = store->range(Dim(50), 1, AxisType::REDUCE);
  const UOp sum = kernel_param(*store, 1, 150, DType::float32).index({i * Scalar(50) + j}).reduce_op({&j, 1}, Op::ADD);
  const UOp ast =
      kernel_param(*store, 0, 3, DType::float32).index({i}).store_value(sum).end({&i, 1}).sink(Arg(KernelInfo{}));
  Settings settings;
  settings.noopt = true;
  const std::string text = glsl_of(ast, settings);
  EXPECT_THAT(text, HasSubstr("float acc0[1];"));
  EXPECT_THAT(text, HasSubstr("for (int r1 = 0; r1 < 50; ++r1) {  // R1: reduced over"));
  EXPECT_THAT(text, Not(HasSubstr("shared ")));
}

TEST(Glsl, BoolsAreBytesInBuffers) {
  const auto store = symbolic::make_store();
  const UOp i = store->range(Dim(7), 0);
  const UOp ast = kernel_param(*store, 0, 7, DType::bool_)
                      .index({i})
                      .store_value(kernel_param(*store, 1, 7, DType::bool_).index({i}).logical_not())
                      .end({&i, 1})
                      .sink(Arg(KernelInfo{}));
  const std::string text = glsl_of(ast);
  EXPECT_THAT(text, HasSubstr("uint8_t in1[]"));
  EXPECT_THAT(text, HasSubstr("!= uint8_t(0)"));
}

TEST(Glsl, VariablesArePushConstants) {
  const auto store = symbolic::make_store();
  const UOp n = store->variable("n", Scalar(1), Scalar(64), DType::weakint, true), i = store->range(n, 0);
  const UOp ast = kernel_param(*store, 0, 64, DType::int32)
                      .index({i})
                      .store_value(n.cast(DType::int32))
                      .end({&i, 1})
                      .sink(Arg(KernelInfo{}));
  const Result<KernelProgram> p = generate(ast);
  ASSERT_TRUE(p) << p.error().message;
  const std::vector<PushConstant> constants = push_constants(*p);
  ASSERT_EQ(constants.size(), 1U);
  EXPECT_EQ(constants[0].offset, 0U);
  EXPECT_EQ(constants[0].size, 4U);
  EXPECT_THAT(glsl_of(ast), HasSubstr("layout(offset = 0) int var_n;"));
}

TEST(GlslLiteral, IsExact) {
  EXPECT_EQ(glsl_literal(Scalar(3.0), DType::float32), "3.0");
  EXPECT_EQ(glsl_literal(Scalar(-0.1), DType::float64), "(-0.1lf)");
  EXPECT_EQ(glsl_literal(Scalar(1e-5), DType::float32), "1e-05");
  EXPECT_EQ(glsl_literal(Scalar(std::numeric_limits<double>::infinity()), DType::float32),
            "uintBitsToFloat(0x7f800000u)");
  EXPECT_EQ(glsl_literal(Scalar(-5), DType::int32), "(-5)");
  EXPECT_EQ(glsl_literal(Scalar(-2147483648LL), DType::int32), "int(0x80000000u)");
  EXPECT_EQ(glsl_literal(Scalar(-1), DType::uint32), "4294967295u");
  EXPECT_EQ(glsl_literal(Scalar(7), DType::uint8), "uint8_t(7)");
  EXPECT_EQ(glsl_literal(Scalar(true), DType::bool_), "true");
}

TEST(GlslCast, BetweenKinds) {
  EXPECT_EQ(glsl_cast("x", DType::float32, DType::int32), "int(x)");
  EXPECT_EQ(glsl_cast("x", DType::int32, DType::bool_), "(x != 0)");
  EXPECT_EQ(glsl_cast("x", DType::bool_, DType::float32), "(x ? 1.0 : 0.0)");
  EXPECT_EQ(glsl_bitcast("x", DType::float32, DType::uint32), "floatBitsToUint(x)");
  EXPECT_EQ(glsl_bitcast("x", DType::uint16, DType::float16), "uint16BitsToFloat16(x)");
}

}  // namespace
}  // namespace rangescope::codegen
