#pragma once
// Kernels, their schedule and their times as rows of a trace. Node numbers come from Recorder::node or
// Reader::number_of.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/trace/database.h"

namespace rangescope::trace {

struct KernelRow {
  int64_t id = 0, ast = 0, section = 0, sink = 0;
  std::string name, source, disassembly;
  std::vector<int64_t> linear;
  std::vector<uint32_t> spirv;
  std::string global_size, local_size;  // JSON arrays
  int64_t ops = 0, bytes = 0;           // of one launch; 0: not known
};

struct BufferRow {
  int64_t id = 0, node = 0;
  std::string name, dtype;
  int64_t count = 0, bytes = 0;
};

struct ScheduleRow {
  int64_t id = 0;
  std::string kind;
  int64_t ast = 0, kernel = 0;
  std::vector<int64_t> buffers;
};

struct CompileRow {
  int64_t kernel = 0, codegen_ns = 0, glsl_ns = 0, pipeline_ns = 0, first_dispatch_ns = 0;
};

struct DispatchRow {
  int64_t item = 0, repeat = 0, ns = 0;
  bool warm_up = false;
};

struct RunRow {
  std::string device, driver;
  double timestamp_period_ns = 0;
  int64_t warm_ups = 0, repeats = 0, submit_ns = 0, wait_ns = 0;
  std::vector<CompileRow> compiles;
  std::vector<DispatchRow> dispatches;
};

Result<void> insert_kernels(Database& db, const std::vector<KernelRow>& rows);
Result<void> insert_buffers(Database& db, const std::vector<BufferRow>& rows);
Result<void> insert_schedule(Database& db, const std::vector<ScheduleRow>& rows);
Result<void> insert_run(Database& db, const RunRow& run);

}  // namespace rangescope::trace
