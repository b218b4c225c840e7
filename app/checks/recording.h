#pragma once
// What happened to a program, pass by pass and match by match, wherever it was written down: scheduled just now, kept
// in a file of programs, or in a trace.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/ir/program.h"
#include "engine/rewrite/observer.h"
#include "engine/trace/reader.h"

namespace rangescope::app {

struct RecordedMatch {
  UOp before, after;  // no after: the rule raised
  std::string rule;   // its name, or its place in the reference where no name is known
};

struct RecordedPass {
  int64_t number = 0;  // from 1, groups included: as `rangescope info` numbers them
  int64_t depth = 0;
  std::string name;
  bool bottom_up = false, walk = false, enter_calls = false;
  UOp input, output;  // none: the pass only groups others; no output: it did not end
  std::vector<RecordedMatch> matches;
};

struct Recording {
  std::vector<RecordedPass> passes;
  UOp kernel_graph;
  std::vector<ScheduledKernel> schedule;
  std::string error;  // why scheduling was refused, if it was
};

// An observer that keeps all of it.
class PassLog : public RewriteObserver {
 public:
  void pass_begin(const PassInfo& info, UOp root) override;
  void rule_matched(const Rule& rule, UOp before, UOp after, uint64_t nanoseconds) override;
  void rule_raised(const Rule& rule, UOp before, std::string_view message) override;
  void pass_end(UOp root) override;
  std::vector<RecordedPass> passes;

 private:
  std::vector<size_t> open_;
};

// Schedules the program.
Recording record_schedule(Program& program);
// What the program's line says of an earlier run.
Result<Recording> recording_of(const Program& program);
Result<Recording> recording_of(trace::Reader& reader);

}  // namespace rangescope::app
