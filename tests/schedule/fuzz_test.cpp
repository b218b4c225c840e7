// Damaged programs: each that can still be read is scheduled or refused with a message, and nothing crashes. Seeded;
// RANGESCOPE_SEED and RANGESCOPE_ROUNDS go on where this stops.

#include <gtest/gtest.h>

#include "engine/ir/program.h"
#include "engine/schedule/program_run.h"
#include "engine/symbolic/make_store.h"
#include "tests/ir/mutator.h"

namespace rangescope::schedule {
namespace {

TEST(ScheduleFuzz, DamagedProgramsAreScheduledOrRefused) {
  const std::vector<std::string> seeds = rangescope::testing::short_programs(
      {"schedule/rangeify.jsonl.gz", "schedule/func.jsonl.gz", "schedule/multi_null.jsonl.gz",
       "schedule/setitem.jsonl.gz", "schedule/assign.jsonl.gz", "schedule/sched_cpu.jsonl.gz"},
      20);
  ASSERT_GE(seeds.size(), 60u);
  const bool verbose = std::getenv("RANGESCOPE_VERBOSE") != nullptr;
  const rangescope::testing::Rounds rounds(600);
  size_t scheduled = 0, refused = 0;
  for (uint32_t seed = rounds.first; seed < rounds.end; ++seed) {
    rangescope::testing::Mutator m(seed);
    const auto store = symbolic::make_store();
    const std::string text = m.mutate(seeds[seed % seeds.size()], seeds[(seed * 7 + 1) % seeds.size()]);
    const auto read = read_program(text, *store, ReadWhat::Input);
    if (!read) continue;
    if (verbose) std::fprintf(stderr, "seed %u: %s\n", seed, text.c_str());
    Program program = *read;
    schedule_program(program);
    const auto& error = program.error ? program.error : program.schedule_error;
    if (error) {
      ++refused;
      EXPECT_FALSE(error->empty()) << "seed " << seed;
      EXPECT_LT(error->size(), 2000u) << "seed " << seed;
    } else {
      ++scheduled;
    }
  }
  std::printf("%zu scheduled, %zu refused\n", scheduled, refused);
  EXPECT_GT(scheduled + refused, (rounds.end - rounds.first) / 10);
}

}  // namespace
}  // namespace rangescope::schedule
