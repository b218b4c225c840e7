// The patterns of every rule set are the reference's, row by row: data/patterns.tsv, written by generate_patterns.py.

#include "engine/symbolic/rule_sets.h"
#include "tests/rewrite/pattern_table.h"

namespace rangescope::symbolic::testing {
namespace {

TEST(Patterns, AreTheReferences) {
  rangescope::testing::expect_reference_patterns(rule_sets(), RANGESCOPE_SOURCE_DIR "/tests/symbolic/data/patterns.tsv",
                                                 rangescope::testing::Bools::AsNumbers);
}

TEST(Patterns, NamesAreUniqueAndExplained) {
  rangescope::testing::expect_unique_explained_names(rule_sets());
}

}  // namespace
}  // namespace rangescope::symbolic::testing
