// Random programs on Vulkan, held against the interpreter. RANGESCOPE_SEED and RANGESCOPE_ROUNDS go on where this
// stops, as does ./dev bench fuzz.

#include <gtest/gtest.h>

#include "app/session/execution.h"
#include "engine/symbolic/make_store.h"
#include "tests/fuzz/differential.h"
#include "tests/fuzz/random_program.h"
#include "tests/ir/mutator.h"

namespace rangescope::fuzz {
namespace {

TEST(DeviceFuzz, ComputesWhatTheGraphsMean) {
  const auto device = app::open_device({});
  ASSERT_TRUE(device) << device.error().message;
  const rangescope::testing::Rounds rounds(100);
  for (uint32_t seed = rounds.first; seed < rounds.end; ++seed) {
    const auto store = symbolic::make_store();
    EXPECT_EQ(device_differs(random_program(*store, seed), **device, seed % 2 == 1), "") << "RANGESCOPE_SEED=" << seed;
  }
}

}  // namespace
}  // namespace rangescope::fuzz
