// Random programs, computed in several ways. RANGESCOPE_SEED and RANGESCOPE_ROUNDS go on where this stops, as does
// ./dev bench fuzz.

#include <gtest/gtest.h>

#include "engine/symbolic/make_store.h"
#include "tests/fuzz/differential.h"
#include "tests/fuzz/random_program.h"
#include "tests/ir/mutator.h"

namespace rangescope::fuzz {
namespace {

TEST(Fuzz, EveryPassKeepsTheMeaningUnderEveryFlag) {
  using Flags = std::vector<std::pair<std::string, int64_t>>;
  const Flags all[] = {{},
                       {{"SPLIT_REDUCEOP", 0}},
                       {{"PCONTIG", 2}},
                       {{"PCONTIG", 3}},
                       {{"OPENPILOT_HACKS", 1}},
                       {{"MAX_KERNEL_BUFFERS", 3}}};
  const rangescope::testing::Rounds rounds(60);
  for (uint32_t seed = rounds.first; seed < rounds.end; ++seed) {
    const auto store = symbolic::make_store();
    Program program = random_program(*store, seed);
    EXPECT_EQ(passes_differ(program), "") << "RANGESCOPE_SEED=" << seed;
    for (const Flags& flags : all) {
      program.flags = flags;
      EXPECT_EQ(passes_differ(program), "")
          << "RANGESCOPE_SEED=" << seed << " with " << (flags.empty() ? "no flag" : flags[0].first);
    }
  }
}

}  // namespace
}  // namespace rangescope::fuzz
