// Damaged programs: each is read or refused with a message, and what is read can be asked for all its properties and
// written again. Seeded; a failure prints the text.

#include <gtest/gtest.h>

#include "engine/ir/program.h"
#include "engine/ir/store.h"
#include "engine/ir/text.h"
#include "tests/ir/mutator.h"

namespace rangescope {
namespace {

template <class F>
void refuse_or_do(F f) {
  try {
    f();
  } catch (const GraphError& e) {
    EXPECT_FALSE(e.message().empty());
  }
}

void use(UOp u) {
  refuse_or_do([&] { u.shape_or_null(); });
  refuse_or_do([&] { u.ranges(); });
  refuse_or_do([&] { u.bounds(); });
  refuse_or_do([&] { u.device(); });
  refuse_or_do([&] { (void)u.addrspace(); });
  refuse_or_do([&] { (void)u.axis(); });
  refuse_or_do([&] { u.base(); });
  refuse_or_do([&] { u.buf_uop(); });
  refuse_or_do([&] { u.ended_ranges(); });
  refuse_or_do([&] { (void)u.const_factor(); });
  refuse_or_do([&] { u.divides(Int(4)); });
  refuse_or_do([&] { (void)u.max_numel(); });
  refuse_or_do([&] { (void)u.shard_shape(); });
  refuse_or_do([&] { (void)u.is_bound_var(); });
  refuse_or_do([&] { (void)u.has_buffer_identity(true); });
  refuse_or_do([&] { (void)render_as_is(u, 10000); });
  refuse_or_do([&] { (void)pretty_print(u, 10000); });
  EXPECT_LE(short_label(u).size(), 60u);
}

TEST(JsonFuzz, DamagedProgramsAreReadOrRefused) {
  const std::vector<std::string> seeds =
      testing::short_programs({"symbolic.jsonl.gz", "schedule/rangeify.jsonl.gz", "schedule/func.jsonl.gz",
                               "schedule/multi_null.jsonl.gz", "schedule/setitem.jsonl.gz"},
                              12);
  ASSERT_GE(seeds.size(), 20u);
  size_t read = 0, refused = 0;
  const testing::Rounds rounds(3000);
  for (uint32_t seed = rounds.first; seed < rounds.end; ++seed) {
    testing::Mutator m(seed);
    const std::string text = m.mutate(seeds[seed % seeds.size()], seeds[(seed * 7 + 1) % seeds.size()]);
    Store store;
    const auto p = read_program(text, store);
    if (!p) {
      ++refused;
      EXPECT_FALSE(p.error().message.empty());
      EXPECT_LT(p.error().message.size(), 2000u) << p.error().message;
      continue;
    }
    ++read;
    for (const UOp u : p->nodes) use(u);
    const std::string again = to_json(*p);
    const auto q = read_program(again, store);
    ASSERT_TRUE(q) << "seed " << seed << ": " << q.error().message << "\n" << text << "\n" << again;
    EXPECT_EQ(q->root, p->root) << "seed " << seed;
  }
  EXPECT_GT(read, 300u);
  EXPECT_GT(refused, 500u);
}

}  // namespace
}  // namespace rangescope
