#include "engine/schedule/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "engine/ir/call.h"
#include "engine/ir/dim.h"
#include "engine/ir/json.h"
#include "engine/schedule/flags.h"
#include "engine/schedule/tlsf.h"
#include "engine/symbolic/make_store.h"
#include "tests/schedule/cases.h"

namespace rangescope::schedule {
namespace {

// What a planned buffer has become: a part of an arena, from byte to byte.
struct Part {
  UOp arena;
  int64_t begin, end;
};

Part part_of(UOp u) {
  if (u.is(Op::BITCAST)) u = u.src(0);
  if (!u.is(Op::SHRINK)) return {u, 0, u.max_numel()};
  const auto [begin, size] = u.marg_pairs().at(0);
  return {u.src(0), begin.value, begin.value + size.value};
}

void add_buffers(UOp arg, UOps& buffers) {
  if (arg.is(Op::BUFFER)) buffers.push_back(arg);
  if (arg.in({Op::MSELECT, Op::MSTACK}))
    for (const UOp s : arg.srcs()) add_buffers(s, buffers);
}

void add_planned(UOp arg, UOps& buffers) {
  if (arg.in({Op::BUFFER, Op::SHRINK, Op::BITCAST})) buffers.push_back(arg);
  if (arg.in({Op::MSELECT, Op::MSTACK}))
    for (const UOp s : arg.srcs()) add_planned(s, buffers);
}

// No two buffers that both hold something at one step share a byte of an arena.
void expect_no_overlap(UOp before, UOp after) {
  std::map<uint32_t, std::pair<size_t, size_t>> alive;
  std::map<uint32_t, UOp> planned;
  ASSERT_EQ(before.src_count(), after.src_count());
  for (size_t i = 0; i < before.src_count(); ++i) {
    UOps old, now;
    for (const UOp a : before.src(i).srcs().subspan(1)) add_buffers(a, old);
    for (const UOp a : after.src(i).srcs().subspan(1)) add_planned(a, now);
    ASSERT_EQ(old.size(), now.size());
    for (size_t k = 0; k < old.size(); ++k) {
      const auto [it, fresh] = alive.try_emplace(old[k].id(), i, i);
      it->second.second = i;
      const auto known = planned.try_emplace(old[k].id(), now[k]).first;
      EXPECT_EQ(known->second, now[k]) << "a buffer is in two places";
      EXPECT_EQ(now[k].dtype(), old[k].dtype());
    }
  }
  for (const auto& [a, life_a] : alive)
    for (const auto& [b, life_b] : alive) {
      if (a >= b || life_a.second < life_b.first || life_b.second < life_a.first) continue;
      if (planned[a].is(Op::BUFFER) && planned[b].is(Op::BUFFER)) continue;
      const Part pa = part_of(planned[a]), pb = part_of(planned[b]);
      EXPECT_TRUE(pa.arena != pb.arena || pa.end <= pb.begin || pb.end <= pa.begin)
          << "buffers " << a << " and " << b << " overlap while both are in use";
    }
}

TEST(MemoryPlan, IsTheReferences) {
  for (const Case& c : read_cases("memory.jsonl")) {
    SCOPED_TRACE(c.name);
    const auto store = symbolic::make_store();
    const UOps nodes = c.nodes(*store);
    store->extension<UniqueSlots>().next = c.number.at("slot");
    const Result<Arg> held = read_arg(c.other.at("held"));
    ASSERT_TRUE(held.has_value());
    UOps keep;
    for (const Arg& h : held->as_tuple()) keep.push_back(nodes.at(static_cast<size_t>(h.as_int64())));
    const UOp linear = c.node(nodes, "root"), after = memory_plan_rewrite(linear, keep);
    EXPECT_EQ(after, c.node(nodes, "after"));
    expect_no_overlap(linear, after);
    flags(*store).no_memory_planner = 1;
    EXPECT_EQ(memory_plan_rewrite(linear, keep), linear);
  }
}

TEST(Tlsf, HandsOutDisjointPiecesAndTakesThemBack) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    constexpr int64_t kSize = 1 << 20;
    TlsfAllocator allocator(kSize, 256, 32);
    std::vector<std::pair<int64_t, int64_t>> used;
    for (int i = 0; i < 500; ++i) {
      if (used.empty() || rng() % 3 != 0) {
        const int64_t size = (1 + static_cast<int64_t>(rng() % 40)) * 256;
        const std::optional<int64_t> at = allocator.alloc(size);
        if (!at) continue;
        EXPECT_GE(*at, 0);
        EXPECT_LE(*at + size, kSize);
        for (const auto& [begin, end] : used) EXPECT_TRUE(*at + size <= begin || end <= *at);
        used.emplace_back(*at, *at + size);
      } else {
        const size_t k = rng() % used.size();
        allocator.free(used[k].first);
        used.erase(used.begin() + static_cast<std::ptrdiff_t>(k));
      }
    }
    for (const auto& [begin, end] : used) allocator.free(begin);
    EXPECT_EQ(allocator.alloc(kSize), 0) << "everything is one block again";
    EXPECT_EQ(allocator.alloc(1), std::nullopt);
  }
}

}  // namespace
}  // namespace rangescope::schedule
