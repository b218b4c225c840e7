#include "engine/schedule/create_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "engine/ir/call.h"
#include "engine/ir/traversal.h"
#include "engine/schedule/reachability.h"
#include "engine/symbolic/make_store.h"

namespace rangescope::schedule {
namespace {

// Builds kernel graphs: buffers, their states, and kernels that read states and write buffers.
class Kernels {
 public:
  explicit Kernels(Store& store) : store_(store) {}

  UOp buffer() { return new_buffer(store_, Device::single("NULL"), 16, DType::float32); }
  // The state of `out` after a kernel that reads the states.
  UOp write(UOp out, const UOps& reads) {
    KernelInfo info;
    info.name = "k" + std::to_string(count_++);
    UOps args{out};
    args.insert(args.end(), reads.begin(), reads.end());
    const UOp kernel = call_of(store_.make(Op::SINK, std::span<const UOp>{}, Arg(info)), args);
    names[kernel.src(0)] = info.name;
    return out.after({kernel});
  }
  std::vector<std::string> order(const UOps& roots) {
    const Result<Schedule> s = create_schedule(store_.sink(roots));
    if (!s) return {"refused: " + s.error().message};
    std::vector<std::string> out;
    for (const ScheduledCall& c : s->calls) out.push_back(names.at(c.ast));
    return out;
  }

  struct ById {
    bool operator()(UOp a, UOp b) const { return a.id() < b.id(); }
  };
  std::map<UOp, std::string, ById> names;

 private:
  Store& store_;
  int count_ = 0;
};

using Names = std::vector<std::string>;

TEST(CreateSchedule, ReadersComeAfterTheirWriters) {
  const auto store = symbolic::make_store();
  Kernels k(*store);
  const UOp a = k.write(k.buffer(), {}), b = k.write(k.buffer(), {a}), c = k.write(k.buffer(), {b, a});
  EXPECT_EQ(k.order({c}), (Names{"k0", "k1", "k2"}));
  EXPECT_EQ(k.order({b, c}), (Names{"k0", "k1", "k2"}));
}

TEST(CreateSchedule, ReadersOfTheOldStateComeBeforeTheWriter) {
  const auto store = symbolic::make_store();
  Kernels k(*store);
  const UOp a = k.buffer();
  const UOp old_reader_late = k.buffer();
  const UOp a1 = k.write(a, {});                     // k0
  const UOp reader = k.write(old_reader_late, {a});  // k1 reads what was there before k0
  EXPECT_EQ(k.order({a1, reader}), (Names{"k1", "k0"}));
}

TEST(CreateSchedule, ReadersThatNeedTheWriterAreNoReadersOfTheOldState) {
  const auto store = symbolic::make_store();
  Kernels k(*store);
  const UOp a = k.buffer();
  const UOp a1 = k.write(a, {});
  const UOp both = k.write(k.buffer(), {a, a1});  // reads the old and, through k0, the new state
  EXPECT_EQ(k.order({both}), (Names{"k0", "k1"}));
}

TEST(CreateSchedule, CirclesAreRefused) {
  const auto store = symbolic::make_store();
  Kernels k(*store);
  const UOp a = k.buffer(), b = k.buffer();
  // each reads the old state of what the other overwrites
  const UOp a1 = k.write(a, {b}), b1 = k.write(b, {a});
  const Names order = k.order({a1, b1});
  ASSERT_EQ(order.size(), 1u);
  EXPECT_NE(order[0].find("circle"), std::string::npos) << order[0];
}

TEST(CreateSchedule, RefusesWhatIsNoKernelGraph) {
  const auto store = symbolic::make_store();
  Kernels k(*store);
  const UOp a = k.buffer();
  const UOp bad_wait = store->make(Op::AFTER, {a, store->constant(1)});
  EXPECT_FALSE(create_schedule(store->sink(UOps{bad_wait})).has_value());
  const UOp bad_arg = a.after({call_of(store->sink(UOps{}, Arg(KernelInfo{})), UOps{store->constant(1)})});
  EXPECT_FALSE(create_schedule(store->sink(UOps{bad_arg})).has_value());
}

// Random programs on a few buffers, in an order that is possible: every kernel reads current states and writes one.
TEST(CreateSchedule, RandomProgramsComeOutInAPossibleOrder) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    const auto store = symbolic::make_store();
    Kernels k(*store);
    UOps states;
    for (int i = 0; i < 4; ++i) states.push_back(k.buffer());
    struct Step {
      size_t out;
      std::vector<size_t> in;
    };
    std::map<std::string, Step> steps;
    UOps results;
    const int count = 1 + static_cast<int>(rng() % 12);
    for (int i = 0; i < count; ++i) {
      Step s{rng() % 4, {}};
      UOps reads;
      for (size_t b = 0; b < 4; ++b)
        if (b != s.out && rng() % 3 == 0) {
          s.in.push_back(b);
          reads.push_back(states[b]);
        }
      states[s.out] = k.write(states[s.out], reads);
      steps["k" + std::to_string(i)] = s;
    }
    results = states;
    erase_if(results, [](UOp u) { return !u.is(Op::AFTER); });
    const Names order = k.order(results);
    ASSERT_EQ(order.size(), steps.size()) << order[0];
    EXPECT_EQ(order, k.order(results));
    // conflicting steps keep the order in which the program had them
    const auto at = [&](int i) { return std::ranges::find(order, "k" + std::to_string(i)) - order.begin(); };
    for (int i = 0; i < count; ++i)
      for (int j = i + 1; j < count; ++j) {
        const Step &x = steps["k" + std::to_string(i)], &y = steps["k" + std::to_string(j)];
        const auto reads = [](const Step& s, size_t b) { return std::ranges::find(s.in, b) != s.in.end(); };
        const bool raw = reads(y, x.out), war = reads(x, y.out);
        if (raw || war || x.out == y.out) {
          EXPECT_LT(at(i), at(j)) << (raw   ? "read after write "
                                      : war ? "write after read "
                                            : "writes ")
                                  << i << " " << j;
        }
      }
  }
}

TEST(Reachability, AgreesWithTheSlices) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    std::mt19937 rng(seed);
    const auto store = symbolic::make_store();
    UOps all{store->constant(0), store->constant(1)};
    while (all.size() < 40) {
      const UOp a = all[rng() % all.size()], b = all[all.size() - 1 - rng() % std::min<size_t>(all.size(), 5)];
      all.push_back(store->make(Op::ADD, {a, b}));
    }
    const UOp root = store->sink(all);
    Reachability below(root);
    for (const UOp needle : all)
      for (const UOp top : all) EXPECT_EQ(below.contains(top, needle), top.in_backward_slice(needle));
  }
}

}  // namespace
}  // namespace rangescope::schedule
