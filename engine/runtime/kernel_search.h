#pragma once
// A measured search over a kernel's optimisations (reference: codegen/opt/search.py, beam_search): every kernel of the
// beam with one more optimisation, compiled and timed on the device; the fastest go on, until none is faster.

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/runtime/device.h"
#include "engine/runtime/opts_memory.h"
#include "engine/runtime/pipeline_cache.h"
#include "engine/runtime/program_kernel.h"
#include "engine/schedule/create_schedule.h"

namespace rangescope::runtime {

struct SearchOptions {
  uint32_t width = 1;                                          // kernels that a round goes on from
  std::chrono::nanoseconds budget = std::chrono::seconds(60);  // of a kernel; then the best so far counts
  std::filesystem::path cache_folder = user_cache_folder();    // where what is found is kept; empty: nowhere
  std::vector<codegen::Optimizer> starts = {};                 // that the search begins with, besides no optimisation
};

struct SearchResult {
  FoundOpts found;
  uint32_t measured = 0;    // kernels that were timed
  bool remembered = false;  // from an earlier search
  std::string note;         // what went wrong without harm: it could not be kept
};

class KernelSearch {
 public:
  // `program` says what code is generated for; its optimiser is not asked.
  KernelSearch(Device& device, ProgramOptions program, SearchOptions options);

  // None: the AST leaves nothing to choose.
  Result<std::optional<SearchResult>> best(UOp ast);
  // What is known of a schedule's time as a whole, beside that of kernels. Nothing goes wrong where it cannot be kept.
  std::optional<uint64_t> known_time(const schedule::Schedule& schedule) const;
  void keep_time(const schedule::Schedule& schedule, uint64_t ns);

  Device& device() { return *device_; }
  const ProgramOptions& program_options() const { return program_; }
  // ProgramOptions::choose_opts by this search, to which it keeps a pointer. `said` is told of each kernel, in words.
  std::function<Result<std::optional<std::vector<OptArg>>>(UOp ast)> chooser(
      std::function<void(const std::string& line)> said);

 private:
  Device* device_;
  ProgramOptions program_;
  SearchOptions options_;
  OptsMemory memory_;
};

}  // namespace rangescope::runtime
