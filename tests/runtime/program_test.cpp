// From a schedule to numbers: code generation, GLSL, SPIR-V and the device together.
#include "engine/runtime/program.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/ir/call.h"
#include "engine/symbolic/make_store.h"
#include "tests/runtime/fixture.h"

namespace rangescope::runtime {
namespace {

using testing::HasSubstr;

class ProgramTest : public DeviceTest {
 protected:
  ProgramTest() : store_(symbolic::make_store()) { options_.settings.noopt = true; }

  UOp parameter(int64_t slot, int64_t size, DType dtype = DType::float32) {
    ParamArg arg;
    arg.slot = slot;
    arg.dtype = dtype;
    arg.device = rangescope::Device::single("VK");
    return store_->make(Op::PARAM, {store_->constant(size)}, Arg(arg));
  }
  UOp own_buffer(int64_t size) { return new_buffer(*store_, rangescope::Device::single("VK"), size, DType::float32); }
  // out[i] = value(i), as the AST of a kernel; its parameters are numbered as the call's buffers.
  template <typename Value>
  UOp elementwise(int64_t size, Value&& value) {
    const UOp i = store_->range(Dim(size), 0);
    return parameter(0, size).index({i}).store_value(value(i)).end({&i, 1}).sink(Arg(KernelInfo{}));
  }
  UOp plus_one(int64_t size) {
    return elementwise(size, [&](UOp i) { return parameter(1, size).index({i}) + Scalar(1.0); });
  }
  static schedule::Schedule schedule_of(std::vector<schedule::ScheduledCall> calls) {
    return schedule::Schedule{UOp{}, std::move(calls)};
  }
  std::string refusal(std::vector<schedule::ScheduledCall> calls) {
    const auto program = build_program(schedule_of(std::move(calls)), options_);
    return program ? "it was built" : program.error().message;
  }

  std::unique_ptr<Store> store_;
  ProgramOptions options_;
};

TEST_F(ProgramTest, CallsOfOneKernelShareItAndRunInOrder) {
  const UOp ast = plus_one(100);
  const UOp in = parameter(1, 100);
  const UOp out = parameter(0, 100);
  const UOp middle = own_buffer(100);
  const auto program = build_program(schedule_of({{ast, {middle, in}}, {ast, {out, middle}}}), options_);
  ASSERT_OK(program);
  ASSERT_EQ(program->kernels.size(), 1U);
  EXPECT_GT(program->kernels[0].codegen_ns, 0U);
  EXPECT_EQ(program->dispatches.size(), 2U);
  EXPECT_EQ(program->calls, (std::vector<size_t>{0, 1}));
  ASSERT_EQ(program->buffers.size(), 3U);
  EXPECT_FALSE(program->buffers[0].is_parameter());
  EXPECT_EQ(program->buffers[1].node, in);
  EXPECT_EQ(program->buffers[1].bytes, 400U);

  auto executor = load_program(device(), *program, without_cache());
  ASSERT_OK(executor);
  std::vector<float> values(100);
  std::iota(values.begin(), values.end(), 0.0F);
  ASSERT_OK(upload(*executor, 1, values));
  const auto report = executor->run(program->dispatches, {.warmup = 1, .repeat = 3});
  ASSERT_OK(report);
  EXPECT_EQ(report->dispatches[1].times.count, 3U);
  for (float& value : values) value += 2;
  EXPECT_EQ(download<float>(*executor, 2, 100), values);
}

TEST_F(ProgramTest, RepeatsOfAnUpdateInPlaceKeepItsNumbers) {
  const UOp ast = elementwise(16, [&](UOp i) { return parameter(0, 16).index({i}) * Scalar(2.0); });
  const auto program = build_program(schedule_of({{ast, {parameter(0, 16)}}}), options_);
  ASSERT_OK(program);
  auto executor = load_program(device(), *program, without_cache());
  ASSERT_OK(executor);
  ASSERT_OK(upload(*executor, 0, std::vector<float>(16, 3)));
  ASSERT_OK(executor->run(program->dispatches, {.warmup = 1, .repeat = 4}));
  EXPECT_EQ(download<float>(*executor, 0, 16), std::vector<float>(16, 6));
}

TEST_F(ProgramTest, PrecompiledCallsAndCopiesAreFollowed) {
  // LINEAR(p0 = p1 + 1, copy p2 from p0), called on (middle, in, out).
  const UOp in = parameter(1, 8);
  const UOp out = parameter(0, 8);
  const UOp middle = own_buffer(8);
  const UOp first = parameter(0, 8);
  const UOp second = parameter(1, 8);
  const UOp third = parameter(2, 8);
  const UOp copy = store_->make(Op::COPY, DType::float32, {second});
  const UOp add_args[] = {first, second};
  const UOp copy_args[] = {third, first};
  const UOp add_call = call_of(plus_one(8), add_args);
  const UOp copy_call = call_of(copy, copy_args);
  const UOp linear = store_->make(Op::LINEAR, DType::void_, {add_call, copy_call});
  const auto program = build_program(schedule_of({{linear, {middle, in, out}}}), options_);
  ASSERT_OK(program);
  ASSERT_EQ(program->dispatches.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<CopyDispatch>(program->dispatches[1]));
  EXPECT_EQ(program->calls, (std::vector<size_t>{0, 0}));
  auto executor = load_program(device(), *program, without_cache());
  ASSERT_OK(executor);
  ASSERT_EQ(program->buffers[1].node, in);
  ASSERT_EQ(program->buffers[2].node, out);
  ASSERT_OK(upload(*executor, 1, std::vector<float>(8, 4)));
  ASSERT_OK(executor->run(program->dispatches));
  EXPECT_EQ(download<float>(*executor, 2, 8), std::vector<float>(8, 5));
}

TEST_F(ProgramTest, VariablesNeedValues) {
  const UOp n = store_->variable("n", Scalar(1), Scalar(64), DType::weakint, true);
  const UOp i = store_->range(n, 0);
  const UOp ast =
      parameter(0, 64, DType::int32).index({i}).store_value(n.cast(DType::int32)).end({&i, 1}).sink(Arg(KernelInfo{}));
  const std::vector<schedule::ScheduledCall> calls = {{ast, {parameter(0, 64, DType::int32)}}};
  EXPECT_THAT(refusal(calls), HasSubstr("variable \"n\" has no value; give one from 1 to 64"));
  options_.variables["n"] = 5;
  const auto program = build_program(schedule_of(calls), options_);
  ASSERT_OK(program);
  auto executor = load_program(device(), *program, without_cache());
  ASSERT_OK(executor);
  ASSERT_OK(executor->run(program->dispatches));
  std::vector<int32_t> expected(64);
  std::fill_n(expected.begin(), 5, 5);
  EXPECT_EQ(download<int32_t>(*executor, 0, 64), expected);
}

// out[0] = the sum of everything, by one invocation.
class LongLoop : public ProgramTest {
 protected:
  static constexpr uint64_t kLimit = 65535;  // llvmpipe's; kept everywhere, so that every device runs the same shader
  LongLoop() { options_.glsl.max_loop_iterations = kLimit; }

  Result<Program> program(const std::vector<int64_t>& sizes) {
    UOps ranges;
    UOp at = store_->constant(0);
    int64_t count = 1;
    for (const int64_t size : sizes) {
      ranges.push_back(store_->range(Dim(size), static_cast<int64_t>(ranges.size()) + 1, AxisType::REDUCE));
      at = at * Scalar(size) + ranges.back();
      count *= size;
    }
    const UOp sum = elementwise(1, [&](UOp) { return parameter(1, count).index({at}).reduce_op(ranges, Op::ADD); });
    return build_program(schedule_of({{sum, {parameter(0, 1), parameter(1, count)}}}), options_);
  }
  // What the device makes of the sum of 0, 1, 2, 0, 1, ... over `sizes`.
  float sum(const std::vector<int64_t>& sizes) {
    const auto built = program(sizes);
    EXPECT_OK(built);
    EXPECT_LE(built->kernels[0].source.loop_iterations, kLimit);
    EXPECT_THAT(built->kernels[0].source.glsl, HasSubstr("[[unroll]]"));
    auto executor = load_program(device(), *built, without_cache());
    EXPECT_OK(executor);
    if (!executor) return -1;
    std::vector<float> values(built->buffers[1].bytes / sizeof(float));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 3);
    EXPECT_OK(upload(*executor, 1, values));
    EXPECT_OK(executor->run(built->dispatches));
    return download<float>(*executor, 0, 1)[0];
  }
  static float expected(int64_t count) {
    const int64_t whole = count / 3 * 3;
    return static_cast<float>(whole + std::max<int64_t>(count % 3 - 1, 0));
  }
};

TEST_F(LongLoop, GivesTheWholeSum) {
  EXPECT_EQ(sum({65536}), expected(65536));
  EXPECT_EQ(sum({100000}), expected(100000));
  EXPECT_EQ(sum({100003}), expected(100003));  // a prime: some copies of the body have nothing to do
  EXPECT_EQ(sum({1 << 22}), expected(1 << 22));
}

TEST_F(LongLoop, OfSeveralLoopsTheInnermostIsUnrolled) {
  EXPECT_EQ(sum({300, 1000}), expected(300000));
  EXPECT_EQ(sum({30000, 3, 3}), expected(270000));
  EXPECT_EQ(sum({2, 100003}), expected(200006));
}

TEST_F(LongLoop, BeyondWhatCanBeUnrolledIsRefusedWhereTheDriverHasALimit) {
  const auto built = program({20000000});
  ASSERT_OK(built);
  const auto executor = load_program(device(), *built, without_cache());
  if (device().info().limits.max_loop_iterations == 0) {
    EXPECT_OK(executor);
  } else {
    ASSERT_FALSE(executor);
    EXPECT_THAT(executor.error().message, HasSubstr("loop iterations"));
  }
}

int64_t ulps(double a, double b) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  if (std::isnan(a) || std::isnan(b) || std::signbit(a) != std::signbit(b)) return a == b ? 0 : INT64_MAX;
  return std::abs(std::bit_cast<int64_t>(a) - std::bit_cast<int64_t>(b));
}

TEST_F(ProgramTest, ExponentialAndLogarithmOfFloat64) {
  if (!device().info().features.float64) GTEST_SKIP() << "the device has no float64";
  constexpr double kInf = std::numeric_limits<double>::infinity();
  std::vector<double> x = {0,
                           -0.0,
                           1,
                           -1,
                           0.5,
                           10,
                           1023.99,
                           1024,
                           -1022,
                           -1074,
                           -1080,
                           kInf,
                           -kInf,
                           std::nan(""),
                           1 + 1e-12,
                           1 - 1e-12,
                           1.4142135623730951,
                           5e-324,
                           1e-310,
                           2.2250738585072014e-308,
                           1e308,
                           -3};
  for (int i = 0; i < 2000; ++i) x.push_back(std::ldexp(1 + i / 1999.0, i % 41 - 20) * (i % 2 == 0 ? 1 : -1));
  const auto count = static_cast<int64_t>(x.size());
  for (const Op op : {Op::EXP2, Op::LOG2}) {
    const UOp i = store_->range(Dim(count), 0);
    const UOp ast = parameter(0, count, DType::float64)
                        .index({i})
                        .store_value(parameter(1, count, DType::float64).index({i}).alu(op))
                        .end({&i, 1})
                        .sink(Arg(KernelInfo{}));
    const auto built = build_program(
        schedule_of({{ast, {parameter(0, count, DType::float64), parameter(1, count, DType::float64)}}}), options_);
    ASSERT_OK(built);
    auto executor = load_program(device(), *built, without_cache());
    ASSERT_OK(executor);
    ASSERT_OK(upload(*executor, 1, x));
    ASSERT_OK(executor->run(built->dispatches));
    const std::vector<double> y = download<double>(*executor, 0, x.size());
    for (size_t k = 0; k < x.size(); ++k) {
      const double expected = op == Op::EXP2 ? std::exp2(x[k]) : std::log2(x[k]);
      EXPECT_LE(ulps(y[k], expected), 2) << op_name(op) << " of " << x[k] << " is " << y[k] << ", not " << expected;
    }
  }
}

TEST_F(ProgramTest, ACallOnSeveralDevicesIsMadeForEachOnMemoryOfItsOwn) {
  const auto on_both = [&](int64_t slot) {
    ParamArg arg = parameter(slot, 8).arg().as<ParamArg>();
    arg.device = rangescope::Device::tuple({"VK:1", "VK:2"});
    return store_->make(Op::PARAM, {store_->constant(8)}, Arg(arg));
  };
  const UOp in = on_both(1), out = on_both(0), first = parameter(2, 8), second = parameter(3, 8);
  const auto of = [&](UOp u, int64_t device) { return store_->make(Op::MSELECT, DType::float32, {u}, Arg(device)); };
  const UOp copy = store_->make(Op::COPY, DType::float32, {parameter(0, 8)});
  const UOp stack = store_->make(Op::MSTACK, DType::float32, {second, first});
  // out = in + 1 on both; second = out of the first device, first = out of the second; out = (second, first) + 1
  const auto program = build_program(schedule_of({{plus_one(8), {out, in}},
                                                  {copy, {second, of(out, 0)}},
                                                  {copy, {first, of(out, 1)}},
                                                  {plus_one(8), {out, stack}}}),
                                     options_);
  ASSERT_OK(program);
  EXPECT_EQ(program->kernels.size(), 1U);
  EXPECT_EQ(program->calls, (std::vector<size_t>{0, 0, 1, 2, 3, 3}));
  EXPECT_EQ(program->devices, (std::vector<uint32_t>{0, 1, 0, 0, 0, 1}));
  ASSERT_EQ(program->buffers.size(), 6U);
  EXPECT_EQ(program->buffers[1].device, 1U);
  EXPECT_EQ(program->buffers[1].devices, 2U);
  EXPECT_EQ(program->buffers[1].offset(), 32U);
  auto executor = load_program(device(), *program, without_cache());
  ASSERT_OK(executor);
  ASSERT_EQ(program->buffers[2].node, in);
  ASSERT_OK(upload(*executor, 2, std::vector<float>(8, 10)));
  ASSERT_OK(upload(*executor, 3, std::vector<float>(8, 20)));
  ASSERT_OK(executor->run(program->dispatches));
  EXPECT_EQ(download<float>(*executor, 0, 8), std::vector<float>(8, 12));
  EXPECT_EQ(download<float>(*executor, 1, 8), std::vector<float>(8, 22));
  std::vector<std::vector<std::byte>> held(program->buffers.size());
  held[0].assign(32, std::byte{1});
  held[1].assign(32, std::byte{2});
  const auto joined = contents_by_slot(*program, held);
  ASSERT_EQ(joined.size(), 1U);
  EXPECT_EQ(joined.at(0).size(), 64U);
  EXPECT_EQ(joined.at(0)[31], std::byte{1});
  EXPECT_EQ(joined.at(0)[32], std::byte{2});
}

TEST_F(ProgramTest, WhatCannotRunIsNamed) {
  const UOp both = store_->make(Op::MSTACK, DType::float32, {parameter(0, 8), parameter(1, 8)});
  EXPECT_THAT(refusal({{plus_one(8), {both, parameter(1, 8)}}}),
              HasSubstr("call 0 of the schedule: its arguments are on 2 and on 1 devices"));
  EXPECT_THAT(refusal({{plus_one(8), {parameter(0, 8)}}}), HasSubstr("the kernel uses buffer 1, but is called on 1"));
  EXPECT_THAT(refusal({{store_->constant(1), {}}}), HasSubstr("CONST cannot be run"));
}

TEST(TargetFor, LeavesOutWhatTheDeviceLacks) {
  DeviceInfo info;
  info.features = {.float64 = false, .float16 = true, .int64 = true, .int16 = true, .int8 = false, .storage16 = true};
  info.limits.max_workgroup_count = {65535, 65535, 65535};
  info.limits.max_workgroup_size = {256, 256, 64};
  info.limits.max_shared_bytes = 16384;
  const codegen::Target target = target_for(info);
  EXPECT_FALSE(target.dtypes.contains(DType::float64));
  EXPECT_FALSE(target.dtypes.contains(DType::int8));
  EXPECT_TRUE(target.dtypes.contains(DType::float16));
  EXPECT_TRUE(target.dtypes.contains(DType::int64));
  EXPECT_EQ(target.local_max[0], 256);
  EXPECT_EQ(target.shared_max, 16384);
}

}  // namespace
}  // namespace rangescope::runtime
