#include <gtest/gtest.h>

#include "engine/ir/store.h"
#include "engine/rewrite/matcher.h"

namespace rangescope {
namespace {

using namespace captures;

// A pass-through rule: what it makes is the node bound to x.
UOp take_x(const Match& m) {
  return m[x];
}

class MatcherTest : public testing::Test {
 protected:
  UOp apply(const Pat& pattern, Rewrite rewrite, UOp u) {
    const RuleSet rules("test", {{"test", "", "", pattern, rewrite}});
    return Matcher(rules, nullptr, tracking(store_)).rewrite(u);
  }
  UOp variable(const char* name) { return store_.variable(name, 0, 9); }
  UOp alu(Op op, UOp a, UOp b) { return store_.make(op, {a, b}); }

  Store store_;
};

TEST_F(MatcherTest, NumbersCompareAsPythonDoes) {
  ParamArg param;
  param.dtype = DType::float32;
  const UOp v = store_.make(Op::PARAM, DType::float32, {store_.shape_arg({})}, Arg(param));
  const Pat plus_zero = var(x) + 0;
  EXPECT_EQ(apply(plus_zero, take_x, alu(Op::ADD, v, store_.constant(Scalar(0.0), DType::float32))), v);
  EXPECT_EQ(apply(plus_zero, take_x, alu(Op::ADD, v, store_.constant(Scalar(-0.0), DType::float32))), v);
  EXPECT_FALSE(apply(plus_zero, take_x, alu(Op::ADD, v, store_.constant(Scalar(1.0), DType::float32))));
  EXPECT_FALSE(apply(plus_zero, take_x, alu(Op::ADD, v, store_.invalid())));
}

TEST_F(MatcherTest, CommutativeSourcesMatchInBothOrders) {
  const UOp v = variable("v"), zero = store_.constant(0);
  EXPECT_EQ(apply(var(x) + 0, take_x, alu(Op::ADD, v, zero)), v);
  EXPECT_EQ(apply(var(x) + 0, take_x, alu(Op::ADD, zero, v)), v);
  EXPECT_FALSE(apply(floordiv(var(x), 1), take_x, alu(Op::FLOORDIV, store_.constant(1), v)));
}

TEST_F(MatcherTest, TheOrderGivenFirstIsTriedFirst) {
  const UOp v = variable("v"), w = variable("w");
  EXPECT_EQ(apply(var(x) + var(y), take_x, alu(Op::ADD, v, w)), v);
  // and the other order where the rewrite declines the first
  EXPECT_EQ(apply(
                var(x) + var(y), [](const Match& m) { return m[x].expr() == "w" ? m[x] : UOp{}; }, alu(Op::ADD, v, w)),
            w);
}

TEST_F(MatcherTest, AlternativesOfNestedSumsAreTriedFirstSourceOutermost) {
  // (a+b)+(c+d) under (x+y)+(z+w): what is tried is recorded through the context
  static std::vector<std::string> tried;
  tried.clear();
  const UOp u = alu(Op::ADD, alu(Op::ADD, variable("a"), variable("b")), alu(Op::ADD, variable("c"), variable("d")));
  apply((var(x) + var(y)) + (var(z) + var(w)),
        [](const Match& m) {
          tried.push_back(m[x].expr() + m[y].expr() + m[z].expr() + m[w].expr());
          return UOp{};
        },
        u);
  ASSERT_EQ(tried.size(), 8U);
  EXPECT_EQ(tried[0], "abcd");
  EXPECT_EQ(tried[1], "abdc");
  EXPECT_EQ(tried[2], "bacd");
  EXPECT_EQ(tried[3], "badc");
  EXPECT_EQ(tried[4], "cdab");
}

TEST_F(MatcherTest, ANameBindsOneNode) {
  const UOp v = variable("v"), w = variable("w");
  EXPECT_EQ(apply(var(x) + var(x), take_x, alu(Op::ADD, v, v)), v);
  EXPECT_FALSE(apply(var(x) + var(x), take_x, alu(Op::ADD, v, w)));
}

TEST_F(MatcherTest, LengthIsStrictUnlessSaidOtherwise) {
  const UOp v = variable("v"), w = variable("w");
  const UOp two = store_.sink(UOps{v, w});
  EXPECT_FALSE(apply(pat(Op::SINK, {var(x)}), take_x, two));
  EXPECT_EQ(apply(pat_any_length(Op::SINK, {var(x)}), take_x, two), v);
  EXPECT_FALSE(apply(pat_any_length(Op::SINK, {var(x), var(), var()}), take_x, two));
}

TEST_F(MatcherTest, RepeatedSourcesAllMatchButNotNone) {
  const UOp v = variable("v"), w = variable("w");
  const Pat same = pat_repeated(Op::STACK, var(x));
  EXPECT_EQ(apply(same, take_x, store_.make(Op::STACK, {v, v, v})), v);
  EXPECT_FALSE(apply(same, take_x, store_.make(Op::STACK, {v, w})));
  // A pattern that names the sources' op wants at least one of it among them.
  const Pat constants = pat_repeated(Op::STACK, cvar()).named(x);
  EXPECT_FALSE(apply(
      constants, [](const Match& m) { return m.store().constant(1); },
      store_.make(Op::STACK, std::initializer_list<UOp>{})));
}

TEST_F(MatcherTest, AnyOfTriesItsAlternativesInOrder) {
  const UOp v = variable("v");
  const UOp cast = v.cast(DType::int32);
  const Pat maybe_cast = pat(Op::SINK, {var(x, DTypeSet{DType::weakint}).or_casted(y)});
  // The name of the alternatives takes the place of the pattern's own, which is bound below a cast alone.
  const auto take_y = [](const Match& m) { return m[y]; };
  EXPECT_EQ(apply(maybe_cast, take_y, store_.sink(UOps{v})), v);
  EXPECT_FALSE(apply(maybe_cast, take_x, store_.sink(UOps{v})));
  EXPECT_EQ(apply(maybe_cast, take_y, store_.sink(UOps{cast})), cast);
  EXPECT_EQ(apply(maybe_cast, take_x, store_.sink(UOps{cast})), v);
}

TEST_F(MatcherTest, DtypeAndTagConstrain) {
  const UOp v = variable("v");
  EXPECT_FALSE(apply(
      pat(Op::BUFFER).named(y).with_dtype(DType::bool_), [](const Match& m) { return m.store().constant(1); }, v));
  const UOp tagged = v.with_tag(Arg(true));
  const Pat pattern = pat(Op::BUFFER).tagged({Arg(true)});
  const auto one = [](const Match& m) { return m.store().constant(1); };
  EXPECT_TRUE(apply(pattern, one, tagged));
  EXPECT_FALSE(apply(pattern, one, v));
}

TEST_F(MatcherTest, ARuleThatGivesBackTheNodeLeavesItToTheNext) {
  const UOp v = variable("v");
  const RuleSet rules("test", {{"same", "", "", pat(Op::BUFFER), [](const Match& m) { return m.root(); }},
                               {"one", "", "", pat(Op::BUFFER), [](const Match& m) { return m.store().constant(1); }}});
  EXPECT_EQ(Matcher(rules, nullptr, tracking(store_)).rewrite(v), store_.constant(1));
}

TEST(PatternText, SaysWhatThePatternIs) {
  EXPECT_EQ(to_string(var(x) + 0), "ADD{x, CONST=0}");
  EXPECT_EQ(to_string(pat_any_length(Op::INDEX, {pat(Op::STACK).named(a), cvar(i)}).named(idx)),
            "idx:INDEX(a:STACK, i:CONST, ...)");
  EXPECT_EQ(to_string(var(x, DTypeSet{DType::bool_}).logical_not()), "CMPNE<bool>{x<bool>, CONST=True}");
}

}  // namespace
}  // namespace rangescope
