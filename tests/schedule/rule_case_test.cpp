// Rules one node at a time, against what the reference's rules make of it: sharded values, copies, lists of kernels.

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "engine/ir/error.h"
#include "engine/rewrite/matcher.h"
#include "engine/schedule/flags.h"
#include "engine/schedule/multi.h"
#include "engine/schedule/rule_sets.h"
#include "engine/symbolic/make_store.h"
#include "tests/schedule/cases.h"

namespace rangescope::schedule {
namespace {

// Which rule fired or raised at the node that was given; passes inside it do not count.
class FiredRule : public RewriteObserver {
 public:
  void pass_begin(const PassInfo&, UOp) override { ++depth_; }
  void pass_end(UOp) override { --depth_; }
  void rule_matched(const Rule& rule, UOp, UOp, uint64_t) override { note(rule); }
  // every rule under way is named, the one at the node last
  void rule_raised(const Rule& rule, UOp, std::string_view) override { fired = &rule; }
  const Rule* fired = nullptr;

 private:
  void note(const Rule& rule) {
    if (depth_ == 0) fired = &rule;
  }
  int depth_ = 0;
};

const RuleSet& rule_set(std::string_view name) {
  for (const NamedRuleSet& set : rule_sets())
    if (set.name == name) return set.rules();
  throw std::runtime_error("there is no rule set " + std::string(name));
}

TEST(RuleCases, DoWhatTheReferenceDoes) {
  std::set<std::string_view> fires, declines;
  for (const Case& c : read_cases("rule_cases.jsonl")) {
    SCOPED_TRACE(c.name);
    const auto store = symbolic::make_store();
    const UOps nodes = c.nodes(*store);
    const UOp root = c.node(nodes, "root");
    FiredRule seen;
    const ObserverScope scope(*store, seen);
    const RuleSet& rules = rule_set(c.text.at("set"));
    Matcher matcher(rules, nullptr, tracking(*store));
    bool refused = false;
    UOp made;
    try {
      made = matcher.rewrite(root);
    } catch (const GraphError& e) {
      refused = true;
      EXPECT_NE(e.message(), "");
    }
    EXPECT_EQ(refused, c.number.at("error") != 0);
    EXPECT_EQ(made, c.node(nodes, "after"));
    const auto expected = c.text.find("fired");
    EXPECT_EQ(seen.fired == nullptr ? "" : seen.fired->ref, expected == c.text.end() ? "" : expected->second);
    for (const auto& entry : rules.entries_for(root.op()))
      (entry.rule == seen.fired && !refused ? fires : declines).insert(entry.rule->name);
  }
  for (const char* set : {"multi_pm", "pm_copy_from_store", "pm_resolve_linear_call", "pm_schedule"})
    for (const auto& entry : rule_set(set).entries()) {
      const std::string_view rule = entry.rule->name;
      if (rule == "allreduce-early") continue;  // below
      // what only refuses never applies
      if (rule != "same-device") {
        EXPECT_TRUE(fires.contains(rule)) << rule << " has no case where it applies";
      }
      EXPECT_TRUE(declines.contains(rule)) << rule << " has no case where it does not apply";
    }
}

TEST(RuleCases, EarlyAllreduceNeedsItsFlag) {
  for (const Case& c : read_cases("allreduce.jsonl")) {
    if (c.text.at("function") != "handle_allreduce" || !c.number.contains("after") || !c.flags.empty()) continue;
    for (const bool early : {false, true}) {
      const auto store = symbolic::make_store();
      flags(*store).late_allreduce = early ? 0 : 1;
      const UOps nodes = c.nodes(*store);
      Matcher matcher(replace_allreduce(), nullptr, tracking(*store));
      EXPECT_EQ(matcher.rewrite(c.node(nodes, "root")), early ? c.node(nodes, "after") : UOp{}) << c.name;
    }
  }
}

}  // namespace
}  // namespace rangescope::schedule
