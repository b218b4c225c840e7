// The patterns of every rule set are the reference's, row by row: data/patterns.tsv, written by
// data/generate_patterns.py.

#include "engine/schedule/rule_sets.h"
#include "tests/rewrite/pattern_table.h"

namespace rangescope::schedule {
namespace {

TEST(Patterns, AreTheReferences) {
  testing::expect_reference_patterns(rule_sets(), RANGESCOPE_SOURCE_DIR "/tests/schedule/data/patterns.tsv",
                                     testing::Bools::AsTheyAre);
}

TEST(Patterns, NamesAreUniqueAndExplained) {
  testing::expect_unique_explained_names(rule_sets());
}

}  // namespace
}  // namespace rangescope::schedule
