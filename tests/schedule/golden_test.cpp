// The golden corpus through the scheduler, compared on four levels as tests/golden/compare.py does: the kernel graph,
// the order of the kernels, every pass, every match. The counts that were reached must not fall.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/rewrite/observer.h"
#include "engine/schedule/pipeline.h"
#include "engine/schedule/program_run.h"
#include "engine/symbolic/make_store.h"

namespace rangescope::schedule {

namespace {

enum Level : uint8_t { kResult, kOrder, kPasses, kMatches, kLevels };
using Counts = std::array<int, kLevels>;

struct Agreement {
  std::array<bool, kLevels> levels{};
  std::string difference;  // the first, in words
};

bool same_match(const MatchRecord& a, const MatchRecord& b) {
  return a.before == b.before && a.after == b.after && a.rule == b.rule;
}

bool same_pass(const PassRecord& a, const PassRecord& b) {
  return a.depth == b.depth && a.name == b.name && a.bottom_up == b.bottom_up && a.walk == b.walk &&
         a.enter_calls == b.enter_calls && a.input == b.input && a.output == b.output;
}

bool same_order(const Program& expected, const Program& seen) {
  if (expected.schedule_error.has_value() != seen.schedule_error.has_value()) return false;
  if (expected.schedule.has_value() != seen.schedule.has_value()) return false;
  return !expected.schedule || std::ranges::equal(*expected.schedule, *seen.schedule, [](const auto& a, const auto& b) {
    return a.ast == b.ast && a.buffers == b.buffers;
  });
}

std::string match_difference(const PassRecord& expected, const PassRecord& seen) {
  size_t i = 0;
  while (i < std::min(expected.matches.size(), seen.matches.size()) && same_match(expected.matches[i], seen.matches[i]))
    ++i;
  const auto rule = [&](const PassRecord& p) { return i < p.matches.size() ? p.matches[i].rule : "no more"; };
  return fmt::format("pass {}, match {}: expected {}, saw {}", expected.name, i, rule(expected), rule(seen));
}

// Both programs live in one store, so equal graphs are the same node.
Agreement compare(const Program& expected, const Program& seen) {
  Agreement a;
  const bool same_error = expected.error.has_value() == seen.error.has_value();
  a.levels[kResult] = same_error && expected.kernel_graph == seen.kernel_graph;
  a.levels[kOrder] = same_error && same_order(expected, seen);
  a.levels[kPasses] = same_error && std::ranges::equal(*expected.passes, *seen.passes, same_pass);
  a.levels[kMatches] =
      same_error && std::ranges::equal(*expected.passes, *seen.passes, [](const auto& x, const auto& y) {
        return std::ranges::equal(x.matches, y.matches, same_match);
      });
  if (!same_error) a.difference = "error: " + seen.error.value_or("none where the reference refuses");
  for (size_t i = 0; a.difference.empty() && i < std::min(expected.passes->size(), seen.passes->size()); ++i) {
    const PassRecord &p = (*expected.passes)[i], &q = (*seen.passes)[i];
    if (!std::ranges::equal(p.matches, q.matches, same_match))
      a.difference = match_difference(p, q);
    else if (!same_pass(p, q))
      a.difference = fmt::format("pass {} ({}) differs from {}", i, p.name, q.name);
  }
  return a;
}

// The kernel graph of the program in `line` as JSON, with every node that a pass leaves behind let go.
std::string graph_alone(const std::string& line, UniqueSlots slots, RewriteObserver* observer) {
  const std::unique_ptr<Store> store = symbolic::make_store();
  Result<Program> read = read_program(line, *store, ReadWhat::Input);
  if (!read) return read.error().message;
  apply_settings(*read, *store);
  store->extension<UniqueSlots>() = slots;
  std::optional<ObserverScope> watched;
  if (observer != nullptr) watched.emplace(*store, *observer);
  const Result<UOp> graph = get_kernel_graph_alone(read->root, 0);
  if (!graph) return "refused";  // the message names a node by its id, and other nodes were made before it
  Program result;
  result.root = *graph;
  return to_json(result);
}

// Where no one watches: what is known not to change is not visited then, and the graph must be the same.
std::string unobserved_graph(const std::string& line, UniqueSlots slots) {
  return graph_alone(line, slots, nullptr);
}

// Passes and their matches, in words.
class PassList : public RewriteObserver {
 public:
  void pass_begin(const PassInfo& info, UOp) override {
    open_.push_back(passes.size());
    passes.emplace_back(info.name, 0);
  }
  void rule_matched(const Rule&, UOp, UOp, uint64_t) override {
    if (!open_.empty()) ++passes[open_.back()].second;
  }
  void rule_raised(const Rule& rule, UOp, std::string_view) override { rule_matched(rule, {}, {}, 0); }
  void pass_end(UOp) override { open_.pop_back(); }

  std::vector<std::pair<std::string, size_t>> passes;

 private:
  std::vector<size_t> open_;
};

std::vector<std::pair<std::string, size_t>> passes_of(const Program& seen) {
  std::vector<std::pair<std::string, size_t>> out;
  for (const PassRecord& pass : *seen.passes) out.emplace_back(pass.name, pass.matches.size());
  return out;
}

std::string observed_graph(const Program& seen) {
  if (seen.error) return "refused";
  Program result;
  result.root = seen.kernel_graph;
  return to_json(result);
}

struct File {
  const char* name;
  int programs;
  Counts reached;  // raise these when more agree
};

class Golden : public testing::TestWithParam<File> {};

TEST_P(Golden, AgreesWithTheReference) {
  const File& file = GetParam();
  Result<ProgramReader> reader =
      ProgramReader::open(fmt::format("{}/schedule/{}.jsonl.gz", RANGESCOPE_GOLDEN_DIR, file.name));
  ASSERT_TRUE(reader) << reader.error().message;
  Counts counts{};
  int programs = 0, shown = 0;
  UniqueSlots slots;
  std::string line;
  while (true) {
    const std::unique_ptr<Store> store = symbolic::make_store();
    const Result<bool> more = reader->next_line(line);
    ASSERT_TRUE(more) << more.error().message;
    if (!*more) break;
    const Result<Program> read = read_program(line, *store);
    ASSERT_TRUE(read) << read.error().message;
    const Program& expected = *read;
    Program seen = expected;
    slots = recorded_slots(line, slots);
    const UniqueSlots before = slots;
    const std::string unobserved = unobserved_graph(line, slots);
    schedule_program(seen, slots);
    EXPECT_EQ(unobserved, observed_graph(seen)) << expected.name;
    PassList watched;
    EXPECT_EQ(graph_alone(line, before, &watched), observed_graph(seen)) << expected.name;
    EXPECT_EQ(watched.passes, passes_of(seen)) << expected.name;
    const Agreement agreement = compare(expected, seen);
    for (size_t i = 0; i < kLevels; ++i) counts[i] += agreement.levels[i] ? 1 : 0;
    if (!agreement.difference.empty() && shown++ < 5) fmt::print("  {}: {}\n", expected.name, agreement.difference);
    ++programs;
  }
  fmt::print("{}: programs {}  result {}  order {}  passes {}  matches {}\n", file.name, programs, counts[kResult],
             counts[kOrder], counts[kPasses], counts[kMatches]);
  EXPECT_EQ(programs, file.programs);
  for (size_t i = 0; i < kLevels; ++i) EXPECT_GE(counts[i], file.reached[i]) << "level " << i;
}

INSTANTIATE_TEST_SUITE_P(Schedule, Golden,
                         testing::Values(File{"allreduce", 16, {16, 16, 16, 16}},
                                         File{"assign", 125, {125, 125, 125, 125}}, File{"func", 82, {82, 82, 82, 82}},
                                         File{"models", 16, {16, 16, 16, 16}}, File{"multi", 139, {139, 139, 139, 139}},
                                         File{"multi_null", 12, {12, 12, 12, 12}},
                                         File{"rangeify", 20, {20, 20, 20, 20}}, File{"real", 10, {10, 10, 10, 10}},
                                         File{"sched_cpu", 50, {50, 50, 50, 50}},
                                         File{"sched_null", 240, {240, 240, 240, 240}},
                                         File{"setitem", 63, {63, 63, 63, 63}}, File{"softmaxf", 32, {32, 32, 32, 32}},
                                         File{"variants", 195, {195, 195, 195, 195}}, File{"winoatt", 8, {8, 8, 8, 8}}),
                         [](const testing::TestParamInfo<File>& info) { return info.param.name; });

}  // namespace

}  // namespace rangescope::schedule
