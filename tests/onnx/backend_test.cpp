// The backend tests of ONNX, as Debian packages them (libonnx-testdata): every model either gives the numbers that the
// suite expects, or is refused with the operator's name. passes.txt lists those that pass: what is in it must pass, and
// what passes and is not in it is to be added (RANGESCOPE_UPDATE=1 writes the file).
//
// RANGESCOPE_ONNX_RUNNER=eval takes the interpreter instead of Vulkan; RANGESCOPE_ONNX_ONLY=text takes only the models
// that have the text in their name, and says more of each.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "engine/frontend/program.h"
#include "engine/onnx/import.h"
#include "engine/runtime/device.h"
#include "engine/runtime/program.h"
#include "engine/schedule/create_schedule.h"
#include "engine/schedule/pipeline.h"

namespace rangescope::onnx {
namespace {

namespace fs = std::filesystem;

std::string setting(const char* name) {
  const char* v = std::getenv(name);
  return v == nullptr ? "" : v;
}

class OnDevice : public frontend::Runner {
 public:
  explicit OnDevice(runtime::Device& device) : device_(device) {}

  Result<void> run(const frontend::Program& p, frontend::Contents& contents) override {
    if (p.root.src_count() == 0) return {};
    const Result<UOp> graph = schedule::get_kernel_graph(p.root);
    if (!graph) return tl::unexpected(graph.error());
    const auto schedule = schedule::create_schedule(*graph);
    if (!schedule) return tl::unexpected(schedule.error());
    runtime::ProgramOptions options;
    options.target = runtime::target_for(device_.info());
    options.glsl.max_loop_iterations = device_.info().limits.max_loop_iterations;
    options.variables = p.variables;
    const auto program = runtime::build_program(*schedule, options);
    if (!program) return tl::unexpected(program.error());
    auto executor = runtime::load_program(device_, *program);
    if (!executor) return tl::unexpected(executor.error());
    const auto slot = [&](size_t i) { return static_cast<size_t>(program->buffers[i].node.arg().as<ParamArg>().slot); };
    for (size_t i = 0; i < program->buffers.size(); ++i)
      if (program->buffers[i].is_parameter())
        if (auto r = executor->upload(static_cast<uint32_t>(i), contents.at(slot(i))); !r) return r;
    if (auto r = executor->run(program->dispatches); !r) return tl::unexpected(r.error());
    for (size_t i = 0; i < program->buffers.size(); ++i)
      if (program->buffers[i].is_parameter())
        if (auto r = executor->download(static_cast<uint32_t>(i), contents.at(slot(i))); !r) return r;
    return {};
  }

 private:
  runtime::Device& device_;
};

enum class Outcome : uint8_t { Passes, Refused, Wrong };
struct Verdict {
  Outcome outcome = Outcome::Passes;
  std::string why;
};
Verdict refused(std::string why) {
  return {Outcome::Refused, std::move(why)};
}
Verdict wrong(std::string why) {
  return {Outcome::Wrong, std::move(why)};
}

std::string shape_text(const std::vector<int64_t>& s) {
  return fmt::format("({})", fmt::join(s, ", "));
}

// As the suite compares: |got - want| <= 1e-5 + 1e-3 |want|.
std::string difference(const HostArray& got, const HostArray& want) {
  if (got.dtype != want.dtype)
    return fmt::format("is {} and should be {}", dtype_name(got.dtype), dtype_name(want.dtype));
  if (got.shape != want.shape)
    return fmt::format("is of shape {} and should be {}", shape_text(got.shape), shape_text(want.shape));
  const std::vector<double> a = got.to_doubles(), b = want.to_doubles();
  for (size_t i = 0; i < a.size(); ++i) {
    const bool both_nan = std::isnan(a[i]) && std::isnan(b[i]);
    if (both_nan || a[i] == b[i] || std::fabs(a[i] - b[i]) <= 1e-5 + 1e-3 * std::fabs(b[i])) continue;
    return fmt::format("is {} at {} and should be {}", a[i], i, b[i]);
  }
  return "";
}

// The suite keeps bfloat16 as the uint16 of its bits.
HostArray as_declared(HostArray a, const ValueInfo& info) {
  if (info.dtype == DType::bfloat16 && a.dtype == DType::uint16) a.dtype = DType::bfloat16;
  return a;
}

std::vector<fs::path> files_of(const fs::path& set, const std::string& prefix) {
  std::vector<fs::path> out;
  for (int i = 0;; ++i) {
    const fs::path p = set / fmt::format("{}_{}.pb", prefix, i);
    if (!fs::exists(p)) return out;
    out.push_back(p);
  }
}

Verdict try_set(const Model& model, const fs::path& set, frontend::Runner& runner) {
  ImportOptions options;
  const auto inputs = files_of(set, "input"), outputs = files_of(set, "output");
  for (size_t i = 0; i < inputs.size() && i < model.graph.inputs.size(); ++i) {
    const ValueInfo& info = model.graph.inputs[i];
    const auto value = read_value(inputs[i].string(), info.kind);
    if (!value) return wrong(value.error().message);
    const bool good = std::ranges::all_of(value->tensors, [](const TensorData& t) { return t.problem.empty(); });
    if (!value->present || !good) continue;
    if (value->is_sequence) {
      auto& all = options.sequences[info.name];
      for (const TensorData& t : value->tensors) all.push_back(t.array);
    } else {
      options.inputs[info.name] = as_declared(value->tensors.at(0).array, info);
    }
  }
  const auto context = frontend::Context::create();
  const auto imported = import_model(*context, model, options);
  if (!imported) return refused(imported.error().message);
  std::vector<std::pair<std::string, frontend::Tensor>> named;
  for (const ModelOutput& o : imported->outputs) named.emplace_back(o.name, o.tensor);
  const auto program = frontend::make_program(*context, named);
  if (!program) return wrong("no program: " + program.error().message);
  const auto got = frontend::run(*program, options.inputs, runner);
  if (!got) return wrong("does not run: " + got.error().message);
  std::vector<HostArray> want;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto value = read_value(outputs[i].string(), model.graph.outputs.at(i).kind);
    if (!value) return wrong(value.error().message);
    for (const TensorData& t : value->tensors) {
      if (!t.problem.empty()) return wrong(t.problem);
      want.push_back(as_declared(t.array, model.graph.outputs.at(i)));
    }
  }
  if (want.size() != got->size()) return wrong(fmt::format("{} results instead of {}", got->size(), want.size()));
  for (size_t i = 0; i < want.size(); ++i)
    if (const std::string d = difference((*got)[i], want[i]); !d.empty()) return wrong(named[i].first + ' ' + d);
  return {};
}

Verdict try_model(const fs::path& folder, frontend::Runner& runner) {
  const auto model = read_model((folder / "model.onnx").string());
  if (!model) return refused(model.error().message);
  for (int i = 0;; ++i) {
    const fs::path set = folder / fmt::format("test_data_set_{}", i);
    if (!fs::exists(set)) return i > 0 ? Verdict{} : wrong("no data");
    if (Verdict v = try_set(*model, set, runner); v.outcome != Outcome::Passes) return v;
  }
}

std::set<std::string> lines_of(const std::string& path) {
  std::ifstream in(path);
  std::set<std::string> out;
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) out.insert(line);
  return out;
}

// Models whose expected numbers are not what the operators' definition says. They must differ, so that one that is
// repaired is noticed.
const std::map<std::string, std::string> kContradictory{
    {"node/test_adam_multiple", "the numbers are for epsilon=0.01, which the model leaves out: the default is 1e-6"},
    {"node/test_cast_FLOAT_to_BFLOAT16", "the numbers are cut off, where a cast rounds to the nearest"},
};

TEST(OnnxBackend, EveryModelPassesOrIsRefusedByName) {
  const fs::path data(RANGESCOPE_ONNX_DATA);
  ASSERT_TRUE(fs::exists(data / "node")) << "install libonnx-testdata: there is no " << data;
  std::unique_ptr<runtime::Device> device;
  std::unique_ptr<frontend::Runner> runner;
  if (setting("RANGESCOPE_ONNX_RUNNER") == "eval") {
    runner = std::make_unique<frontend::Evaluator>();
  } else {
    auto opened = runtime::Device::open({});
    ASSERT_TRUE(opened) << opened.error().message;
    device = std::move(*opened);
    runner = std::make_unique<OnDevice>(*device);
  }
  const std::string only = setting("RANGESCOPE_ONNX_ONLY");
  std::vector<std::string> models;
  for (const char* suite : {"node", "pytorch-converted", "pytorch-operator", "simple"})
    for (const auto& entry : fs::directory_iterator(data / suite))
      if (fs::exists(entry.path() / "model.onnx"))
        models.push_back(std::string(suite) + '/' + entry.path().filename().string());
  std::ranges::sort(models);
  EXPECT_EQ(models.size(), 1072U);
  const std::set<std::string> before = lines_of(RANGESCOPE_ONNX_PASSES);
  std::set<std::string> passes;
  std::string report;
  size_t refusals = 0, wrongs = 0;
  for (const std::string& name : models) {
    if (!only.empty() && name.find(only) == std::string::npos) continue;
    if (!only.empty()) fmt::print("{}\n", name);
    Verdict v = try_model(data / name, *runner);
    if (const auto it = kContradictory.find(name); it != kContradictory.end()) {
      EXPECT_EQ(v.outcome, Outcome::Wrong) << name << " passes now";
      v = refused("contradictory: " + it->second);
    }
    report += fmt::format("{} {} {}\n",
                          v.outcome == Outcome::Passes    ? "passes "
                          : v.outcome == Outcome::Refused ? "refused"
                                                          : "WRONG  ",
                          name, v.why);
    if (v.outcome == Outcome::Passes) passes.insert(name);
    refusals += v.outcome == Outcome::Refused ? 1 : 0;
    wrongs += v.outcome == Outcome::Wrong ? 1 : 0;
    if (v.outcome == Outcome::Wrong) ADD_FAILURE() << name << ": " << v.why;
    if (v.outcome != Outcome::Passes && before.contains(name)) ADD_FAILURE() << name << " no longer passes: " << v.why;
  }
  fmt::print("{} pass, {} are refused, {} are wrong\n", passes.size(), refusals, wrongs);
  std::ofstream("onnx_backend_report.txt") << report;
  if (!only.empty()) return;
  if (setting("RANGESCOPE_UPDATE") == "1") {
    std::ofstream out(RANGESCOPE_ONNX_PASSES);
    for (const std::string& p : passes) out << p << '\n';
    return;
  }
  for (const std::string& p : passes)
    EXPECT_TRUE(before.contains(p)) << p << " passes: add it to passes.txt (RANGESCOPE_UPDATE=1 does)";
}

}  // namespace
}  // namespace rangescope::onnx
