#include <fmt/format.h>

#include <string>
#include <vector>

#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"
#include "app/session/execution.h"
#include "engine/ir/json_reader.h"
#include "engine/runtime/measure.h"

namespace rangescope::app {

namespace {

using runtime::DeviceInfo;

std::string version(uint32_t v) {
  return fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(v), VK_API_VERSION_MINOR(v), VK_API_VERSION_PATCH(v));
}

struct Feature {
  const char* name;
  bool runtime::DeviceFeatures::*present;
};
constexpr Feature kFeatures[] = {{"float64", &runtime::DeviceFeatures::float64},
                                 {"float16", &runtime::DeviceFeatures::float16},
                                 {"int64", &runtime::DeviceFeatures::int64},
                                 {"int16", &runtime::DeviceFeatures::int16},
                                 {"int8", &runtime::DeviceFeatures::int8},
                                 {"storage16", &runtime::DeviceFeatures::storage16},
                                 {"storage8", &runtime::DeviceFeatures::storage8},
                                 {"robust_buffer_access", &runtime::DeviceFeatures::robust_buffer_access}};

std::vector<std::pair<const char*, uint64_t>> limits_of(const DeviceInfo& d) {
  const runtime::DeviceLimits& l = d.limits;
  return {{"memory_bytes", l.memory_bytes},
          {"max_allocation_bytes", l.max_allocation_bytes},
          {"max_storage_buffer_range", l.max_storage_buffer_range},
          {"max_storage_buffers", l.max_storage_buffers},
          {"storage_offset_alignment", l.storage_offset_alignment},
          {"max_push_constant_bytes", l.max_push_constant_bytes},
          {"max_shared_bytes", l.max_shared_bytes},
          {"max_workgroup_count_x", l.max_workgroup_count[0]},
          {"max_workgroup_count_y", l.max_workgroup_count[1]},
          {"max_workgroup_count_z", l.max_workgroup_count[2]},
          {"max_workgroup_size_x", l.max_workgroup_size[0]},
          {"max_workgroup_size_y", l.max_workgroup_size[1]},
          {"max_workgroup_size_z", l.max_workgroup_size[2]},
          {"max_workgroup_invocations", l.max_workgroup_invocations},
          {"max_loop_iterations", l.max_loop_iterations}};
}

struct Shown {
  DeviceInfo info;
  std::optional<runtime::DeviceRates> rates;  // of the chosen one
};

std::string json(const std::vector<Shown>& devices) {
  const auto text = [](const std::string& s) {
    std::string out;
    append_json_string(out, s);
    return out;
  };
  std::string s = "[";
  for (size_t i = 0; i < devices.size(); ++i) {
    const DeviceInfo& d = devices[i].info;
    s += fmt::format(R"({}{{"number":{},"name":{},"type":{},"driver":{},"vulkan":"{}")", i > 0 ? ",\n" : "", i,
                     text(d.name), text(std::string(runtime::device_type_name(d.type))), text(d.driver),
                     version(d.api_version));
    if (!d.unusable.empty()) s += R"(,"unusable":)" + text(d.unusable);
    s += fmt::format(R"(,"timestamp_valid_bits":{},"timestamp_period_ns":{},"features":{{)", d.timestamp_valid_bits,
                     d.timestamp_period_ns);
    for (const Feature& f : kFeatures)
      s += fmt::format(R"({}"{}":{})", s.back() == '{' ? "" : ",", f.name, d.features.*f.present);
    s += R"(},"limits":{)";
    for (const auto& [name, value] : limits_of(d))
      s += fmt::format(R"({}"{}":{})", s.back() == '{' ? "" : ",", name, value);
    s += "}";
    if (const auto& r = devices[i].rates)
      s += fmt::format(R"(,"copy_gb_per_s":{:.3f},"multiply_add_gflop_per_s":{:.3f})", r->copy.rate(),
                       r->multiply_add.rate());
    s += "}";
  }
  return s + "]\n";
}

void print(const std::vector<Shown>& devices) {
  for (size_t i = 0; i < devices.size(); ++i) {
    const DeviceInfo& d = devices[i].info;
    fmt::print("{}{}: {} ({}, {}, Vulkan {})\n", i > 0 ? "\n" : "", i, d.name, runtime::device_type_name(d.type),
               d.driver, version(d.api_version));
    if (!d.unusable.empty()) {
      fmt::print("   cannot be used: {}\n", d.unusable);
      continue;
    }
    std::string has, lacks;
    for (const Feature& f : kFeatures) (d.features.*f.present ? has : lacks) += std::string(" ") + f.name;
    fmt::print("   has:  {}\n", has);
    if (!lacks.empty()) fmt::print("   lacks:{}\n", lacks);
    fmt::print("   timestamps: {} valid bits, {} ns a tick\n", d.timestamp_valid_bits, d.timestamp_period_ns);
    for (const auto& [name, value] : limits_of(d))
      if (value != 0) fmt::print("   {:<26} {:>14}\n", name, value);
    if (const auto& r = devices[i].rates) {
      fmt::print("   copy bandwidth {:>26.2f} GB/s     ({} MiB read and written, best of {})\n", r->copy.rate(),
                 r->copy.amount >> 20, r->copy.times.count);
      fmt::print("   multiply-add, float32 {:>19.2f} GFLOP/s  (best of {})\n", r->multiply_add.rate(),
                 r->multiply_add.times.count);
    }
  }
}

Result<std::vector<Shown>> look(const DeviceOptions& options) {
  const auto instance = runtime::Instance::create();
  if (!instance) return tl::unexpected(instance.error());
  const auto found = runtime::list_devices(**instance);
  if (!found) return tl::unexpected(found.error());
  const auto chosen = runtime::choose_device(*found, options.device);
  if (!chosen) return tl::unexpected(chosen.error());
  std::vector<Shown> shown;
  for (const DeviceInfo& d : *found) shown.push_back({d, {}});
  if (!options.measure) return shown;
  for (size_t i = 0; i < shown.size(); ++i) {
    if (shown[i].info.handle != chosen->handle) continue;
    RunSettings settings;
    settings.device = std::to_string(i);
    auto device = open_device(settings);
    if (!device) return tl::unexpected(device.error());
    auto rates = runtime::measure_device(**device);
    if (!rates) return tl::unexpected(rates.error());
    shown[i].rates = *rates;
  }
  return shown;
}

}  // namespace

int run_device(const DeviceOptions& options) {
  const auto devices = look(options);
  if (!devices) return failed(devices.error());
  if (options.json)
    fmt::print("{}", json(*devices));
  else
    print(*devices);
  return kOk;
}

}  // namespace rangescope::app
