// The patterns of every rule set are the reference's, row by row: data/patterns.tsv, written by generate_patterns.py.

#include "engine/codegen/rule_sets.h"

#include <map>

#include "engine/schedule/rule_sets.h"
#include "engine/symbolic/rule_sets.h"
#include "tests/rewrite/pattern_table.h"

namespace rangescope::codegen::testing {
namespace {

TEST(Patterns, AreTheReferences) {
  rangescope::testing::expect_reference_patterns(rule_sets(), RANGESCOPE_SOURCE_DIR "/tests/codegen/data/patterns.tsv",
                                                 rangescope::testing::Bools::AsNumbers);
}

TEST(Patterns, NamesAreUniqueAndExplained) {
  rangescope::testing::expect_unique_explained_names(rule_sets());
}

// A name stands for one rule in traces, searches and lists. Sets share rules, and make some anew.
TEST(Patterns, ANameIsOneRuleOfTheWholeEngine) {
  std::map<std::string_view, std::string_view> ref;
  for (const auto sets : {symbolic::rule_sets(), schedule::rule_sets(), rule_sets()})
    for (const NamedRuleSet& set : sets)
      for (const RuleSet::Entry& e : set.rules().entries())
        EXPECT_EQ(ref.emplace(e.rule->name, e.rule->ref).first->second, e.rule->ref)
            << e.rule->name << " in " << set.name;
}

}  // namespace
}  // namespace rangescope::codegen::testing
