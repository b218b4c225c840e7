#pragma once
// What a trace was recorded from, to record it again.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/session/changes.h"
#include "engine/ir/program.h"
#include "engine/ir/store.h"

namespace rangescope::app {

bool is_trace(const std::string& path);

struct TraceProgram {
  Program program;
  std::map<std::string, int64_t> variables;
};

struct TracePrograms {
  std::unique_ptr<Store> store;
  std::string name, suite;
  std::vector<TraceProgram> programs;  // in the order in which they were scheduled; all in the store
  std::vector<std::string> without;    // rules that were off
};

// The graphs that scheduling began with, with where they came from. What their buffers held is not in a trace.
Result<TracePrograms> programs_of_trace(const std::string& path);

}  // namespace rangescope::app
