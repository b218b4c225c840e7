#pragma once
// Kernels, their schedule and their times as rows of a trace. Node numbers come from Recorder::node or
// Reader::number_of.

#include <cstdint>
#include <optional>
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
  std::optional<int64_t> ops, bytes;    // of its first launch
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

// One dispatch of a schedule item; a precompiled call has several, `part` counts them from 0.
struct LaunchRow {
  int64_t item = 0, part = 0;
  int64_t kernel = 0;                               // 0: a copy
  std::optional<int64_t> ops, bytes, access_bytes;  // what it does; none: not known
};

// A time of a launch on the device. `start_ns` counts from the run's first timestamp.
struct DispatchRow {
  int64_t item = 0, part = 0, repeat = 0, ns = 0;
  bool warm_up = false;
  std::optional<int64_t> start_ns = {};
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
Result<void> insert_launches(Database& db, const std::vector<LaunchRow>& rows);
Result<void> insert_run(Database& db, const RunRow& run);

}  // namespace rangescope::trace
