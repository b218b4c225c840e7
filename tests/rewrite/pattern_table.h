#pragma once
// Rule sets held against the reference's, row by row: a patterns.tsv, written by the generate_patterns.py beside it.

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/rewrite/compiled_pattern.h"
#include "engine/rewrite/rule.h"

namespace rangescope::testing {

struct PatternRow {
  std::string ref, early_reject, pattern;
  bool operator==(const PatternRow&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const PatternRow& r) {
  return out << r.ref << "  needs [" << r.early_reject << "]  " << r.pattern;
}

enum class Bools : uint8_t { AsTheyAre, AsNumbers };

// The reference shares patterns of constants that are equal in Python, so whether True prints as True or 1 is chance.
inline std::string pattern_text(std::string pattern, Bools bools) {
  if (bools == Bools::AsTheyAre) return pattern;
  for (const auto& [name, number] : {std::pair{"=True", "=1"}, std::pair{"=False", "=0"}})
    for (size_t at; (at = pattern.find(name)) != std::string::npos;)
      pattern.replace(at, std::string_view(name).size(), number);
  return pattern;
}

inline std::map<std::string, std::vector<PatternRow>> read_pattern_table(const std::string& path, Bools bools) {
  std::map<std::string, std::vector<PatternRow>> sets;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    std::istringstream cells(line);
    std::string name;
    std::string index;
    PatternRow row;
    std::getline(cells, name, '\t');
    std::getline(cells, index, '\t');
    std::getline(cells, row.ref, '\t');
    std::getline(cells, row.early_reject, '\t');
    std::getline(cells, row.pattern);
    row.pattern = pattern_text(row.pattern, bools);
    sets[name].push_back(row);
  }
  return sets;
}

// `named_sets`: things with a name and a function rules().
template <class NamedSets>
void expect_reference_patterns(const NamedSets& named_sets, const std::string& path, Bools bools) {
  const auto sets = read_pattern_table(path, bools);
  ASSERT_EQ(sets.size(), std::size(named_sets));
  for (const auto& set : named_sets) {
    const auto& entries = set.rules().entries();
    const std::vector<PatternRow>& wanted = sets.at(std::string(set.name));
    EXPECT_EQ(entries.size(), wanted.size()) << set.name;
    for (size_t i = 0; i < std::min(entries.size(), wanted.size()); ++i) {
      const OpSet needed = entries[i].compiled->early_reject;
      const PatternRow actual{std::string(entries[i].rule->ref), needed.empty() ? "" : to_string(pat(needed)),
                              pattern_text(to_string(entries[i].rule->pattern), bools)};
      EXPECT_EQ(actual, wanted[i]) << set.name << " row " << i;
    }
  }
}

template <class NamedSets>
void expect_unique_explained_names(const NamedSets& named_sets) {
  std::map<std::string_view, const Rule*> by_name;
  for (const auto& set : named_sets)
    for (const RuleSet::Entry& e : set.rules().entries()) {
      const auto [it, fresh] = by_name.try_emplace(e.rule->name, e.rule);
      EXPECT_TRUE(fresh || it->second == e.rule) << "two rules are called " << e.rule->name;
      EXPECT_FALSE(e.rule->explanation.empty()) << e.rule->name;
      EXPECT_EQ(e.rule->name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string_view::npos)
          << e.rule->name;
    }
}

}  // namespace rangescope::testing
