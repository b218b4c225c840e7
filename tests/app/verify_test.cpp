// The meaning check on a rewrite that is wrong.

#include "app/checks/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/ir/call.h"
#include "engine/rewrite/driver.h"
#include "engine/symbolic/make_store.h"

namespace rangescope::app {
namespace {

using namespace captures;
using testing::HasSubstr;

class Verify : public testing::Test {
 protected:
  UOp param(int64_t slot) {
    ParamArg a;
    a.slot = slot;
    a.dtype = DType::int32;
    a.device = Device::single("CPU");
    const Shape shape{4};
    return rangescope::param(*store, a, &shape);
  }
  // slot 0 becomes (slot 1 * 2 + 7) ^ 1
  UOp program() {
    const UOp out = param(0), in = param(1);
    const auto i32 = [&](int64_t v) { return store->constant(Scalar(v), DType::int32); };
    const UOp value = store->make(Op::XOR, DType::int32, {in * i32(2) + i32(7), i32(1)});
    return store->sink(std::vector<UOp>{out.after({out.store_value(value)})});
  }
  Verdict rewritten(const RuleSet& rules, bool every_match = false) {
    PassLog log;
    const UOp root = program();
    {
      const ObserverScope scope(*store, log);
      graph_rewrite(root, rules, {.name = "under test"});
    }
    Recording recording;
    recording.passes = log.passes;
    VerifySettings settings;
    settings.every_match = every_match;
    return verify(recording, settings);
  }
  std::unique_ptr<Store> store = symbolic::make_store();
};

UOp i32(const Match& m, int64_t v) {
  return m.store().constant(Scalar(v), DType::int32);
}

const Rule kTwice{"twice", "x * 2 is x + x", "here:1", pat(Op::MUL, {var(x), cnst(2)}),
                  [](const Match& m) { return m[x] + m[x]; }};
const Rule kOnce{"sum-to-shift", "x + x is x << 1", "here:2", pat(Op::ADD, {var(x), var(x)}),
                 [](const Match& m) { return m[x] << Scalar(1); }};

TEST_F(Verify, ARewriteThatKeepsTheMeaning) {
  const Verdict v = rewritten(RuleSet("right", {kTwice, kOnce}));
  ASSERT_EQ(v.passes.size(), 1u);
  EXPECT_EQ(v.passes[0].meaning, Meaning::Kept);
  EXPECT_EQ(v.passes[0].matches, 2u);
  EXPECT_EQ(v.count(Meaning::Changed), 0u);
}

TEST_F(Verify, TheWrongRuleIsNamedWithItsNodeAndElement) {
  const Rule wrong{"seven-to-eight", "wrong on purpose", "here:3", pat(Op::ADD, {var(x), cnst(7)}),
                   [](const Match& m) { return m[x] + i32(m, 8); }};
  const Verdict v = rewritten(RuleSet("wrong", {kTwice, kOnce, wrong}));
  ASSERT_EQ(v.passes.size(), 1u);
  EXPECT_EQ(v.passes[0].meaning, Meaning::Changed);
  EXPECT_THAT(v.passes[0].text, HasSubstr("element 0 of the buffer in slot 0 is"));
  EXPECT_EQ(v.passes[0].match_number, 2);
  EXPECT_THAT(v.passes[0].match, HasSubstr("match 2 of 3: rule seven-to-eight replaced "));
  EXPECT_THAT(v.passes[0].match, HasSubstr("+7"));
  EXPECT_THAT(v.passes[0].match, HasSubstr("there element 0 of value 0 is"));
}

TEST_F(Verify, AChangeOfDtypeIsNamed) {
  const Rule wrong{"to-float", "wrong on purpose", "here:4", pat(Op::XOR, {var(x), cvar(c)}),
                   [](const Match& m) { return m[x].cast(DType::int8).cast(DType::int32) + i32(m, 1); }};
  const Rule narrow{"narrow", "wrong on purpose", "here:5", pat(Op::MUL, {var(x), cnst(2)}), [](const Match& m) {
                      return (m[x].cast(DType::int64) * m.store().constant(Scalar(3), DType::int64));
                    }};
  EXPECT_EQ(rewritten(RuleSet("wrong", {wrong})).passes[0].meaning, Meaning::Changed);
  EXPECT_THAT(rewritten(RuleSet("wrong", {narrow})).passes[0].match, HasSubstr("its dtype was int32 and is int64"));
}

TEST_F(Verify, AValueThatChangesAndComesBackIsSeenOnDemand) {
  const Rule away{"seven-to-eight", "wrong, and undone later", "here:6", pat(Op::ADD, {var(x), cnst(7)}),
                  [](const Match& m) { return m[x] + i32(m, 8); }};
  const Rule back{"eight-to-nine", "8 ^ 1 where 7 ^ 1 was meant", "here:7",
                  pat(Op::XOR, {pat(Op::ADD, {var(x), cnst(8)}), cvar(c)}), [](const Match& m) {
                    return m.store().make(Op::XOR, DType::int32, {m[x] + i32(m, 6) + i32(m, 1), m[c]});
                  }};
  EXPECT_EQ(rewritten(RuleSet("both", {away, back})).passes[0].passing, "");
  const Verdict v = rewritten(RuleSet("both", {away, back}), true);
  EXPECT_EQ(v.passes[0].meaning, Meaning::Kept) << v.passes[0].text << v.passes[0].match;
  EXPECT_THAT(v.passes[0].passing, HasSubstr("rule seven-to-eight"));
}

TEST_F(Verify, WhatCannotBeEvaluatedIsNotKnown) {
  Recording recording;
  const UOp special = store->special(Dim(3), "gidx0");
  recording.passes.push_back({1, 0, "gpudims", false, false, false, special, special + Scalar(1), {}});
  recording.passes.push_back({2, 0, "kernel split", false, false, false, program(), special, {}});
  const Verdict v = verify(recording, {});
  EXPECT_EQ(v.count(Meaning::Unknown), 2u);
  EXPECT_THAT(v.passes[0].text, HasSubstr("cannot be evaluated: SPECIAL"));
  EXPECT_THAT(v.passes[1].text, HasSubstr("numbered anew"));
}

}  // namespace
}  // namespace rangescope::app
