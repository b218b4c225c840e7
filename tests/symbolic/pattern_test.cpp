// The patterns of every rule set are the reference's, row by row: data/patterns.tsv, written by generate_patterns.py.

#include "tests/rewrite/pattern_table.h"
#include "tests/symbolic/rule_sets.h"

namespace rangescope::symbolic::testing {
namespace {

TEST(Patterns, AreTheReferences) {
  rangescope::testing::expect_reference_patterns(kRuleSets, RANGESCOPE_SOURCE_DIR "/tests/symbolic/data/patterns.tsv",
                                                 rangescope::testing::Bools::AsNumbers);
}

TEST(Patterns, NamesAreUniqueAndExplained) {
  rangescope::testing::expect_unique_explained_names(kRuleSets);
}

}  // namespace
}  // namespace rangescope::symbolic::testing
