// The patterns of every rule set are the reference's, row by row: data/patterns.tsv, written by
// data/generate_patterns.py.

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "engine/rewrite/compiled_pattern.h"
#include "engine/schedule/rule_sets.h"

namespace rangescope::schedule {
namespace {

struct Row {
  std::string ref, early_reject, pattern;
  bool operator==(const Row&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Row& r) {
  return out << r.ref << "  needs [" << r.early_reject << "]  " << r.pattern;
}

std::map<std::string, std::vector<Row>> expected() {
  std::map<std::string, std::vector<Row>> sets;
  std::ifstream in(RANGESCOPE_SOURCE_DIR "/tests/schedule/data/patterns.tsv");
  for (std::string line; std::getline(in, line);) {
    std::istringstream cells(line);
    std::string name, index;
    Row row;
    std::getline(cells, name, '\t');
    std::getline(cells, index, '\t');
    std::getline(cells, row.ref, '\t');
    std::getline(cells, row.early_reject, '\t');
    std::getline(cells, row.pattern);
    sets[name].push_back(row);
  }
  return sets;
}

TEST(Patterns, AreTheReferences) {
  const auto sets = expected();
  ASSERT_EQ(sets.size(), rule_sets().size());
  for (const NamedRuleSet& set : rule_sets()) {
    const auto& entries = set.rules().entries();
    const std::vector<Row>& wanted = sets.at(std::string(set.name));
    EXPECT_EQ(entries.size(), wanted.size()) << set.name;
    for (size_t i = 0; i < std::min(entries.size(), wanted.size()); ++i) {
      const OpSet needed = entries[i].compiled->early_reject;
      const Row actual{std::string(entries[i].rule->ref), needed.empty() ? "" : to_string(pat(needed)),
                       to_string(entries[i].rule->pattern)};
      EXPECT_EQ(actual, wanted[i]) << set.name << " row " << i;
    }
  }
}

TEST(Patterns, NamesAreUniqueAndExplained) {
  std::map<std::string_view, const Rule*> by_name;
  for (const NamedRuleSet& set : rule_sets())
    for (const RuleSet::Entry& e : set.rules().entries()) {
      const auto [it, fresh] = by_name.try_emplace(e.rule->name, e.rule);
      EXPECT_TRUE(fresh || it->second == e.rule) << "two rules are called " << e.rule->name;
      EXPECT_FALSE(e.rule->explanation.empty()) << e.rule->name;
      EXPECT_EQ(e.rule->name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string_view::npos)
          << e.rule->name;
    }
}

}  // namespace
}  // namespace rangescope::schedule
