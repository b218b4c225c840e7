// The golden corpus of kernels: the same passes, matches, graph, op list and launch size as the reference's. Golden
// nodes and ours are made in one store, so that equal graphs are the same node.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/codegen/program_run.h"
#include "engine/symbolic/make_store.h"

namespace rangescope::codegen {
namespace {

struct Levels {
  int kernels = 0, result = 0, order = 0, passes = 0, matches = 0;
  std::vector<std::string> first;  // of what differs
};

bool same_launch(const Program& a, const Program& b) {
  return a.linear == b.linear && a.launch && b.launch && a.launch->global_size == b.launch->global_size &&
         a.launch->local_size == b.launch->local_size;
}

bool same_passes(const std::vector<PassRecord>& a, const std::vector<PassRecord>& b) {
  return std::ranges::equal(a, b, [](const PassRecord& x, const PassRecord& y) {
    return x.depth == y.depth && x.name == y.name && x.bottom_up == y.bottom_up && x.walk == y.walk &&
           x.enter_calls == y.enter_calls && x.input == y.input && x.output == y.output;
  });
}

// Where the first difference is; empty: nowhere.
std::string first_difference(const std::vector<PassRecord>& a, const std::vector<PassRecord>& b) {
  for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i >= a.size()) return "a pass too many: " + b[i].name;
    if (i >= b.size()) return "a pass is missing: " + a[i].name;
    const auto& x = a[i].matches;
    const auto& y = b[i].matches;
    for (size_t k = 0; k < std::max(x.size(), y.size()); ++k) {
      const std::string expected = k < x.size() ? x[k].rule : "no more", seen = k < y.size() ? y[k].rule : "no more";
      if (k >= x.size() || k >= y.size() || expected != seen || x[k].before != y[k].before || x[k].after != y[k].after)
        return fmt::format("pass {} ({}), match {}: expected {}, saw {}", i, a[i].name, k, expected, seen);
    }
  }
  return {};
}

Target target_of(const Program& p) {
  Target t;
  if (p.flag("EMULATE_LONG", 0) != 0) t.dtypes = t.dtypes - DTypeSet{DType::int64, DType::uint64};
  if (p.flag("EMULATE_HALF", 0) != 0) t.dtypes = t.dtypes - DTypeSet{DType::float16};
  if (p.flag("MULACC", 0) != 0) t.ops.insert(Op::MULACC);
  return t;
}

Settings settings_of(const Program& p) {
  Settings s;
  s.noopt = p.flag("NOOPT", 0) != 0;
  s.disable_fast_idiv = p.flag("DISABLE_FAST_IDIV", 1) != 0;
  s.transcendental = p.flag("TRANSCENDENTAL", 1);
  return s;
}

void compare(Program golden, Levels& levels) {
  Program ours = golden;
  generate_program(ours, target_of(golden), settings_of(golden));
  ++levels.kernels;
  const bool result = golden.sink == ours.sink, order = same_launch(golden, ours);
  const std::string difference = first_difference(*golden.passes, *ours.passes);
  levels.result += result ? 1 : 0;
  levels.order += order ? 1 : 0;
  levels.passes += same_passes(*golden.passes, *ours.passes) ? 1 : 0;
  levels.matches += difference.empty() ? 1 : 0;
  if ((!result || !order || !difference.empty()) && levels.first.size() < 10)
    levels.first.push_back(golden.name + ": " + (ours.error ? "error: " + *ours.error : difference));
}

Levels run(const std::string& path) {
  Levels levels;
  Result<ProgramReader> reader = ProgramReader::open(path);
  if (!reader) {
    ADD_FAILURE() << reader.error().message;
    return levels;
  }
  for (std::string line;;) {
    const Result<bool> more = reader->next_line(line);
    if (!more) ADD_FAILURE() << more.error().message;
    if (!more || !*more) return levels;
    const std::unique_ptr<Store> store = symbolic::make_store();
    Result<Program> golden = read_program(line, *store);
    if (golden)
      compare(std::move(*golden), levels);
    else
      ADD_FAILURE() << golden.error().message;
  }
}

void expect_agreement(const std::string& name, const std::string& path) {
  const Levels levels = run(path);
  for (const std::string& s : levels.first) std::cout << "  " << s << "\n";
  std::cout << name << ": kernels " << levels.kernels << ", result " << levels.result << ", order " << levels.order
            << ", passes " << levels.passes << ", matches " << levels.matches << "\n";
  EXPECT_GT(levels.kernels, 0);
  EXPECT_EQ(levels.result, levels.kernels);
  EXPECT_EQ(levels.order, levels.kernels);
  EXPECT_EQ(levels.passes, levels.kernels);
  EXPECT_EQ(levels.matches, levels.kernels);
}

class KernelCorpus : public testing::TestWithParam<std::string> {};

TEST_P(KernelCorpus, AgreesWithTheReference) {
  expect_agreement(GetParam(), std::string(RANGESCOPE_GOLDEN_DIR) + "/codegen/" + GetParam() + ".jsonl.gz");
}

// What no kernel of the corpus needs: dtypes and ops that a target lacks, settings, chosen optimisations.
TEST(Kernels, OfOtherTargetsAndSettingsAgree) {
  expect_agreement("kernels", RANGESCOPE_SOURCE_DIR "/tests/codegen/data/kernels.jsonl.gz");
}

INSTANTIATE_TEST_SUITE_P(Golden, KernelCorpus,
                         testing::Values("assign", "func", "rangeify", "sched_cpu", "setitem", "softmaxf"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace rangescope::codegen
