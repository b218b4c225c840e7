#include "engine/rewrite/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "engine/ir/error.h"
#include "engine/rewrite/rules_off.h"

namespace rangescope {
namespace {

using namespace captures;

struct Recorder : RewriteObserver {
  std::vector<std::string> events;
  void pass_begin(const PassInfo& info, UOp) override {
    events.push_back(std::string(info.depth, ' ') + "begin " + std::string(info.name));
  }
  void rule_matched(const Rule& rule, UOp, UOp, uint64_t) override { events.emplace_back(rule.name); }
  void rule_raised(const Rule& rule, UOp, std::string_view message) override {
    events.push_back(std::string(rule.name) + " raised: " + std::string(message));
  }
  void pass_end(UOp) override { events.emplace_back("end"); }
};

class DriverTest : public testing::Test {
 protected:
  UOp variable(const char* name) { return store_.variable(name, 0, 9); }
  UOp chain(UOp leaf, int depth) {
    for (int i = 0; i < depth; ++i) leaf = store_.make(Op::ADD, {leaf, store_.constant(1)});
    return leaf;
  }
  Store store_;
};

const RuleSet& drop_zero() {
  static const RuleSet rules("drop-zero",
                             {{"add-zero", "x + 0 is x", "", var(x) + 0, [](const Match& m) { return m[x]; }}});
  return rules;
}

TEST_F(DriverTest, RewritesUntilNothingMatches) {
  UOp u = variable("v");
  const UOp v = u;
  for (int i = 0; i < 5; ++i) u = store_.make(Op::ADD, {u, store_.constant(0)});
  EXPECT_EQ(graph_rewrite(u, drop_zero()), v);
  EXPECT_EQ(graph_rewrite(u, drop_zero(), {.bottom_up = true}), v);
}

TEST_F(DriverTest, ARuleThatIsOffDoesNotFireAndTheOthersDo) {
  const RuleSet one("one", {{"times-one", "x * 1 is x", "", var(x) * 1, [](const Match& m) { return m[x]; }}});
  const RuleSet both("both", {&drop_zero(), &one});
  const UOp v = variable("v");
  const auto program = [](Store& s, UOp leaf) {
    return s.make(Op::MUL, {s.make(Op::ADD, {leaf, s.constant(0)}), s.constant(1)});
  };
  EXPECT_EQ(graph_rewrite(program(store_, v), both), v);

  Store without;
  switch_off(without, {"add-zero"});
  const UOp w = without.variable("v", 0, 9), sum = without.make(Op::ADD, {w, without.constant(0)});
  Recorder recorder;
  {
    const ObserverScope scope(without, recorder);
    EXPECT_EQ(graph_rewrite(program(without, w), both), sum);
    EXPECT_EQ(graph_rewrite(sum, drop_zero(), {.bottom_up = true}), sum);
  }
  EXPECT_THAT(recorder.events,
              testing::ElementsAre("begin graph_rewrite", "times-one", "end", "begin graph_rewrite", "end"));
  // a set that none of them is of is used as it is
  RulesOff off({"add-zero"});
  EXPECT_EQ(&off.left_of(one), &one);
  EXPECT_EQ(off.left_of(both).entries().size(), 1);
  EXPECT_EQ(graph_rewrite(program(store_, v), both), v);
}

TEST_F(DriverTest, AChainOf100000NodesNeedsNoStack) {
  const UOp top = chain(variable("v"), 100000);
  const NodeMap map = [&] {
    NodeMap m;
    m.set(variable("v"), variable("w"));
    return m;
  }();
  const UOp out = substitute(top, map);
  EXPECT_EQ(out, chain(variable("w"), 100000));
  EXPECT_EQ(substitute(top, map, {.walk = true}), out);
  EXPECT_EQ(graph_rewrite(top, drop_zero()), top);
}

TEST_F(DriverTest, AWalkDoesNotLookIntoWhatItPutInPlace) {
  const RuleSet rules("grow", {{"grow", "", "", pat(Op::BUFFER).named(x), [](const Match& m) {
                                  return m.store().make(Op::ADD, {m[x], m.store().constant(1)});
                                }}});
  const UOp v = variable("v");
  EXPECT_EQ(graph_rewrite(v, rules, {.bottom_up = true, .walk = true}), chain(v, 1));
  EXPECT_EQ(graph_rewrite(v, rules, {.walk = true}), chain(v, 1));
}

TEST_F(DriverTest, ACircleIsRefused) {
  const RuleSet rules("circle", {{"swap", "", "", pat(Op::ADD, {var(x), var(y)}), [](const Match& m) {
                                    return m.store().make(Op::ADD, {m[y], m[x]});
                                  }}});
  const UOp u = store_.make(Op::ADD, {variable("v"), variable("w")});
  EXPECT_THROW(graph_rewrite(u, rules, {.bottom_up = true}), GraphError);
  EXPECT_THROW(graph_rewrite(u, rules), GraphError);
}

TEST_F(DriverTest, ARewriteThatGrowsForEverIsRefused) {
  const RuleSet rules("grow", {{"grow", "", "", pat(Op::BUFFER).named(x), [](const Match& m) {
                                  const auto slot = m[x].arg().as<ParamArg>().slot;
                                  ParamArg p = m[x].arg().as<ParamArg>();
                                  p.slot = slot + 1;
                                  return m.store().make(Op::ADD, {m[x].with_arg(Arg(p)), m.store().constant(1)});
                                }}});
  EXPECT_THROW(graph_rewrite(variable("v"), rules), GraphError);
}

TEST_F(DriverTest, BodiesOfCallsAreLeftAloneUnlessEntered) {
  const UOp v = variable("v"), w = variable("w");
  const UOp body = store_.sink(UOps{store_.make(Op::ADD, {v, store_.constant(0)})});
  const UOp call = store_.make(Op::CALL, {body, store_.make(Op::ADD, {w, store_.constant(0)})}, Arg(CallInfo{}));
  EXPECT_EQ(graph_rewrite(call, drop_zero()), store_.make(Op::CALL, {body, w}, Arg(CallInfo{})));
  EXPECT_EQ(graph_rewrite(call, drop_zero(), {.enter_calls = true}),
            store_.make(Op::CALL, {store_.sink(UOps{v}), w}, Arg(CallInfo{})));
}

TEST_F(DriverTest, AGateKeepsWhatIsBelow) {
  const RuleSet gated("gated", {{"gate", "", "", pat(Op::MUL), [](const Match& m) { return m.close_gate(); }}});
  const RuleSet rules("both", {&gated, &drop_zero()});
  const UOp v = variable("v");
  const UOp inner = store_.make(Op::ADD, {v, store_.constant(0)});
  const UOp u = store_.sink(UOps{inner, store_.make(Op::MUL, {inner, store_.constant(2)})});
  EXPECT_EQ(graph_rewrite(u, rules, {.bottom_up = true}), store_.sink(UOps{v, u.src(1)}));
}

TEST_F(DriverTest, DtypesFollowTheSources) {
  const UOp v = store_.variable("v", 0, 9, DType::int32);
  NodeMap map;
  map.set(v, store_.variable("v", 0, 9, DType::int64));
  const UOp u = store_.make(Op::NEG, {v});
  EXPECT_EQ(substitute(u, map).dtype(), DType::int64);
}

TEST_F(DriverTest, PassesAndMatchesAreReportedAndUntrackedOnesAreNot) {
  Recorder recorder;
  const UOp u = store_.make(Op::ADD, {variable("v"), store_.constant(0)});
  {
    const ObserverScope scope(store_, recorder);
    const PassGroup group(store_, "outer");
    graph_rewrite(u, drop_zero(), {.name = "clean"});
    NodeMap map;
    map.set(variable("v"), variable("w"));
    substitute(u, map);
    substitute(u, map, {.name = "named"});
    const Untracked untracked(store_);
    graph_rewrite(u, drop_zero());
  }
  const std::vector<std::string> expected{"begin outer",  " begin clean", "add-zero", "end",
                                          " begin named", "substitute",   "end",      "end"};
  EXPECT_EQ(recorder.events, expected);
}

TEST_F(DriverTest, ARewriteInsideARuleLeavesTheOneAroundItAsItWas) {
  // The rule rewrites the very nodes that the outer rewrite has on its stack, with another result.
  static const RuleSet double_it("double", {{"double", "", "", pat(Op::PARAM).named(x), [](const Match& m) {
                                               return m[x].tag().is_none() ? m[x].with_tag(Arg("seen")) : UOp{};
                                             }}});
  const RuleSet outer("outer", {{"look-below", "", "", pat(Op::NEG).named(x), [](const Match& m) {
                                   const UOp inner = graph_rewrite(m[x], double_it);
                                   EXPECT_NE(inner, m[x]);
                                   return UOp{};
                                 }}});
  const UOp v = store_.variable("v", 0, 9, DType::int32, true);
  const UOp shared = store_.make(Op::ADD, {v, v});
  const UOp root = store_.sink(UOps{store_.make(Op::NEG, {shared}), store_.make(Op::MUL, {shared, v}),
                                    store_.make(Op::NEG, {store_.make(Op::MUL, {shared, v})})});
  EXPECT_EQ(graph_rewrite(root, outer), root);
  EXPECT_EQ(graph_rewrite(root, outer, {.bottom_up = true}), root);
}

TEST_F(DriverTest, WhatARuleSetLeavesAloneIsNotTriedAgain) {
  static int attempts;
  attempts = 0;
  const RuleSet rules("count", {{"count", "", "", pat(Op::ADD), [](const Match&) {
                                   ++attempts;
                                   return UOp{};
                                 }}});
  const UOp below = chain(variable("v"), 10);
  graph_rewrite(below, rules);
  EXPECT_EQ(attempts, 10);
  const UOp above = chain(below, 5);
  graph_rewrite(above, rules);
  EXPECT_EQ(attempts, 15);
  {
    Recorder recorder;  // no less where someone watches
    const ObserverScope scope(store_, recorder);
    graph_rewrite(chain(above, 2), rules);
  }
  EXPECT_EQ(attempts, 17);
  int context = 0;  // with a context the rules may answer differently
  graph_rewrite(below, rules, {.context = &context});
  EXPECT_EQ(attempts, 27);
}

TEST_F(DriverTest, APassThatARuleReportsIsReportedEachTime) {
  const RuleSet rules("look", {{"look-below", "", "", pat(Op::NEG).named(x), [](const Match& m) {
                                  graph_rewrite(m[x].src(0), drop_zero(), {.name = "below"});
                                  return UOp{};
                                }}});
  const UOp neg = store_.make(Op::NEG, {variable("v")});
  Recorder recorder;
  const ObserverScope scope(store_, recorder);
  graph_rewrite(neg, rules);
  const std::vector<std::string> once = std::exchange(recorder.events, {});
  EXPECT_THAT(once, testing::Contains(" begin below"));
  graph_rewrite(neg, rules);
  EXPECT_EQ(recorder.events, once);
}

TEST_F(DriverTest, WhatNoRuleBeginsWithIsWalkedAround) {
  const UOp deep = chain(variable("v"), 1000);
  const UOp root = store_.make(Op::NEG, {deep});
  const RuleSet rules("double-negation", {{"neg-neg", "", "", pat(Op::NEG, {pat(Op::NEG, {var(x)})}),
                                           [](const Match& m) { return m[x]; }}});
  EXPECT_EQ(graph_rewrite(store_.make(Op::NEG, {root}), rules), deep);
  EXPECT_EQ(graph_rewrite(deep, rules), deep);
}

TEST_F(DriverTest, ARefusalIsReportedByEveryRuleUnderWay) {
  Recorder recorder;
  static const RuleSet inner(
      "inner", {{"inner-rule", "", "", pat(Op::BUFFER), [](const Match&) -> UOp { throw GraphError("no"); }}});
  const RuleSet outer("outer", {{"outer-rule", "", "", pat(Op::ADD).named(x),
                                 [](const Match& m) { return graph_rewrite(m[x], inner); }}});
  const UOp u = store_.make(Op::ADD, {variable("v"), store_.constant(0)});
  {
    const ObserverScope scope(store_, recorder);
    EXPECT_THROW(graph_rewrite(u, outer, {.name = "pass"}), GraphError);
    // the tracking is whole again
    graph_rewrite(u, drop_zero(), {.name = "next"});
  }
  const std::vector<std::string> expected{
      "begin pass", " begin graph_rewrite", "inner-rule raised: no", "outer-rule raised: no", "begin next", "add-zero",
      "end"};
  EXPECT_EQ(recorder.events, expected);
}

}  // namespace
}  // namespace rangescope
