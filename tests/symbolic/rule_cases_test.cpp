// Every rule alone: it rewrites the graphs that it must, to the graph that the reference makes, and leaves the others
// alone (rule_case.h).

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "engine/ir/error.h"
#include "engine/ir/text.h"
#include "engine/rewrite/driver.h"
#include "engine/rewrite/matcher.h"
#include "engine/symbolic/range.h"
#include "engine/symbolic/rule_sets.h"
#include "tests/symbolic/rule_case.h"

namespace rangescope::symbolic::testing {
namespace {

std::string text(UOp u) {
  return u ? pretty_print(u) : "nothing";
}

struct Seen {
  int applies = 0, declines = 0;
};

std::map<std::string_view, Seen> try_all_cases() {
  std::map<std::string_view, Seen> seen;
  for_each_rule_case([&](const RuleCase& c) {
    const Rule& rule = c.rule();
    const RuleSet alone("alone", {rule});
    NodeMap context;
    Matcher matcher(alone, &context, tracking(c.before.store()));
    UOp made;
    std::string refusal;
    try {
      made = matcher.rewrite(c.before);
    } catch (const GraphError& e) {
      refusal = e.message();
    }
    EXPECT_TRUE(made == c.after && refusal.empty()) << rule.name << " on\n"
                                                    << text(c.before) << "\ngives\n"
                                                    << text(made) << refusal << "\ninstead of\n"
                                                    << text(c.after);
    ++(c.after ? seen[rule.name].applies : seen[rule.name].declines);
  });
  return seen;
}

// These only collect what a later rule of their pass uses, or need its context: pass_test.cpp runs the passes.
bool needs_its_pass(const RuleSet& set) {
  return set.name() == pm_simplify_ranges().name() || set.name() == pm_split_ranges().name();
}

TEST(RuleCases, EveryRuleAppliesAndDeclinesAsTheReferenceDoes) {
  const auto seen = try_all_cases();
  for (const NamedRuleSet& set : rule_sets()) {
    if (needs_its_pass(set.rules())) continue;
    for (const RuleSet::Entry& e : set.rules().entries()) {
      const auto it = seen.find(e.rule->name);
      EXPECT_TRUE(it != seen.end() && it->second.applies > 0) << e.rule->name << " has no case that applies";
      EXPECT_TRUE(it != seen.end() && it->second.declines > 0) << e.rule->name << " has no case that does not apply";
    }
  }
}

}  // namespace
}  // namespace rangescope::symbolic::testing
