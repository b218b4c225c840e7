#pragma once
// Runs what tensors ask for: on a Vulkan device, or by the interpreter where there is none; and records it, if asked,
// as one trace of all programs that ran meanwhile. A program on several devices runs on the one that there is, each of
// its devices with buffers of its own.

#include <map>
#include <memory>
#include <string>

#include "app/session/changes.h"
#include "app/session/execution_rows.h"
#include "engine/frontend/program.h"
#include "engine/runtime/device.h"
#include "engine/runtime/executor.h"

namespace rangescope::app {

class Session : public frontend::Runner {
 public:
  // Empty: the best Vulkan device, or none; "eval": the interpreter; otherwise the number or a part of the name of a
  // device, which must be there. The device is opened by the first run.
  explicit Session(std::string device = {});
  ~Session() override;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Result<void> run(const frontend::Program& program, frontend::Contents& contents) override;

  // From here on every program that runs is recorded. `repeats` of each program's dispatches are timed. What is changed
  // holds for what is recorded alone.
  Result<void> start_recording(const std::string& path, int repeats = 10, Changes changes = {});
  bool is_recording() const { return recording_ != nullptr; }
  // Ends the recording; how many matches it holds. `failure`: why what was recorded did not end well.
  Result<int64_t> stop_recording(const std::string& failure = {});

  // Where programs run, in words.
  std::string device_name();
  // Kernels launched so far, or scheduled where the interpreter computed; copies and timed repeats apart.
  int64_t kernels_run() const { return kernels_run_; }
  size_t programs_compiled() const { return compiled_.size(); }

 private:
  struct Compiled;
  struct Recording;
  Result<runtime::Device*> device();
  static std::string key_of(const frontend::Program& program);
  int64_t kernels_scheduled(const frontend::Program& program);
  Result<Compiled*> compiled(const frontend::Program& program);
  Result<void> run_recorded(const frontend::Program& program, frontend::Contents& contents);

  std::string selector_;
  std::unique_ptr<runtime::Device> device_;
  bool looked_ = false;  // for a device
  std::map<std::string, std::unique_ptr<Compiled>> compiled_;
  std::map<std::string, int64_t> interpreted_;  // kernels of programs that the interpreter computed, by program
  std::unique_ptr<Recording> recording_;
  int64_t kernels_run_ = 0;
};

}  // namespace rangescope::app
