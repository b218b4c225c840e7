// `rangescope run-kernel T.rscope`: one kernel of a recording, on the buffers that the program computes up to it,
// beside edited GLSL or other optimisations. The window calls it, too, in a process of its own.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"
#include "app/models/npy.h"
#include "app/session/execution.h"
#include "app/session/kernel_run.h"
#include "app/trace_programs.h"
#include "engine/codegen/pipeline.h"
#include "engine/eval/evaluate.h"
#include "engine/ir/nearest_name.h"
#include "engine/rewrite/rules_off.h"
#include "engine/runtime/opts_memory.h"
#include "engine/schedule/program_run.h"
#include "engine/trace/reader.h"
#include "engine/trace/times.h"

namespace rangescope::app {

namespace {

using Json = nlohmann::ordered_json;

struct Wanted {
  trace::ScheduleItem item;
  trace::Kernel kernel;
};

// The schedule item and its kernel that the command line names.
Result<Wanted> wanted_of(const RunKernelOptions& options) {
  auto reader = trace::Reader::open(options.trace);
  if (!reader) return tl::unexpected(reader.error());
  const auto items = (*reader)->schedule();
  if (!items) return tl::unexpected(items.error());
  const auto kernels = (*reader)->kernels();
  if (!kernels) return tl::unexpected(kernels.error());
  if (kernels->empty())
    return refuse(options.trace + " has no kernels: record it with --run, so that they are generated");
  const auto kernel_of = [&](const trace::ScheduleItem& i) {
    return std::ranges::find(*kernels, i.kernel, &trace::Kernel::id);
  };
  for (const trace::ScheduleItem& i : *items) {
    const auto k = kernel_of(i);
    if (k == kernels->end()) continue;
    if (options.item != 0 ? i.id == options.item : k->name == options.kernel || options.kernel.empty())
      return Wanted{i, *k};
  }
  if (options.item != 0) return refuse(fmt::format("item {} of the schedule is no kernel", options.item));
  std::vector<std::string_view> names;
  for (const trace::Kernel& k : *kernels) names.push_back(k.name);
  std::string hint = did_you_mean(options.kernel, names);
  if (hint.empty())
    hint = fmt::format(" There are {}.", fmt::join(std::span(names).first(std::min<size_t>(8, names.size())), ", "));
  return refuse(fmt::format("there is no kernel {}.{}", options.kernel, hint));
}

Result<std::string> text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in || !text) return refuse(fmt::format("{} cannot be read", path));
  return text.str();
}

// The variants to be timed, the kernel as it was recorded first.
Result<std::vector<KernelVariant>> variants_of(const RunKernelOptions& options, const trace::Kernel& kernel) {
  std::vector<KernelVariant> out;
  KernelVariant recorded{.what = "as recorded", .glsl = {}, .global_size = {}, .opts = {}, .sizes = {}};
  if (!kernel.source.empty()) recorded.glsl = kernel.source;
  const Json size = Json::parse(kernel.global_size, nullptr, false);
  if (size.is_array() && size.size() == 3 && std::ranges::all_of(size, [](const Json& n) {
        return n.is_number_unsigned() && n.get<uint64_t>() <= UINT32_MAX;
      }))
    recorded.global_size = {size[0].get<uint32_t>(), size[1].get<uint32_t>(), size[2].get<uint32_t>()};
  out.push_back(recorded);
  for (const std::string& path : options.sources) {
    auto glsl = text_of(path);
    if (!glsl) return tl::unexpected(glsl.error());
    KernelVariant edited = recorded;
    edited.what = path;
    edited.glsl = std::move(*glsl);
    out.push_back(std::move(edited));
  }
  for (const std::string& text : options.opts) {
    auto opts = runtime::read_opts(text);
    if (!opts) return tl::unexpected(opts.error());
    out.push_back({.what = text.empty() ? "without optimisations" : text,
                   .glsl = {},
                   .global_size = {},
                   .opts = std::move(*opts),
                   .sizes = {}});
  }
  for (const std::string& text : options.sizes) {
    auto sizes = read_sizes(text);
    if (!sizes) return tl::unexpected(sizes.error());
    if (sizes->empty()) return refuse("--size: r0=128 makes the range r0 128 long");
    out.push_back({.what = text, .glsl = {}, .global_size = {}, .opts = {}, .sizes = std::move(*sizes)});
  }
  return out;
}

Result<void> save_values(const KernelRun& run, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return refuse(fmt::format("{} cannot be made: {}", folder, error.message()));
  for (size_t b = 0; b < run.buffers.size(); ++b) {
    const KernelBuffer& held = run.buffers[b];
    const auto count = static_cast<int64_t>(held.count);
    std::vector<int64_t> shape{count};
    if (held.width > 0) shape = {count / held.width, held.width};
    auto written = write_npy(fmt::format("{}/buffer{}.npy", folder, b),
                             frontend::HostArray::from_bytes(held.dtype, shape, held.bytes));
    if (!written) return written;
  }
  return {};
}

void print_json(const KernelRun& run, const runtime::Device& device, const RunKernelOptions& options) {
  Json variants = Json::array(), buffers = Json::array();
  for (const VariantTimes& v : run.variants) {
    Json j{{"what", v.what}, {"global_size", v.global_size}, {"local_size", v.local_size}};
    if (!v.failure.empty()) {
      j["failure"] = v.failure;
    } else {
      j["n"] = v.times.count;
      j["min_ns"] = v.times.min_ns;
      j["median_ns"] = v.times.median_ns;
      j["spread_ns"] = v.times.spread_ns;
      j["differing"] = v.differing;
      j["largest_difference"] = std::isfinite(v.largest_difference) ? Json(v.largest_difference) : Json("nan");
      j["samples_ns"] = v.samples_ns;
      if (v.ops) j["ops"] = *v.ops;
      if (v.bytes) j["bytes"] = *v.bytes;
    }
    j["glsl"] = v.glsl;
    variants.push_back(std::move(j));
  }
  for (size_t b = 0; b < run.buffers.size(); ++b) {
    const KernelBuffer& held = run.buffers[b];
    buffers.push_back({{"file", fmt::format("{}/buffer{}.npy", options.values, b)},
                       {"dtype", dtype_name(held.dtype)},
                       {"count", held.count},
                       {"width", held.width},
                       {"read", held.read},
                       {"written", held.written}});
  }
  const Json all{{"kernel", run.name}, {"device", device.info().name}, {"variants", variants}, {"buffers", buffers}};
  fmt::print("{}\n", all.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void print_text(const KernelRun& run, const runtime::Device& device) {
  const auto ms = [](uint64_t ns) { return static_cast<double>(ns) / 1e6; };
  const auto rate = [](const std::optional<int64_t>& amount, uint64_t ns) {
    const auto r = trace::rate(amount, static_cast<int64_t>(ns));
    return r ? fmt::format("{:.2f}", *r) : std::string("-");
  };
  fmt::print("{} on {}\n{:>12} {:>12} {:>12} {:>6} {:>9} {:>9}\n", run.name, device.info().name, "median ms",
             "spread ms", "fastest ms", "times", "GFLOP/s", "GB/s");
  for (const VariantTimes& v : run.variants) {
    if (!v.failure.empty()) {
      print_error(fmt::format("{}: {}", v.what, v.failure));
      continue;
    }
    fmt::print("{:>12.4f} {:>12.4f} {:>12.4f} {:>6} {:>9} {:>9}  {}", ms(v.times.median_ns), ms(v.times.spread_ns),
               ms(v.times.min_ns), v.times.count, rate(v.ops, v.times.median_ns), rate(v.bytes, v.times.median_ns),
               v.what);
    if (v.differing > 0) fmt::print("  ({} elements differ, by up to {:.3g})", v.differing, v.largest_difference);
    fmt::print("\n");
  }
}

}  // namespace

int run_run_kernel(const RunKernelOptions& options) {
  const auto wanted = wanted_of(options);
  if (!wanted) return failed(wanted.error());
  const auto variants = variants_of(options, wanted->kernel);
  if (!variants) return failed(variants.error());
  auto programs = programs_of_trace(options.trace);
  if (!programs) return failed(programs.error());
  switch_off(*programs->store, programs->without);
  auto device = open_device({.device = options.device});
  if (!device) return failed(device.error());
  // the items of a trace are those of its programs, one after another
  auto call = static_cast<size_t>(wanted->item.id - 1);
  for (TraceProgram& p : programs->programs) {
    const auto schedule = schedule::scheduled(p.program);
    if (!schedule) return failed(schedule.error());
    if (call >= schedule->calls.size()) {
      call -= schedule->calls.size();
      continue;
    }
    KernelRunOptions how;
    how.call = call;
    how.repeats = static_cast<uint32_t>(options.repeat);
    how.values = !options.values.empty();
    how.variables = p.variables;
    how.sharded = eval::inputs_of(p.program.root).sharded;
    const auto run = run_kernel_alone(**device, *schedule, *variants, how);
    if (!run) return failed(run.error());
    if (how.values)
      if (auto saved = save_values(*run, options.values); !saved) return failed(saved.error());
    if (options.json)
      print_json(*run, **device, options);
    else
      print_text(*run, **device);
    const bool all = std::ranges::all_of(run->variants, [](const VariantTimes& v) { return v.failure.empty(); });
    return all || options.json ? kOk : kFailed;
  }
  return failed({fmt::format("{} does not give the schedule that is recorded: it has no item {}.", options.trace,
                             wanted->item.id)});
}

}  // namespace rangescope::app
