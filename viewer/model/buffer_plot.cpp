#include "viewer/model/buffer_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "engine/ir/text.h"

namespace rangescope::viewer {

namespace {

struct Named {
  std::string name;
  int64_t bytes = 0;
};

// Names and sizes as the trace has them, by node; of a buffer on several devices the first.
Result<std::map<int64_t, Named>> namesOf(trace::Reader& reader) {
  auto rows = reader.database().prepare(
      "SELECT coalesce(node, 0), coalesce(name, ''), coalesce(bytes, 0) FROM buffers ORDER BY id");
  if (!rows) return tl::unexpected(rows.error());
  std::map<int64_t, Named> out;
  for (;;) {
    const auto more = rows->step();
    if (!more) return tl::unexpected(more.error());
    if (!*more) return out;
    out.try_emplace(rows->integer(0), Named{std::string(rows->text(1)), rows->integer(2)});
  }
}

class Lives {
 public:
  Lives(trace::Reader& reader, std::map<int64_t, Named> names) : reader_(reader), names_(std::move(names)) {}

  Result<void> use(UOp argument, size_t at);
  std::vector<BufferLife> take();

 private:
  trace::Reader& reader_;
  std::map<int64_t, Named> names_;
  std::map<std::string, BufferLife> lives_;
};

// An argument of a call is a buffer, a part of one, or one for each of several devices.
Result<void> Lives::use(UOp argument, size_t at) {
  UOps open{argument};
  while (!open.empty()) {
    UOp u = open.back();
    open.pop_back();
    if (u.is(Op::MSTACK)) {
      open.insert(open.end(), u.srcs().begin(), u.srcs().end());
      continue;
    }
    std::string part;
    int64_t count = -1;
    const int64_t size = itemsize(u.dtype());
    for (; u.in({Op::BITCAST, Op::SHRINK, Op::MSELECT}) && u.src_count() > 0; u = u.src(0)) {
      if (u.is(Op::MSELECT)) part = fmt::format("@{}{}", to_string(u.arg()), part);
      if (!u.is(Op::SHRINK) || count >= 0) continue;
      const auto pairs = u.marg_pairs();
      if (pairs.size() != 1 || !pairs[0].first.is_int() || !pairs[0].second.is_int()) continue;
      count = pairs[0].second.value;
      part = fmt::format(" [{}:{}]{}", pairs[0].first.value, pairs[0].first.value + count, part);
    }
    if (!u.in({Op::PARAM, Op::BUFFER})) continue;
    const int64_t slot = u.arg().as<ParamArg>().slot;
    const bool parameter = u.is(Op::PARAM);
    const auto named = names_.find(reader_.number_of(u));
    std::string name = named != names_.end() ? named->second.name : fmt::format("{}{}", parameter ? "p" : "b", slot);
    if (const size_t device = name.find('@'); device != std::string::npos) name.resize(device);
    BufferLife& life = lives_[name + part];
    if (life.uses++ == 0) {
      life.name = name + part;
      life.dtype = dtype_name(u.dtype());
      life.first = at;
      life.parameter = parameter;
      life.bytes = count >= 0 ? count * size : u.max_numel() * itemsize(u.dtype());
    }
    life.last = at;
  }
  return {};
}

std::vector<BufferLife> Lives::take() {
  std::vector<BufferLife> out;
  for (auto& [name, life] : lives_) out.push_back(std::move(life));
  std::ranges::stable_sort(out, [](const BufferLife& a, const BufferLife& b) {
    if (a.parameter != b.parameter) return b.parameter;
    return a.first != b.first ? a.first < b.first : a.last < b.last;
  });
  return out;
}

}  // namespace

Result<BufferPlot> bufferPlot(trace::Reader& reader) {
  const auto schedule = reader.schedule();
  if (!schedule) return tl::unexpected(schedule.error());
  const auto kernels = reader.kernels();
  if (!kernels) return tl::unexpected(kernels.error());
  auto names = namesOf(reader);
  if (!names) return tl::unexpected(names.error());
  std::map<int64_t, std::string> kernelNames;
  for (const trace::Kernel& k : *kernels) kernelNames[k.id] = k.name;
  BufferPlot plot;
  Lives lives(reader, std::move(*names));
  try {
    for (const trace::ScheduleItem& item : *schedule) {
      const auto kernel = kernelNames.find(item.kernel);
      plot.items.push_back(item.id);
      plot.kernels.push_back(kernel == kernelNames.end() ? item.kind : kernel->second);
      for (const int64_t node : item.buffers) {
        const auto u = reader.node(node);
        if (!u) return tl::unexpected(u.error());
        if (auto r = lives.use(*u, plot.items.size() - 1); !r) return tl::unexpected(r.error());
      }
    }
    plot.buffers = lives.take();
  } catch (const GraphError& e) {
    return tl::unexpected(Error{e.message()});
  }
  plot.live.resize(plot.items.size());
  for (const BufferLife& b : plot.buffers) {
    if (b.parameter) plot.parameters += b.bytes;
    const size_t from = b.parameter ? 0 : b.first, to = b.parameter ? plot.items.size() : b.last + 1;
    for (size_t i = from; i < to; ++i) plot.live[i] += b.bytes;
  }
  if (!plot.live.empty()) plot.peak = static_cast<size_t>(std::ranges::max_element(plot.live) - plot.live.begin());
  return plot;
}

std::string bytesText(int64_t bytes) {
  constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double n = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; n >= 1024 && unit + 1 < kUnits.size(); ++unit) n /= 1024;
  return fmt::format("{:.{}f} {}", n, n < 10 ? 2 : n < 100 ? 1 : 0, kUnits[unit]);
}

}  // namespace rangescope::viewer
