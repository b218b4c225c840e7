// Small graphs for the rules that no program of the golden corpus makes fire, through one pass each, match by match.
// data/pass_cases.jsonl.gz is written by data/generate_pass_cases.py.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "engine/ir/program.h"
#include "engine/ir/text.h"
#include "engine/rewrite/driver.h"
#include "engine/rewrite/pass_recorder.h"
#include "engine/schedule/contiguous_view.h"
#include "engine/schedule/copy_to_store.h"
#include "engine/schedule/earliest_rewrites.h"
#include "engine/schedule/fold_moved_after.h"
#include "engine/schedule/indexing_calls.h"
#include "engine/schedule/movement_ops.h"
#include "engine/schedule/program_run.h"
#include "engine/schedule/remove_bufferize.h"
#include "engine/schedule/split_kernels.h"
#include "engine/schedule/stage_to_store.h"
#include "engine/symbolic/make_store.h"
#include "engine/symbolic/range.h"

namespace rangescope::schedule {
namespace {

void run(const std::string& suite, UOp root) {
  RewriteOptions options;
  options.name = suite;
  if (suite == "contiguous_view") {
    contiguous_view(root);
  } else if (suite == "pm_fold_moved_after") {
    NodeMap stored;
    options.context = &stored;
    graph_rewrite(root, pm_fold_moved_after(), options);
  } else if (suite == "earliest rewrites") {
    options.bottom_up = true;
    graph_rewrite(root, RuleSet("earliest rewrites", {&pm_mops(), &earliest_rewrites()}), options);
  } else if (suite == "pm_const_buffer_folding") {
    graph_rewrite(root, pm_const_buffer_folding(), options);
  } else if (suite == "pm_add_buffers") {
    SlotCounter slots;
    options.context = &slots;
    options.bottom_up = true;
    graph_rewrite(root, pm_add_buffers(), options);
  } else if (suite == "kernel split") {
    LocalContext local;
    options.context = &local;
    options.bottom_up = true;
    const RuleSet rules("kernel split", {&to_define_global(), &symbolic::pm_flatten_range(), &rangeify_codegen()});
    graph_rewrite(root, rules, options);
  } else if (suite == "pm_no_indexing_calls") {
    graph_rewrite(root, pm_no_indexing_calls(), options);
  } else {
    FAIL() << "no pass is called " << suite;
  }
}

std::string text(UOp u) {
  return u ? pretty_print(u) : "nothing";
}

void expect_same(const PassRecord& expected, const PassRecord& seen, const std::string& where) {
  EXPECT_EQ(seen.name, expected.name) << where;
  EXPECT_EQ(seen.depth, expected.depth) << where;
  EXPECT_EQ(seen.bottom_up, expected.bottom_up) << where;
  EXPECT_TRUE(seen.input == expected.input) << where << ": input\n" << text(seen.input);
  for (size_t i = 0; i < std::max(expected.matches.size(), seen.matches.size()); ++i) {
    ASSERT_LT(i, expected.matches.size()) << where << ": more matches, " << seen.matches[i].rule;
    ASSERT_LT(i, seen.matches.size()) << where << ": fewer matches, without " << expected.matches[i].rule;
    const MatchRecord &e = expected.matches[i], &s = seen.matches[i];
    ASSERT_TRUE(s.rule == e.rule && s.before == e.before && s.after == e.after)
        << where << ": match " << i << " of " << s.rule << " instead of " << e.rule << " on\n"
        << text(s.before) << "\ngives\n"
        << text(s.after) << "\ninstead of\n"
        << text(e.after);
  }
  EXPECT_TRUE(seen.output == expected.output) << where << ": output\n" << text(seen.output);
}

TEST(PassCases, AgreeWithTheReference) {
  Result<ProgramReader> reader = ProgramReader::open(RANGESCOPE_SOURCE_DIR "/tests/schedule/data/pass_cases.jsonl.gz");
  ASSERT_TRUE(reader) << reader.error().message;
  int cases = 0;
  while (true) {
    const auto store = symbolic::make_store();
    Result<std::optional<Program>> read = reader->next(*store);
    ASSERT_TRUE(read) << read.error().message;
    if (!*read) break;
    const Program& expected = **read;
    const std::string name = expected.suite + ", " + expected.name;
    apply_settings(expected, *store);
    PassRecorder recorder;
    try {
      const ObserverScope scope(*store, recorder);
      run(expected.suite, expected.root);
    } catch (const GraphError& e) {
      ADD_FAILURE() << name << ": " << e.message();
    }
    ASSERT_EQ(recorder.passes.size(), expected.passes->size()) << name;
    for (size_t i = 0; i < recorder.passes.size(); ++i)
      expect_same((*expected.passes)[i], recorder.passes[i], fmt::format("{}, pass {}", name, i));
    ++cases;
  }
  EXPECT_GE(cases, 76);
}

}  // namespace
}  // namespace rangescope::schedule
