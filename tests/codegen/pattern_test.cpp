// The patterns of every rule set are the reference's, row by row: data/patterns.tsv, written by generate_patterns.py.

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "engine/rewrite/compiled_pattern.h"
#include "tests/codegen/rule_sets.h"

namespace rangescope::codegen::testing {
namespace {

struct Row {
  std::string ref, early_reject, pattern;
  bool operator==(const Row&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Row& r) {
  return out << r.ref << "  needs [" << r.early_reject << "]  " << r.pattern;
}

std::string ops_text(OpSet ops) {
  return ops.empty() ? "" : to_string(pat(ops));
}

// The reference shares patterns of constants that are equal in Python, so whether True prints as True or 1 is chance.
std::string without_bools(std::string pattern) {
  for (const auto& [name, number] : {std::pair{"=True", "=1"}, std::pair{"=False", "=0"}})
    for (size_t at; (at = pattern.find(name)) != std::string::npos;)
      pattern.replace(at, std::string_view(name).size(), number);
  return pattern;
}

std::map<std::string, std::vector<Row>> expected() {
  std::map<std::string, std::vector<Row>> sets;
  std::ifstream in(RANGESCOPE_SOURCE_DIR "/tests/codegen/data/patterns.tsv");
  for (std::string line; std::getline(in, line);) {
    std::istringstream cells(line);
    std::string name;
    std::string index;
    Row row;
    std::getline(cells, name, '\t');
    std::getline(cells, index, '\t');
    std::getline(cells, row.ref, '\t');
    std::getline(cells, row.early_reject, '\t');
    std::getline(cells, row.pattern);
    row.pattern = without_bools(row.pattern);
    sets[name].push_back(row);
  }
  return sets;
}

TEST(Patterns, AreTheReferences) {
  const auto sets = expected();
  ASSERT_EQ(sets.size(), std::size(kRuleSets));
  for (const NamedSet& set : kRuleSets) {
    std::vector<Row> actual;
    for (const RuleSet::Entry& e : set.rules().entries())
      actual.push_back(
          {std::string(e.rule->ref), ops_text(e.compiled->early_reject), without_bools(to_string(e.rule->pattern))});
    const std::vector<Row>& wanted = sets.at(std::string(set.name));
    EXPECT_EQ(actual.size(), wanted.size()) << set.name;
    for (size_t i = 0; i < std::min(actual.size(), wanted.size()); ++i)
      EXPECT_EQ(actual[i], wanted[i]) << set.name << " row " << i;
  }
}

TEST(Patterns, NamesAreUniqueAndExplained) {
  std::map<std::string_view, const Rule*> by_name;
  for (const NamedSet& set : kRuleSets)
    for (const RuleSet::Entry& e : set.rules().entries()) {
      const auto [it, fresh] = by_name.try_emplace(e.rule->name, e.rule);
      EXPECT_TRUE(fresh || it->second == e.rule) << "two rules are called " << e.rule->name;
      EXPECT_FALSE(e.rule->explanation.empty()) << e.rule->name;
      EXPECT_EQ(e.rule->name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string_view::npos)
          << e.rule->name;
    }
}

}  // namespace
}  // namespace rangescope::codegen::testing
