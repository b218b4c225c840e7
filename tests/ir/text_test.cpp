#include "engine/ir/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/ir/json.h"
#include "engine/ir/program.h"
#include "engine/ir/store.h"

namespace rangescope {
namespace {

using ::testing::HasSubstr;

TEST(Render, EqualsTheReferences) {
  auto reader = ProgramReader::open(RANGESCOPE_GOLDEN_DIR "/symbolic.jsonl.gz");
  ASSERT_TRUE(reader);
  size_t count = 0;
  while (true) {
    Store store;
    auto p = reader->next(store);
    ASSERT_TRUE(p);
    if (!*p) break;
    ++count;
    EXPECT_EQ(render_as_is((*p)->root), (*p)->render->first) << (*p)->name;
    EXPECT_EQ(render_as_is((*p)->simplified), (*p)->render->second) << (*p)->name;
  }
  EXPECT_EQ(count, 998u);
}

UOp p2(Store& s) {
  ParamArg p;
  p.slot = 2;
  p.dtype = DType::float32;
  return s.make(Op::PARAM, {s.shape_arg(Shape{4, 3})}, Arg(p));
}

TEST(Render, Forms) {
  Store s;
  const UOp a = s.variable("a", Scalar(0), Scalar(9)), b = s.variable("b", Scalar(0), Scalar(9));
  const UOp r = s.range(Dim(4), 3), m = s.range(Dim(4), std::array<int64_t, 2>{-1, 2}, AxisType::REDUCE);
  EXPECT_EQ(render_as_is((a + b) * r), "((a+b)*r3)");
  EXPECT_EQ(render_as_is((a * b) + m), "(a*b+rm1_2)");
  EXPECT_EQ(render_as_is(a - (b - r)), "(a+(b+r3*-1)*-1)");
  EXPECT_EQ(render_as_is(lt(a, b).where(a, b)), "(a if (a<b) else b)");
  EXPECT_EQ(render_as_is(a.cast(DType::float32)), "(float)(a)");
  EXPECT_EQ(render_as_is(s.constant(3).cast(DType::float16)), "3");
  EXPECT_EQ(render_as_is(s.make(Op::FLOORDIV, DType::weakint, {floordiv(a, b), floordiv(a, b)})), "(a//b//(a//b))");
  // a name with parentheses of its own is no pair around the text
  const UOp odd = s.variable("(x)(y)", Scalar(0), Scalar(9));
  EXPECT_EQ(render_as_is(s.make(Op::INDEX, DType::weakint, {a, odd, a + b})), "[(x)(y)][a+b]");
  const UOp buffer = p2(s);
  EXPECT_EQ(render_as_is(buffer.reshape(Shape{12}).permute(std::array<int64_t, 1>{0})), "p2.reshape((12,))");
  EXPECT_EQ(render_as_is(buffer.permute(std::array<int64_t, 2>{1, 0})), "p2.permute((1, 0))");
  EXPECT_EQ(render_as_is(buffer.flip(std::array<int64_t, 1>{1})), "p2.flip((1,))");
}

TEST(Render, RefusesTextsThatSharingMakesEnormous) {
  Store s;
  UOp u = s.variable("a", Scalar(0), Scalar(9));
  for (int i = 0; i < 200; ++i) u = s.make(Op::MAX, DType::weakint, {u, u});
  EXPECT_THROW(render_as_is(u), GraphError);
  EXPECT_EQ(short_label(u).size(), 60u);
  EXPECT_THAT(pretty_print(u), HasSubstr("x0:=UOp(Ops.MAX"));
}

TEST(Text, ArgumentsReadAsThePythonOnes) {
  const std::pair<const char*, const char*> cases[] = {
      {"null", "None"},
      {"true", "True"},
      {"1.0", "1.0"},
      {R"("it's")", "\"it's\""},
      {R"("a\u001b\n")", R"('a\x1b\n')"},
      {R"({"bytes":"6100ff27"})", R"(b"a\x00\xff'")"},
      {R"([1,{"axis":"LOOP"}])", "(1, AxisType.LOOP)"},
      {R"([{"dtype":"float16"}])", "(dtypes.half,)"},
      {R"({"param":{"slot":-1,"dtype":"weakint","vmin_vmax":[0,8],"multiple_of":1,"name":"a","addrspace":{"addrspace":"ALU"}}})",
       "ParamArg(-1, dtypes.weakint, vmin_vmax=(0, 8), multiple_of=1, name='a', addrspace=AddrSpace.ALU)"},
      {R"({"param":{"slot":1,"dtype":"float32","device":["A","B"],"volatile":true}})",
       "ParamArg(1, dtypes.float, device=('A', 'B'), volatile=True)"},
      {R"({"stage":{"device":"a","addrspace":"LOCAL","removable":true}})",
       "BufferizeOpts(device='a', addrspace=AddrSpace.LOCAL, removable=True)"},
      {R"({"kernel":{"name":"test","applied_opts":[{"opt":["TC",0,[1,2]]}]}})",
       "KernelInfo(name='test', axis_types=(), dont_use_locals=False, applied_opts=(Opt(op=OptOps.TC, axis=0, arg=(1, "
       "2)),), opts_to_apply=None, estimates=None, beam=0)"},
      {R"({"call":{"name":"x","precompile":false,"precompile_backward":false}})", "CallInfo(None, 'x', False, False)"},
  };
  for (const auto& [json, text] : cases) EXPECT_EQ(to_string(*read_arg(json)), text);
}

TEST(Text, DevicesAndRanges) {
  EXPECT_EQ(to_string(Device::single("CPU")), "CPU");
  EXPECT_EQ(to_string(Device::tuple({"A", "B"})), "(A, B)");
  EXPECT_EQ(to_string(Device()), "");
  Store s;
  const UOps ranges{s.range(Dim(2), 5), s.range(Dim(2), 1),
                    s.range(Dim(2), std::array<int64_t, 2>{1, -3}, AxisType::LOOP)};
  EXPECT_EQ(range_str(ranges[2]), "1_m3");
  EXPECT_EQ(multirange_str(std::span(ranges).first(2)), "1,5");
}

TEST(ShortLabel, ShowsTheFrontOfTheFormula) {
  Store s;
  const UOp buffer = p2(s);
  const UOp r = s.range(Dim(4), 3);
  const UOp at = buffer.index({r * Scalar(3) + r});
  EXPECT_EQ(short_label(r * Scalar(3) + r), "r3*3+r3");
  EXPECT_EQ(short_label(at), "p2[r3*3+r3]");
  EXPECT_EQ(short_label(at.reduce_op(std::array{r}, Op::ADD)), "REDUCE ADD(p2[r3*3+r3], r3)");
  EXPECT_EQ(short_label(buffer.permute(std::array<int64_t, 2>{1, 0})), "p2.permute");
  EXPECT_EQ(short_label(s.sink(std::array{at})), "SINK(p2[r3*3+r3])");
  EXPECT_EQ(short_label(at, 6), "p2[...");
  EXPECT_EQ(short_label(s.make(Op::WHERE, DType::int32, {})), "WHERE");  // no such node is valid, a label it has
}

TEST(ShortLabel, CutsBetweenCharacters) {
  Store s;
  const UOp v = s.variable("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", Scalar(0), Scalar(9));
  EXPECT_EQ(short_label(v, 6), "\xc3\xa4...");
}

}  // namespace
}  // namespace rangescope
