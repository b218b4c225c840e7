// Runs on the device held against the interpreter, and a kernel that is wrong on purpose.

#include "app/session/verify_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/ir/call.h"
#include "engine/schedule/program_run.h"
#include "engine/symbolic/make_store.h"

namespace rangescope::app {
namespace {

using testing::HasSubstr;

class VerifyRun : public testing::Test {
 protected:
  static runtime::Device& device() {
    static const auto opened = open_device({});
    EXPECT_TRUE(opened) << opened.error().message;
    return **opened;
  }
  UOp param(int64_t slot, const Shape& shape, DType dtype = DType::float32) {
    ParamArg a;
    a.slot = slot;
    a.dtype = dtype;
    a.device = Device::single("CPU");
    return rangescope::param(*store, a, &shape);
  }
  UOp sink_of(UOp out, UOp value) { return store->sink(std::vector<UOp>{out.after({out.store_value(value)})}); }
  // The kernels of slot 0 = sum over rows of (slot 1 + slot 2).contiguous() ** 2.
  UOp two_kernels() {
    const UOp squares = (param(1, {8, 5}) + param(2, {8, 5})).contiguous();
    const std::vector<int64_t> rows{1};
    return sink_of(param(0, {8}), (squares * squares).rop(Op::ADD, rows).reshape({8}));
  }
  runtime::Program built(UOp root) {
    Program p;
    p.root = root;
    const auto schedule = schedule::scheduled(p);
    EXPECT_TRUE(schedule) << schedule.error().message;
    auto program = runtime::build_program(*schedule, runtime::options_for(device().info()));
    EXPECT_TRUE(program) << program.error().message;
    return std::move(*program);
  }
  RunVerdict verdict(UOp root, runtime::Program program, const eval::Limits& limits = limits_of_verification()) {
    const auto e = execute_program(device(), std::move(program), 0, 0, {}, {.cache_folder = {}});
    EXPECT_TRUE(e) << e.error().message;
    auto v = verify_run(device(), root, *e, {}, limits);
    EXPECT_TRUE(v) << v.error().message;
    return *v;
  }
  // The last statement of the kernel stores something else.
  static void spoil(runtime::ProgramKernel& kernel, const std::string& with) {
    std::string& glsl = kernel.source.glsl;
    glsl.insert(glsl.rfind(';'), with);
  }
  std::unique_ptr<Store> store = symbolic::make_store();
};

TEST_F(VerifyRun, WhatIsRightIsTheSame) {
  const UOp root = two_kernels();
  const RunVerdict v = verdict(root, built(root));
  EXPECT_EQ(v.meaning, RunVerdict::Meaning::Same) << v.text;
  EXPECT_EQ(verdict_text(v), "the interpreter comes to the same numbers");
}

TEST_F(VerifyRun, TheFirstWrongKernelIsNamed) {
  const UOp root = two_kernels();
  for (const size_t wrong : {0U, 1U}) {
    runtime::Program program = built(root);
    ASSERT_EQ(program.kernels.size(), 2U);
    const std::string name = program.kernels[wrong].source.name;
    spoil(program.kernels[wrong], " + 0.25");
    if (wrong == 0) spoil(program.kernels[1], " + 0.5");  // a second one, which is not the first
    const RunVerdict v = verdict(root, std::move(program));
    EXPECT_EQ(v.meaning, RunVerdict::Meaning::Differs);
    EXPECT_EQ(v.dispatch, wrong);
    EXPECT_EQ(v.kernel, name);
    EXPECT_EQ(v.kernels_right, wrong);
    EXPECT_THAT(verdict_text(v),
                HasSubstr("kernel \"" + name + "\", is the first that does not compute what it means"));
  }
}

TEST_F(VerifyRun, AWrongKernelIsFoundWhereTheProgramIsTooLargeToEvaluate) {
  // a product of matrices is evaluated as all its products
  const UOp a = (param(1, {16, 16}) + param(2, {16, 16})).contiguous();
  const UOp product = a.reshape({16, 16, 1}).broadcast_to({16, 16, 16}) *
                      param(3, {16, 16}).reshape({1, 16, 16}).broadcast_to({16, 16, 16});
  const std::vector<int64_t> middle{1};
  const UOp root = sink_of(param(0, {16, 16}), product.rop(Op::ADD, middle).reshape({16, 16}));
  const eval::Limits small{.elements = 1000};
  EXPECT_EQ(verdict(root, built(root), small).meaning, RunVerdict::Meaning::Unknown);
  runtime::Program program = built(root);
  spoil(program.kernels[0], " * 1.5");
  const RunVerdict v = verdict(root, std::move(program), small);
  EXPECT_EQ(v.meaning, RunVerdict::Meaning::Differs);
  EXPECT_EQ(v.dispatch, 0U);
}

TEST_F(VerifyRun, AWrongScheduleIsNoKernelsFault) {
  const UOp root = two_kernels();
  const std::vector<int64_t> rows{1};
  const UOp other = sink_of(param(0, {8}), (param(1, {8, 5}) - param(2, {8, 5})).rop(Op::ADD, rows).reshape({8}));
  const RunVerdict v = verdict(other, built(root));
  EXPECT_EQ(v.meaning, RunVerdict::Meaning::Differs);
  EXPECT_FALSE(v.dispatch);
  EXPECT_THAT(verdict_text(v), HasSubstr("the schedule changed the meaning"));
}

TEST_F(VerifyRun, LongReductionsOfEmulatedFloats) {
  for (const DType dtype : {DType::fp8e4m3, DType::fp8e5m2, DType::bfloat16})
    for (const Op op : {Op::MAX, Op::ADD}) {
      const std::vector<int64_t> rows{1};
      const UOp root = sink_of(param(0, {3}, dtype), param(1, {3, 50}, dtype).rop(op, rows).reshape({3}));
      const RunVerdict v = verdict(root, built(root));
      EXPECT_EQ(v.meaning, RunVerdict::Meaning::Same) << dtype_name(dtype) << " " << op_name(op) << ": " << v.text;
    }
}

TEST_F(VerifyRun, DifferencesOfLargeTermsAreNoDifference) {
  // (x + 1e6) - 1e6 keeps few digits of x in float32, and a half none
  const UOp x = param(1, {64});
  const UOp root = sink_of(param(0, {64}), ((x + Scalar(1e6)).contiguous() - Scalar(1e6)) * x);
  EXPECT_EQ(verdict(root, built(root)).meaning, RunVerdict::Meaning::Same);
}

}  // namespace
}  // namespace rangescope::app
