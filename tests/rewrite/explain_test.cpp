#include "engine/rewrite/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/ir/store.h"

namespace rangescope {
namespace {

using namespace captures;
using testing::HasSubstr;

class Explain : public testing::Test {
 protected:
  Store s;
  UOp n = s.variable("n", Scalar(0), Scalar(9));
  UOp two = s.constant(2), three = s.constant(3);
  UOp mul(UOp a, UOp b) { return s.make(Op::MUL, DType::weakint, {a, b}); }
  UOp add(UOp a, UOp b) { return s.make(Op::ADD, DType::weakint, {a, b}); }
  std::string say(const Pat& p, UOp u) { return to_string(explain(p, u)); }
};

TEST_F(Explain, SaysWhatTheNamesAreBoundTo) {
  const Explanation e = explain(var(x) * cvar(c), mul(n, two));
  ASSERT_TRUE(e.matches);
  ASSERT_EQ(e.captures.size(), 2u);
  EXPECT_EQ(e.captures[0], (std::pair{c, two}));
  EXPECT_EQ(e.captures[1], (std::pair{x, n}));
  EXPECT_EQ(to_string(e), "matches: c = 2, x = n");
}

TEST_F(Explain, TheOrderOfCommutativeOperandsDoesNotMatter) {
  EXPECT_TRUE(explain(var(x) * cvar(c), mul(two, n)).matches);
  EXPECT_FALSE(explain(pat(Op::MUL, {var(x), cvar(c)}), mul(two, n)).matches);
}

TEST_F(Explain, NamesTheConstraintThatFails) {
  EXPECT_EQ(say(pat({Op::MUL, Op::SUB}), add(n, two)), "fails at the node itself: it is ADD, not MUL or SUB");
  EXPECT_EQ(say(pat(Op::MUL, {var(x), cvar(c)}), mul(two, n)), "fails at source 1: it is BUFFER, not CONST");
  EXPECT_EQ(say(pat(Op::MUL, {var(x), cnst(3)}), mul(n, two)), "fails at source 1: it has the argument 2, not 3");
  EXPECT_THAT(say(pat(Op::MUL).with_dtype(DType::int32), mul(n, two)), HasSubstr("the dtype weakint, not int32"));
  EXPECT_THAT(say(pat(Op::ADD, {var(x)}), add(n, two)), HasSubstr("has 2 sources, not 1"));
  EXPECT_THAT(say(pat(Op::ADD, {var(x), var(x)}), add(n, two)),
              HasSubstr("source 1: it is not the same node as the other x"));
  EXPECT_THAT(say(pat_repeated(Op::STACK, cvar()), s.stack(std::vector<UOp>{two, n})),
              HasSubstr("source 1: it is BUFFER"));
}

TEST_F(Explain, TellsTheAttemptThatCameFarthest) {
  // the second order of operands gets deeper: x*2 is found, the factor is another
  const UOp u = add(mul(n, two), n);
  const Explanation e = explain(var(y) + pat(Op::MUL, {var(x), cnst(3)}), u);
  ASSERT_FALSE(e.matches);
  EXPECT_EQ(e.place, "source 1 of source 0");
  EXPECT_EQ(e.node, two);
}

TEST_F(Explain, TriesAlternativesAsTheMatcherDoes) {
  const Pat p = any_of({pat(Op::MUL, {var(x), cnst(3)}), pat(Op::MUL, {var(y), cnst(2)})});
  const Explanation e = explain(p, mul(n, two));
  ASSERT_TRUE(e.matches);
  EXPECT_EQ(e.captures.size(), 1u);  // what a failed alternative bound is forgotten
  EXPECT_EQ(e.captures[0].first, y);
}

}  // namespace
}  // namespace rangescope
