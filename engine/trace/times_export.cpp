// Times as CSV and as a Perfetto trace.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "engine/ir/json_reader.h"
#include "engine/trace/times.h"

namespace rangescope::trace {

namespace {

// What is said of a launch in both formats.
struct LaunchFacts {
  Launch launch;
  std::string kind, name;
};

using LaunchTable = std::map<std::pair<int64_t, int64_t>, LaunchFacts>;  // by (item, part)

Result<LaunchTable> launch_table(Reader& reader) {
  const auto kernels = reader.kernels();
  if (!kernels) return tl::unexpected(kernels.error());
  const auto schedule = reader.schedule();
  if (!schedule) return tl::unexpected(schedule.error());
  const auto launches = reader.launches();
  if (!launches) return tl::unexpected(launches.error());
  LaunchTable table;
  for (const Launch& l : *launches) {
    LaunchFacts& f = table[{l.item, l.part}];
    f.launch = l;
    const auto k = std::ranges::find(*kernels, l.kernel, &Kernel::id);
    const auto s = std::ranges::find(*schedule, l.item, &ScheduleItem::id);
    f.kind = s == schedule->end() ? "" : s->kind;
    f.name = k != kernels->end() ? k->name : l.kernel == 0 ? "copy" : f.kind;
  }
  return table;
}

std::string quoted(const std::string& s) {
  std::string out = "\"";
  for (const char c : s) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

template <class T>
std::string known(const std::optional<T>& v) {
  return v ? fmt::format("{}", *v) : std::string();
}

std::string rate_text(const std::optional<int64_t>& amount, int64_t ns) {
  const auto r = rate(amount, ns);
  return r ? fmt::format("{:.4f}", *r) : std::string();
}

}  // namespace

Result<std::string> times_csv(Reader& reader) {
  const auto table = launch_table(reader);
  if (!table) return tl::unexpected(table.error());
  const auto runs = reader.runs();
  if (!runs) return tl::unexpected(runs.error());
  std::string out =
      "run,device,item,part,kind,kernel,n,min_ns,median_ns,p95_ns,max_ns,spread_ns,first_ns,ops,bytes,access_bytes,"
      "gflop_per_s,gb_per_s\n";
  for (const Run& run : *runs) {
    const auto samples = reader.samples(run.id);
    if (!samples) return tl::unexpected(samples.error());
    for (size_t i = 0; i < samples->size();) {
      const Sample& head = (*samples)[i];
      std::vector<int64_t> ns;
      std::optional<int64_t> first;
      for (; i < samples->size() && (*samples)[i].item == head.item && (*samples)[i].part == head.part; ++i) {
        const Sample& s = (*samples)[i];
        if (!s.warm_up)
          ns.push_back(s.ns);
        else if (!first)
          first = s.ns;
      }
      const TimeStatistics t = statistics(std::move(ns));
      const auto found = table->find({head.item, head.part});
      const LaunchFacts f = found == table->end() ? LaunchFacts{} : found->second;
      out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", run.id, quoted(run.device),
                         head.item, head.part, f.kind, quoted(f.name), t.n, t.min, t.median, t.p95, t.max, t.spread,
                         known(first), known(f.launch.ops), known(f.launch.bytes), known(f.launch.access_bytes),
                         rate_text(f.launch.ops, t.median), rate_text(f.launch.bytes, t.median));
    }
  }
  return out;
}

Result<std::string> times_perfetto(Reader& reader) {
  const auto table = launch_table(reader);
  if (!table) return tl::unexpected(table.error());
  const auto runs = reader.runs();
  if (!runs) return tl::unexpected(runs.error());
  std::string out = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  bool first = true;
  const auto event = [&](const std::string& text) {
    out += (first ? "" : ",\n") + text;
    first = false;
  };
  for (const Run& run : *runs) {
    std::string device;
    append_json_string(device, run.device);
    event(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}}}}})", run.id, device));
    event(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":1,"args":{{"name":"dispatches"}}}})", run.id));
    auto samples = reader.samples(run.id);
    if (!samples) return tl::unexpected(samples.error());
    // in order of execution; without starts (format 1) one begins where the one before ends
    std::ranges::stable_sort(*samples, {}, [](const Sample& s) {
      return std::tuple(!s.warm_up, s.start_ns.value_or(0), s.start_ns ? 0 : s.repeat);
    });
    int64_t end = 0;
    for (const Sample& s : *samples) {
      const auto found = table->find({s.item, s.part});
      const LaunchFacts f = found == table->end() ? LaunchFacts{} : found->second;
      std::string name;
      append_json_string(name, f.name.empty() ? "item " + std::to_string(s.item) : f.name);
      const int64_t start = s.start_ns.value_or(end);
      end = start + s.ns;
      std::string args = fmt::format(R"("item":{},"part":{},"repeat":{})", s.item, s.part, s.repeat);
      if (f.launch.ops) args += fmt::format(",\"ops\":{}", *f.launch.ops);
      if (f.launch.bytes) args += fmt::format(",\"bytes\":{}", *f.launch.bytes);
      event(fmt::format(R"({{"ph":"X","name":{},"cat":"{}","pid":{},"tid":1,"ts":{:.3f},"dur":{:.3f},"args":{{{}}}}})",
                        name, s.warm_up ? "warm-up" : "repeat", run.id, static_cast<double>(start) / 1e3,
                        static_cast<double>(s.ns) / 1e3, args));
    }
  }
  return out + "\n]}\n";
}

}  // namespace rangescope::trace
