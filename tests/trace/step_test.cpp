#include "engine/trace/step.h"

#include <gtest/gtest.h>

#include "tests/trace/recorded.h"

namespace rangescope::trace {
namespace {

using Pairs = std::vector<std::pair<UOp, UOp>>;

// What the drivers report, as the step rebuilder takes it.
struct Collect : RewriteObserver {
  Pairs matches;
  UOp input, output;
  void pass_begin(const PassInfo&, UOp root) override { input = root; }
  void rule_matched(const Rule&, UOp before, UOp after, uint64_t) override { matches.emplace_back(before, after); }
  void rule_raised(const Rule&, UOp, std::string_view) override {}
  void pass_end(UOp root) override { output = root; }
};

class StepTest : public testing::Test {
 protected:
  UOp add(UOp a, UOp b) { return store_.make(Op::ADD, {a, b}); }
  Collect collect(UOp root, const RuleSet& rules, const RewriteOptions& options) {
    Collect c;
    const ObserverScope scope(store_, c);
    graph_rewrite(root, rules, options);
    return c;
  }
  Store store_;
};

TEST_F(StepTest, EveryStepOfAPass) {
  const UOp v = store_.variable("v", 0, 9), w = store_.variable("w", 0, 9), zero = store_.constant(0);
  const UOp u = store_.variable("u", 0, 9);
  const UOp root = store_.sink(UOps{add(u, zero), add(v, zero), add(w, zero)});
  for (const bool bottom_up : {false, true}) {
    const Collect c = collect(root, drop_zero(), {.bottom_up = bottom_up});
    ASSERT_EQ(c.matches.size(), 3U);
    const PassRules rules{.bottom_up = bottom_up};
    EXPECT_EQ(*graph_after(root, {}, rules), root);
    EXPECT_EQ(*graph_after(root, std::span(c.matches).first(1), rules),
              store_.sink(UOps{u, add(v, zero), add(w, zero)}));
    EXPECT_EQ(*graph_after(root, std::span(c.matches).first(2), rules), store_.sink(UOps{u, v, add(w, zero)}));
    EXPECT_EQ(*graph_after(root, c.matches, rules), c.output);
  }
}

TEST_F(StepTest, RandomRewritesEndWhereThePassEnded) {
  for (uint32_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    uint32_t state = seed;
    const auto next = [&](uint32_t n) { return (state = state * 1664525 + 1013904223) / 65536 % n; };
    UOps pool{store_.variable("v", 0, 9), store_.constant(0), store_.constant(2)};
    for (int i = 0; i < 30; ++i)
      pool.push_back(store_.make(next(2) != 0 ? Op::ADD : Op::MUL, {pool[next(static_cast<uint32_t>(pool.size()))],
                                                                    pool[next(static_cast<uint32_t>(pool.size()))]}));
    const UOp root = store_.sink(UOps{pool.back(), pool[pool.size() / 2]});
    const RuleSet both("both", {&drop_zero(), &double_by_adding()});
    for (const bool bottom_up : {false, true})
      for (const bool walk : {false, true}) {
        const Collect c = collect(root, both, {.bottom_up = bottom_up, .walk = walk});
        const auto end = graph_after(root, c.matches, {.bottom_up = bottom_up, .walk = walk});
        ASSERT_TRUE(end) << end.error().message;
        ASSERT_EQ(*end, c.output) << "bottom_up " << bottom_up << " walk " << walk;
      }
  }
}

TEST_F(StepTest, AMapThatRunsInACircleIsRefused) {
  const UOp v = store_.variable("v", 0, 9), w = store_.variable("w", 0, 9);
  const Pairs circle{{v, w}, {w, v}};
  EXPECT_FALSE(graph_after(store_.sink(UOps{v}), circle, {}));
  const UOp grown = add(v, store_.constant(1));
  const Pairs growing{{v, grown}};
  EXPECT_FALSE(graph_after(store_.sink(UOps{v}), growing, {}));
  EXPECT_EQ(*graph_after(store_.sink(UOps{v}), growing, {.walk = true}), store_.sink(UOps{grown}));
}

TEST_F(StepTest, ADeepGraphNeedsNoStack) {
  UOp u = store_.variable("v", 0, 9);
  for (int i = 0; i < 200000; ++i) u = add(u, store_.constant(1));
  const Pairs map{{store_.variable("v", 0, 9), store_.variable("w", 0, 9)}};
  const auto r = graph_after(u, map, {});
  ASSERT_TRUE(r);
  EXPECT_NE(*r, u);
}

TEST_F(StepTest, BodiesOfCallsAreLeftAloneUnlessEntered) {
  const UOp v = store_.variable("v", 0, 9), w = store_.variable("w", 0, 9);
  const UOp body = store_.sink(UOps{v});
  const UOp call = store_.make(Op::CALL, {body, v}, Arg(CallInfo{}));
  const Pairs map{{v, w}};
  EXPECT_EQ(*graph_after(call, map, {}), store_.make(Op::CALL, {body, w}, Arg(CallInfo{})));
  EXPECT_EQ(*graph_after(call, map, {.enter_calls = true}),
            store_.make(Op::CALL, {store_.sink(UOps{w}), w}, Arg(CallInfo{})));
}

}  // namespace
}  // namespace rangescope::trace
