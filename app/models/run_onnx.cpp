#include "app/models/models.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "app/console.h"
#include "app/exit_code.h"
#include "app/kernel_table.h"
#include "app/models/npy.h"
#include "app/models/onnx_program.h"
#include "app/session/execution.h"
#include "app/session/verify_run.h"
#include "app/verdict_line.h"
#include "engine/schedule/program_run.h"

namespace rangescope::app {

namespace {

using frontend::HostArray;

// Runs the program once for its values and then for its times.
class TimedRunner : public frontend::Runner {
 public:
  TimedRunner(runtime::Device& device, const RunSettings& settings, bool verifies)
      : device_(device), settings_(settings), verifies_(verifies) {}

  Result<void> run(const frontend::Program& p, frontend::Contents& contents) override {
    if (p.root.src_count() == 0) return {};
    Program program;
    program.root = p.root;
    program.flags = settings_of_models();
    const auto schedule = schedule::scheduled(program);
    if (!schedule) return tl::unexpected(schedule.error());
    StartValues start;
    start.variables = p.variables;
    for (size_t i = 0; i < contents.size(); ++i) start.contents[static_cast<int64_t>(i)] = contents[i];
    auto e = execute(device_, *schedule, static_cast<uint32_t>(settings_.warm_up),
                     static_cast<uint32_t>(settings_.repeat), {}, start, settings_, &program);
    if (!e) return tl::unexpected(e.error());
    execution = std::move(*e);
    if (verifies_) verdict = verify_run(device_, p.root, execution, p.variables, limits_of_verification());
    for (auto& [slot, bytes] : runtime::contents_by_slot(execution.program, execution.after))
      contents.at(static_cast<size_t>(slot)) = std::move(bytes);
    return {};
  }

  Execution execution;
  Result<RunVerdict> verdict;

 private:
  runtime::Device& device_;
  const RunSettings& settings_;
  bool verifies_;
};

std::string numbers(const HostArray& a) {
  const std::vector<double> v = a.to_doubles();
  if (v.empty()) return "empty";
  std::string s;
  for (size_t i = 0; i < v.size() && i < 6; ++i) s += fmt::format("{}{:.6g}", i > 0 ? ", " : "", v[i]);
  if (v.size() <= 6) return s;
  const auto [low, high] = std::ranges::minmax_element(v);
  double sum = 0;
  for (const double x : v) sum += x;
  return fmt::format("{}, ...  least {:.6g}, greatest {:.6g}, mean {:.6g}", s, *low, *high,
                     sum / static_cast<double>(v.size()));
}

}  // namespace

int run_onnx(const RunOptions& options) {
  const auto p = load_onnx(options.in);
  if (!p) return failed(p.error());
  const auto device = open_device(options.settings);
  if (!device) return failed(device.error());
  fmt::print("on {}\n", device_line(**device));
  TimedRunner runner(**device, options.settings, options.verify);
  const auto values = frontend::run(p->program, p->inputs, runner);
  if (!values) return failed({fmt::format("{}: {}", options.in.path, values.error().message)});
  if (!runner.execution.report.dispatches.empty()) print_times(runner.execution);
  fmt::print("\n");
  for (const onnx::ModelInput& i : p->import.inputs) {
    if (i.decides_shapes)
      fmt::print("{}: its value decides shapes and is part of the program\n", i.name);
    else if (std::ranges::find(p->filled, i.name) != p->filled.end())
      fmt::print("{}: not given, filled with {}\n", i.name, is_float(i.dtype) ? "numbers from 0 to 1" : "zeros");
  }
  std::error_code made;
  if (!options.save.empty()) std::filesystem::create_directories(options.save, made);
  for (size_t i = 0; i < values->size(); ++i) {
    const HostArray& a = (*values)[i];
    const std::string& name = p->program.outputs[i].name;
    fmt::print("{} {} ({}): {}\n", name, dtype_name(a.dtype), fmt::join(a.shape, ", "), numbers(a));
    if (options.save.empty()) continue;
    if (auto r = write_npy((std::filesystem::path(options.save) / npy_name(name)).string(), a); !r)
      return failed(r.error());
  }
  if (!options.verify) return kOk;
  return print_verdict(options.in.path, runner.verdict) ? kOk : kFailed;
}

}  // namespace rangescope::app
