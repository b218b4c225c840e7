// Every pass of every program of the golden corpus: all its matches, applied to its input in one walk, give its
// output, and half of them give some graph.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/rewrite/pass_recorder.h"
#include "engine/schedule/program_run.h"
#include "engine/symbolic/make_store.h"
#include "engine/trace/step.h"

namespace rangescope::trace {

namespace {

struct File {
  const char* name;
  int passes;  // that ended
};

class CorpusSteps : public testing::TestWithParam<File> {};

TEST_P(CorpusSteps, AllMatchesLeadToTheOutput) {
  const File& file = GetParam();
  Result<ProgramReader> reader =
      ProgramReader::open(fmt::format("{}/schedule/{}.jsonl.gz", RANGESCOPE_GOLDEN_DIR, file.name));
  ASSERT_TRUE(reader) << reader.error().message;
  int programs = 0, passes = 0, right = 0, shown = 0;
  size_t matches = 0;
  while (true) {
    const std::unique_ptr<Store> store = symbolic::make_store();
    Result<std::optional<Program>> read = reader->next(*store, ReadWhat::Input);
    ASSERT_TRUE(read) << read.error().message;
    if (!*read) break;
    Program& program = **read;
    schedule::schedule_program(program);
    ++programs;
    for (const PassRecord& pass : *program.passes) {
      if (!pass.input || !pass.output) continue;  // it groups others, or it was refused
      std::vector<std::pair<UOp, UOp>> map;
      for (const MatchRecord& m : pass.matches) map.emplace_back(m.before, m.after);
      const PassRules rules{.bottom_up = pass.bottom_up, .walk = pass.walk, .enter_calls = pass.enter_calls};
      const Result<UOp> end = graph_after(pass.input, map, rules);
      EXPECT_TRUE(graph_after(pass.input, std::span(map).first(map.size() / 2), rules))
          << program.name << ": " << pass.name;
      ++passes;
      matches += map.size();
      if (end && *end == pass.output) {
        ++right;
      } else if (shown++ < 5) {
        fmt::print("  {}: pass {} of {} matches (bottom_up {}, walk {}): {}\n", program.name, pass.name, map.size(),
                   pass.bottom_up, pass.walk, end ? "another graph" : end.error().message);
      }
    }
  }
  fmt::print("{}: programs {}  passes {}  matches {}  right {}/{}\n", file.name, programs, passes, matches, right,
             passes);
  EXPECT_EQ(right, passes);
  EXPECT_EQ(passes, file.passes);
}

INSTANTIATE_TEST_SUITE_P(Trace, CorpusSteps,
                         testing::Values(File{"allreduce", 376}, File{"assign", 2302}, File{"func", 1448},
                                         File{"models", 1686}, File{"multi", 4175}, File{"multi_null", 263},
                                         File{"rangeify", 442}, File{"real", 679}, File{"sched_cpu", 1078},
                                         File{"sched_null", 5678}, File{"setitem", 1763}, File{"softmaxf", 803},
                                         File{"variants", 4963}, File{"winoatt", 463}),
                         [](const testing::TestParamInfo<File>& info) { return info.param.name; });

}  // namespace

}  // namespace rangescope::trace
