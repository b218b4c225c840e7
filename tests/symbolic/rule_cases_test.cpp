// Every rule alone: it rewrites the graphs that it must, to the graph that the reference makes, and leaves the others
// alone. data/rule_cases.jsonl.gz is written by data/generate_cases.py.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "engine/ir/json.h"
#include "engine/ir/json_reader.h"
#include "engine/ir/line_reader.h"
#include "engine/ir/text.h"
#include "engine/rewrite/driver.h"
#include "engine/rewrite/matcher.h"
#include "engine/symbolic/make_store.h"
#include "tests/symbolic/rule_sets.h"

namespace rangescope::symbolic::testing {
namespace {

struct Case {
  std::string set;
  size_t index = 0;
  UOp before, after;  // no `after`: the rule does not apply
};

Case read_case(const std::string& line, Store& store) {
  Case c;
  UOps nodes;
  JsonReader in(line);
  const auto node = [&] { return nodes.at(static_cast<size_t>(in.integer(0, INT64_MAX))); };
  in.object([&](std::string_view key) {
    if (key == "set")
      c.set = in.string();
    else if (key == "index")
      c.index = static_cast<size_t>(in.integer(0, INT64_MAX));
    else if (key == "nodes")
      nodes = read_nodes(in, store, SIZE_MAX, {});
    else if (key == "root")
      c.before = node();
    else if (key == "after" && !in.try_null())
      c.after = node();
  });
  return c;
}

const Rule& rule_of(const Case& c) {
  for (const NamedSet& set : kRuleSets)
    if (set.name == c.set) return *set.rules().entries().at(c.index).rule;
  throw std::out_of_range("no rule set " + c.set);
}

std::string text(UOp u) {
  return u ? pretty_print(u) : "nothing";
}

struct Seen {
  int applies = 0, declines = 0;
};

std::map<std::string_view, Seen> try_all_cases() {
  std::map<std::string_view, Seen> seen;
  auto lines = LineReader::open(RANGESCOPE_SOURCE_DIR "/tests/symbolic/data/rule_cases.jsonl.gz");
  EXPECT_TRUE(lines) << lines.error().message;
  std::string line;
  while (*lines->next(line)) {
    const auto store = make_store();
    const Case c = read_case(line, *store);
    const Rule& rule = rule_of(c);
    const RuleSet alone("alone", {rule});
    NodeMap context;
    Matcher matcher(alone, &context, tracking(*store));
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
  }
  return seen;
}

// These only collect what a later rule of their pass uses, or need its context: pass_test.cpp runs the passes.
bool needs_its_pass(const RuleSet& set) {
  return set.name() == pm_simplify_ranges().name() || set.name() == pm_split_ranges().name();
}

TEST(RuleCases, EveryRuleAppliesAndDeclinesAsTheReferenceDoes) {
  const auto seen = try_all_cases();
  for (const NamedSet& set : kRuleSets) {
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
