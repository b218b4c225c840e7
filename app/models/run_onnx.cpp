#include "app/models/run_onnx.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/console.h"
#include "app/exit_code.h"
#include "app/kernel_table.h"
#include "app/models/npy.h"
#include "app/models/onnx_program.h"
#include "app/session/execution.h"
#include "engine/schedule/program_run.h"

namespace rangescope::app {

namespace {

using frontend::HostArray;

// Runs the program once for its values and then for its times.
class TimedRunner : public frontend::Runner {
 public:
  TimedRunner(runtime::Device& device, const RunSettings& settings) : device_(device), settings_(settings) {}

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
                     static_cast<uint32_t>(settings_.repeat), {}, start, settings_);
    if (!e) return tl::unexpected(e.error());
    execution = std::move(*e);
    for (size_t i = 0; i < execution.program.buffers.size(); ++i)
      if (!execution.after[i].empty())
        contents.at(static_cast<size_t>(execution.program.buffers[i].node.arg().as<ParamArg>().slot)) =
            std::move(execution.after[i]);
    return {};
  }

  Execution execution;

 private:
  runtime::Device& device_;
  const RunSettings& settings_;
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

// Names of outputs may hold what a file's name cannot.
std::string file_name(const std::string& name) {
  std::string s = name;
  for (char& c : s)
    if (c == '/' || c == '\\' || c == ':' || static_cast<unsigned char>(c) < 32) c = '_';
  return (s.empty() || s[0] == '.' ? '_' + s : s) + ".npy";
}

// The largest difference, relative to the numbers where they are larger than 1.
double difference(const HostArray& a, const HostArray& b) {
  const std::vector<double> x = a.to_doubles(), y = b.to_doubles();
  double most = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
    const double d = std::fabs(x[i] - y[i]) / std::max(1.0, std::fabs(y[i]));
    most = std::max(most, std::isnan(d) ? kInf : d);
  }
  return most;
}

}  // namespace

int run_onnx(const RunOptions& options) {
  const auto p = load_onnx(options.in);
  if (!p) return failed(p.error());
  const auto device = open_device(options.settings);
  if (!device) return failed(device.error());
  fmt::print("on {}\n", device_line(**device));
  TimedRunner runner(**device, options.settings);
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
    if (auto r = write_npy((std::filesystem::path(options.save) / file_name(name)).string(), a); !r)
      return failed(r.error());
  }
  if (!options.compare) return kOk;
  frontend::Evaluator evaluator(int64_t{200'000'000'000});
  const auto expected = frontend::run(p->program, p->inputs, evaluator);
  if (!expected) return failed({"the interpreter: " + expected.error().message});
  bool agree = true;
  for (size_t i = 0; i < values->size(); ++i) {
    const double d = difference((*values)[i], (*expected)[i]);
    agree = agree && d <= 1e-3;
    fmt::print("{}: differs from the interpreter's by {:.3g} at most\n", p->program.outputs[i].name, d);
  }
  return agree ? kOk : failed({"the device and the interpreter disagree"});
}

}  // namespace rangescope::app
