#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/runtime/buffer.h"
#include "engine/runtime/commands.h"
#include "engine/runtime/kernel.h"
#include "engine/runtime/launch.h"
#include "engine/runtime/launch_plan.h"
#include "engine/runtime/report.h"
#include "engine/runtime/transfer.h"

namespace rangescope::runtime {

struct ExecutorOptions {
  std::filesystem::path cache_folder = user_cache_folder();      // of compiled pipelines; empty: none is kept
  std::chrono::nanoseconds timeout = std::chrono::seconds(120);  // of uploads and downloads
};

// After the pass that gives the values come `warmup` untimed and `repeat` timed ones.
struct RunOptions {
  uint32_t warmup = 0;
  uint32_t repeat = 0;
  bool timestamps = true;
  // Nothing overlaps the dispatch being timed. False: only dependent dispatches wait for each other, as in production.
  bool isolate = true;
  // Each pass is one submit, and one that takes longer is given up; see Commander::submit.
  std::chrono::nanoseconds timeout = std::chrono::seconds(120);
  // Repeats stop early, after one at least, once they have taken this long together; zero: never.
  std::chrono::nanoseconds repeat_budget{0};
};

// Compiled kernels and their buffers on a device, and the runs over them. Buffers start as zeros.
//
// Values and repeats: every pass of a run starts from the same contents. What the dispatches update in place is copied
// before the first pass and put back before each later one (outside the timed part), so after the run the buffers hold
// what one pass computes, however often it was repeated, and every repeat does the same work. It needs memory for a
// second copy of those buffers, only when there are repeats. It relies on Access: a kernel that leaves a part of a
// buffer as it was must say `read_write`, not `write`.
class Executor {
 public:
  static Result<Executor> create(Device& device, std::vector<KernelSource> kernels, std::span<const BufferDesc> buffers,
                                 const ExecutorOptions& options = {});

  // One more kernel over the same buffers, for the dispatches of later runs; its number.
  Result<uint32_t> add_kernel(KernelSource kernel);

  // Exactly the buffer's bytes.
  Result<void> upload(uint32_t buffer, std::span<const std::byte> bytes);
  Result<void> download(uint32_t buffer, std::span<std::byte> bytes);

  // Runs all dispatches in order. An error leaves other executors usable, and this one too unless the device was lost.
  Result<RunReport> run(std::span<const Dispatch> dispatches, const RunOptions& options = {});

  const std::vector<KernelReport>& kernels() const { return reports_; }
  // What went wrong without harm, in words for the user: the pipeline cache could not be written.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  Executor(Device& device, ExecutorOptions options)
      : device_(&device), options_(std::move(options)), transfer_(device) {}

  Result<void> build_kernels(std::vector<KernelSource> kernels);
  Result<void> create_buffers(std::span<const BufferDesc> buffers);
  Result<void> clear_buffers();
  Result<void> check_range(uint32_t buffer, size_t bytes) const;

  Device* device_;
  ExecutorOptions options_;
  std::optional<PipelineCache> cache_;
  std::vector<Kernel> kernels_;
  std::vector<KernelReport> reports_;
  std::vector<std::string> notes_;
  std::optional<MemoryArena> arena_;
  std::vector<Buffer> buffers_;
  std::optional<Commander> commander_;
  Transfer transfer_;
};

}  // namespace rangescope::runtime
