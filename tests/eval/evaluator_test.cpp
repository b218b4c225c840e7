// What the evaluator says of small graphs, and what it refuses.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "engine/eval/compare.h"
#include "engine/eval/elementwise.h"
#include "engine/eval/evaluate.h"
#include "engine/ir/call.h"
#include "engine/ir/corpus_numbers.h"
#include "engine/ir/dim.h"
#include "engine/ir/sharding.h"
#include "engine/ir/store.h"

namespace rangescope::eval {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Evaluates : public testing::Test {
 protected:
  static ParamArg param_arg(int64_t slot, DType dtype) {
    ParamArg a;
    a.slot = slot;
    a.dtype = dtype;
    a.device = Device::single("CPU");
    return a;
  }
  UOp param(int64_t slot, DType dtype, const Shape& shape) {
    return rangescope::param(s, param_arg(slot, dtype), &shape);
  }
  UOp i32(int64_t v) { return s.constant(Scalar(v), DType::int32); }
  UOp arange(int64_t n) { return s.range(Dim(n), 0); }
  // The elements of the root's value as doubles, ranges first.
  std::vector<double> values(UOp root, const Inputs& inputs = {}) {
    const auto out = evaluate(root, inputs);
    if (!out) {
      ADD_FAILURE() << out.error().message;
      return {};
    }
    Meter meter(inputs.limits);
    const Value v = dense(out->values.at(0), meter);
    std::vector<double> r;
    for (int64_t i = 0; i < v.count(); ++i) r.push_back(float_at(*v.data, v.dtype, i));
    return r;
  }
  std::string refusal(UOp root, const Inputs& inputs = {}) {
    const auto out = evaluate(root, inputs);
    return out ? "" : out.error().message;
  }
  // What a parameter's buffer holds after the graph.
  std::vector<double> buffer(UOp root, int64_t slot) {
    const auto out = evaluate(root, inputs_of(root));
    if (!out) {
      ADD_FAILURE() << out.error().message;
      return {};
    }
    for (const BufferResult& b : out->buffers) {
      if (b.slot != slot) continue;
      std::vector<double> r;
      for (int64_t i = 0; i < b.count * std::max<int64_t>(b.devices, 1); ++i)
        r.push_back(b.element(static_cast<size_t>(i)));
      return r;
    }
    ADD_FAILURE() << "no buffer in slot " << slot;
    return {};
  }
  std::vector<double> fill(int64_t slot, DType dtype, int64_t n) {
    std::vector<double> r;
    for (int64_t i = 0; i < n; ++i) r.push_back(corpus_fill_element(slot, dtype, static_cast<uint64_t>(i)));
    return r;
  }
  Store s;
};

TEST_F(Evaluates, RangesAreAxes) {
  const UOp r = arange(4);
  EXPECT_THAT(values(r * Scalar(3) + Scalar(1)), ElementsAre(1, 4, 7, 10));
  const UOp q = s.range(Dim(2), 1);
  EXPECT_THAT(values(r * Scalar(2) + q), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST_F(Evaluates, IntegersWrapAsTheirDtypeDoes) {
  const auto of = [&](DType d, Op op, int64_t a, int64_t b) {
    return values(s.make(op, d, {s.constant(Scalar(a), d), s.constant(Scalar(b), d)})).at(0);
  };
  EXPECT_EQ(of(DType::int8, Op::ADD, 127, 1), -128);
  EXPECT_EQ(of(DType::uint8, Op::ADD, 255, 2), 1);
  EXPECT_EQ(of(DType::uint16, Op::MUL, 300, 300), 90000 - 65536);
  EXPECT_EQ(of(DType::int32, Op::SHL, 1, 31), -2147483648.0);
  EXPECT_EQ(of(DType::int32, Op::FLOORDIV, -7, 2), -4);
  EXPECT_EQ(of(DType::int32, Op::FLOORMOD, -7, 2), 1);
  EXPECT_EQ(of(DType::int32, Op::CDIV, -7, 2), -3);
  EXPECT_EQ(of(DType::int32, Op::CMOD, -7, 2), -1);
  EXPECT_EQ(of(DType::int32, Op::FLOORDIV, 5, 0), 0);
  EXPECT_EQ(of(DType::int32, Op::FLOORMOD, 5, 0), 5);
  EXPECT_EQ(of(DType::bool_, Op::ADD, 1, 1), 1);
  const UOp big = s.constant(Scalar(Int::pow2(63)), DType::uint64), one = s.constant(Scalar(1), DType::uint64);
  EXPECT_EQ(values(s.make(Op::CMPLT, DType::bool_, {one, big})).at(0), 1);
  EXPECT_EQ(values(s.make(Op::FLOORDIV, DType::uint64, {big, s.constant(Scalar(2), DType::uint64)})).at(0), 0x1p62);
}

TEST_F(Evaluates, IndexIntegersNeverWrap) {
  const UOp big = s.constant(INT64_MAX);
  EXPECT_THAT(refusal(big + Scalar(1)), HasSubstr("does not fit 64 bits"));
}

TEST_F(Evaluates, FloatsAreRoundedByCastsAlone) {
  const UOp third = s.constant(Scalar(1.0 / 3), DType::float64);
  EXPECT_EQ(values(third.cast(DType::float32)).at(0), static_cast<float>(1.0 / 3));
  EXPECT_EQ(values(third.cast(DType::float16)).at(0), 0.333251953125);
  const UOp x = s.constant(Scalar(1.0), DType::float32);
  EXPECT_EQ(values(x * s.constant(Scalar(3.0), DType::float32).reciprocal()).at(0), 1.0 / 3);
  EXPECT_EQ(values(s.constant(Scalar(-2.7), DType::float32).cast(DType::int32)).at(0), -2);
  EXPECT_EQ(values(s.constant(Scalar(0.5), DType::float32).cast(DType::bool_)).at(0), 1);
  EXPECT_EQ(values(s.constant(Scalar(300), DType::int32).cast(DType::uint8)).at(0), 44);
}

TEST_F(Evaluates, BitsAreReadAsAnotherDtype) {
  EXPECT_EQ(values(s.constant(Scalar(1.0), DType::float32).bitcast(DType::int32)).at(0), 0x3f800000);
  const UOp p = param(0, DType::int32, {2});
  const std::vector<double> bytes = values(s.make(Op::BITCAST, DType::uint8, {p}, Arg(DType::uint8)));
  ASSERT_EQ(bytes.size(), 8u);
  EXPECT_EQ(bytes[0], fill(0, DType::int32, 2)[0]);
  EXPECT_EQ(bytes[4], fill(0, DType::int32, 2)[1]);
}

TEST_F(Evaluates, MovementOps) {
  const UOp p = param(0, DType::int32, {6});
  const std::vector<double> f = fill(0, DType::int32, 6);
  const UOp m = p.reshape({2, 3});
  EXPECT_THAT(values(m.permute(std::vector<int64_t>{1, 0})), ElementsAre(f[0], f[3], f[1], f[4], f[2], f[5]));
  EXPECT_THAT(values(m.permute(std::vector<int64_t>{1, 0}).reshape({6})),
              ElementsAre(f[0], f[3], f[1], f[4], f[2], f[5]));
  EXPECT_THAT(values(m.flip(std::vector<int64_t>{1})), ElementsAre(f[2], f[1], f[0], f[5], f[4], f[3]));
  const std::pair<Dim, Dim> cut[] = {{0, 2}, {1, 3}};
  EXPECT_THAT(values(m.shrink(cut)), ElementsAre(f[1], f[2], f[4], f[5]));
  const std::pair<Dim, Dim> around[] = {{1, 2}};
  EXPECT_THAT(values(param(0, DType::int32, {2}).pad(around)), ElementsAre(0, f[0], f[1], 0, 0));
  EXPECT_THAT(values(param(0, DType::int32, {2}).expand({2})), ElementsAre(f[0], f[1]));
  const Dim front[] = {Dim(2)};
  EXPECT_THAT(values(param(0, DType::int32, {2}).mop(Op::EXPAND, std::span<const Dim>(front))),
              ElementsAre(f[0], f[1], f[0], f[1]));
}

TEST_F(Evaluates, ReducesOverAxesAndRanges) {
  const UOp r = arange(5);
  const UOp over[] = {r};
  EXPECT_THAT(values((r * Scalar(2)).reduce_op(over, Op::ADD)), ElementsAre(20));
  EXPECT_THAT(values(i32(3).reduce_op(over, Op::ADD)), ElementsAre(15));  // the same number five times
  EXPECT_THAT(values(i32(3).reduce_op(over, Op::MAX)), ElementsAre(3));
  const UOp p = param(0, DType::int32, {6});
  const std::vector<double> f = fill(0, DType::int32, 6);
  EXPECT_THAT(values(p.reshape({2, 3}).rop(Op::ADD, std::vector<int64_t>{1})),
              ElementsAre(f[0] + f[1] + f[2], f[3] + f[4] + f[5]));
}

TEST_F(Evaluates, InvalidIndicesReadZeroAndStoreNothing) {
  const UOp r = arange(4), p = param(0, DType::int32, {4}), q = param(1, DType::int32, {4});
  const UOp place = lt(r, Scalar(2)).where(r, s.invalid());
  const std::vector<double> f = fill(0, DType::int32, 4), g = fill(1, DType::int32, 4);
  EXPECT_THAT(values(p.index({place})), ElementsAre(f[0], f[1], 0, 0));
  const UOp ends[] = {r};
  const UOp stored = q.index({place}).store_value(p.index({r})).end(ends);
  EXPECT_THAT(buffer(q.after({stored}).sink(), 1), ElementsAre(f[0], f[1], g[2], g[3]));
  EXPECT_THAT(refusal(p.index({r + Scalar(1)})), HasSubstr("element 4 of an axis of 4"));
}

TEST_F(Evaluates, WhatAnInvalidElementIsReducedIntoIsInvalid) {
  const UOp p = param(0, DType::int32, {2, 3}), q = param(1, DType::int32, {2});
  const UOp i = arange(2), j = arange(3);
  const std::vector<double> f = fill(0, DType::int32, 6), g = fill(1, DType::int32, 2);
  const UOp value = lt(i, Scalar(1)).where(p.index({i, j}), s.invalid());
  const UOp ends[] = {i};
  const UOp stored = q.index({i}).store_value(value.reduce_op({&j, 1}, Op::ADD)).end(ends);
  EXPECT_THAT(buffer(q.after({stored}).sink(), 1), ElementsAre(f[0] + f[1] + f[2], g[1]));
}

TEST_F(Evaluates, AnAccumulatorIsRefusedNotMisread) {
  const UOp p = param(0, DType::int32, {4}), sum = param(1, DType::int32, {1});
  const UOp r = arange(4), zero = s.constant(0);
  const UOp ends[] = {r};
  const UOp step = sum.index({zero}).store_value(sum.index({zero}) + p.index({r})).end(ends);
  const auto out = evaluate(sum.after({step}).sink(), {});
  ASSERT_FALSE(out);
  EXPECT_THAT(out.error().message, HasSubstr("an accumulator"));
  // in place, element by element, is none
  const UOp doubled = p.index({r}).store_value(p.index({r}) * i32(2)).end(ends);
  EXPECT_TRUE(evaluate(p.after({doubled}).sink(), {}));
}

TEST_F(Evaluates, AnAfterSeesTheWritesBelowIt) {
  const UOp p = param(0, DType::int32, {2}), out = param(1, DType::int32, {2});
  const std::vector<double> f = fill(0, DType::int32, 2);
  const UOp written = p.after({p.store_value(p + i32(10))});
  // the parameter itself still is what it was
  const UOp stored = out.after({out.store_value(written * i32(100) + p)});
  const UOp sink = s.sink(std::vector<UOp>{stored});
  EXPECT_THAT(buffer(sink, 1), ElementsAre((f[0] + 10) * 100 + f[0], (f[1] + 10) * 100 + f[1]));
  EXPECT_THAT(buffer(sink, 0), ElementsAre(f[0] + 10, f[1] + 10));
}

TEST_F(Evaluates, StoresGoThroughViews) {
  const UOp p = param(0, DType::int32, {4});
  const std::vector<double> f = fill(0, DType::int32, 4);
  const std::pair<Dim, Dim> cut[] = {{0, 2}, {1, 2}};
  const UOp column = p.reshape({2, 2}).shrink(cut);
  const UOp stored = column.store_value(i32(9).reshape({1, 1}).expand({2, 1}));
  EXPECT_THAT(buffer(p.after({stored}).sink(), 0), ElementsAre(f[0], 9, f[2], 9));
}

TEST_F(Evaluates, AStageIsABufferOfItsRanges) {
  const UOp r = arange(3), q = s.range(Dim(3), 1);
  const UOp ranges[] = {r};
  const UOp stage = (r * Scalar(10)).cast(DType::int32).bufferize(ranges, StageArg{});
  EXPECT_THAT(values(stage.index({s.constant(2) - q})), ElementsAre(20, 10, 0));
}

TEST_F(Evaluates, ACalledKernelWritesToItsArguments) {
  const UOp a = param(0, DType::int32, {3}), b = param(1, DType::int32, {3});
  const UOp r = arange(3);
  const UOp ends[] = {r};
  KernelInfo info;
  const UOp kernel = a.index({r}).store_value(b.index({r}) + i32(1)).end(ends).sink(Arg(info));
  const UOp args[] = {param(5, DType::int32, {3}), param(6, DType::int32, {3})};
  const UOp call = call_of(kernel, args);
  const std::vector<double> f = fill(6, DType::int32, 3);
  EXPECT_THAT(buffer(args[0].after({call}).sink(), 5), ElementsAre(f[0] + 1, f[1] + 1, f[2] + 1));
}

TEST_F(Evaluates, AScheduleRunsInItsOrder) {
  const UOp a = param(0, DType::int32, {1});
  const UOp kernel =
      a.index({s.constant(0)}).store_value(a.index({s.constant(0)}) * i32(2) + i32(1)).sink(Arg(KernelInfo{}));
  const ScheduledKernel calls[] = {{kernel, {a}}, {kernel, {a}}};
  const auto out = evaluate_schedule(calls, {});
  ASSERT_TRUE(out) << out.error().message;
  const double f = fill(0, DType::int32, 1)[0];
  EXPECT_EQ(out->buffers.at(0).element(0), (f * 2 + 1) * 2 + 1);
}

TEST_F(Evaluates, ShardsAreJoinedAlongTheirAxis) {
  ParamArg arg = param_arg(0, DType::int32);
  arg.device = Device::tuple({"CPU:1", "CPU:2"});
  const Shape shape{2};
  const UOp whole = unshard(rangescope::param(s, arg, &shape), 0);
  const std::vector<double> f = fill(0, DType::int32, 4);
  EXPECT_THAT(values(whole, inputs_of(whole)), ElementsAre(f[0], f[1], f[2], f[3]));
  EXPECT_THAT(buffer(whole.after({whole.store_value(whole + i32(1))}).sink(), 0),
              ElementsAre(f[0] + 1, f[1] + 1, f[2] + 1, f[3] + 1));
}

TEST_F(Evaluates, VariablesHaveTheValueThatIsGiven) {
  const UOp v = s.variable("n", Scalar(0), Scalar(10));
  Inputs inputs;
  EXPECT_EQ(values(v + Scalar(1), inputs).at(0), 6);  // the middle
  inputs.variables["n"] = 9;
  EXPECT_EQ(values(v + Scalar(1), inputs).at(0), 10);
}

TEST_F(Evaluates, ThreefryIsTheReferences) {
  // the known answers of Random123 for threefry2x32 with 20 rounds, of zeros and of ones
  EXPECT_EQ(threefry(0, 0), uint64_t{0x99ba4efe6b200159});
  EXPECT_EQ(threefry(~uint64_t{0}, ~uint64_t{0}), uint64_t{0xbb002be71cb996fc});
}

TEST_F(Evaluates, RefusesByName) {
  Inputs small;
  small.limits.elements = 10;
  EXPECT_THAT(refusal(arange(11), small), HasSubstr("11 elements is beyond the evaluator's limit of 10"));
  small.limits.work = 5;
  EXPECT_THAT(refusal(arange(6), small), HasSubstr("more than the limit of 5"));
  EXPECT_THAT(refusal(s.make(Op::SPECIAL, DType::weakint, {s.constant(3)}, Arg("gidx0"))), HasSubstr("SPECIAL (node"));
  const UOp p = param(0, DType::int32, {2});
  EXPECT_THAT(refusal(s.make(Op::STORE, {i32(1), i32(2)}).sink()),
              HasSubstr("CONST (node 8): it is stored to, and is no part of a buffer"));
  EXPECT_THAT(refusal(call_of(s.make(Op::CUSTOM_FUNCTION, DType::void_, {}, Arg("f")), {{p}}).sink()),
              HasSubstr("CUSTOM_FUNCTION cannot be evaluated"));
}

TEST_F(Evaluates, DeepGraphsNeedNoStack) {
  UOp x = i32(0);
  for (int i = 0; i < 200'000; ++i) x = s.make(Op::XOR, DType::int32, {x, i32(i)});
  EXPECT_EQ(values(x).size(), 1u);
}

TEST_F(Evaluates, ADifferenceIsNamed) {
  const UOp p = param(3, DType::int32, {4});
  const auto stored = [&](int64_t v) { return *evaluate(p.after({p.store_value(p + i32(v))}).sink(), {}); };
  EXPECT_FALSE(difference(stored(1), stored(1)));
  const auto d = difference(stored(1), stored(2));
  ASSERT_TRUE(d);
  EXPECT_EQ(d->slot, 3);
  EXPECT_EQ(d->element, 0);
  EXPECT_THAT(d->text, HasSubstr("element 0 of the buffer in slot 3 is"));
  const UOp r = arange(3);
  EXPECT_THAT(difference(*evaluate(r, {}), *evaluate(r.cast(DType::float32), {}))->text, HasSubstr("float32"));
  // a range of the same axis whose end is written otherwise is the same
  const UOp again = r.with_srcs({s.make(Op::CAST, DType::weakint, {s.constant(3)}, Arg(DType::weakint))});
  ASSERT_NE(r, again);
  EXPECT_FALSE(difference(*evaluate(r * i32(2), {}), *evaluate(again * i32(2), {})));
  EXPECT_TRUE(difference(*evaluate(r * i32(2), {}), *evaluate(again * i32(3), {})));
}

}  // namespace
}  // namespace rangescope::eval
