#include "viewer/model/dispatch_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rangescope::viewer {

namespace {
constexpr size_t kMostLanes = 64;  // of a run; further ones share the last
}

DispatchLane::DispatchLane(std::vector<Dispatch> dispatches) : dispatches_(std::move(dispatches)) {
  busyBefore_.reserve(dispatches_.size() + 1);
  busyBefore_.push_back(0);
  for (const Dispatch& d : dispatches_) busyBefore_.push_back(busyBefore_.back() + d.ns);
  const auto longer = [this](uint32_t a, uint32_t b) { return dispatches_[b].ns > dispatches_[a].ns ? b : a; };
  size_t below = dispatches_.size();
  while (below > kFan) {
    std::vector<uint32_t> level((below + kFan - 1) / kFan);
    for (size_t i = 0; i < below; ++i) {
      const uint32_t v = longest_.empty() ? static_cast<uint32_t>(i) : longest_.back()[i];
      level[i / kFan] = i % kFan == 0 ? v : longer(level[i / kFan], v);
    }
    below = level.size();
    longest_.push_back(std::move(level));
  }
}

size_t DispatchLane::firstFrom(double time) const {
  return static_cast<size_t>(
      std::partition_point(dispatches_.begin(), dispatches_.end(),
                           [&](const Dispatch& d) { return static_cast<double>(d.start) < time; }) -
      dispatches_.begin());
}

size_t DispatchLane::firstEnding(double time) const {
  return static_cast<size_t>(
      std::partition_point(dispatches_.begin(), dispatches_.end(),
                           [&](const Dispatch& d) { return static_cast<double>(d.end()) <= time; }) -
      dispatches_.begin());
}

size_t DispatchLane::longest(size_t first, size_t last) const {
  size_t best = first;
  const auto see = [&](size_t i) {
    if (dispatches_[i].ns > dispatches_[best].ns) best = i;
  };
  // whole blocks from the highest level that fits, single ones at the ends
  size_t i = first;
  while (i < last) {
    size_t level = 0, block = 1;
    while (level < longest_.size() && i % (block * kFan) == 0 && i + block * kFan <= last) block *= kFan, ++level;
    see(level == 0 ? i : longest_[level - 1][i / block]);
    i += block;
  }
  return best;
}

void DispatchTimeline::add(const std::string& title, std::vector<Dispatch> dispatches) {
  if (dispatches.empty()) return;
  std::ranges::stable_sort(dispatches, {}, &Dispatch::start);
  std::vector<std::vector<Dispatch>> rows;
  std::vector<int64_t> ends;
  for (const Dispatch& d : dispatches) {
    size_t row = 0;
    while (row < rows.size() && ends[row] > d.start) ++row;
    if (row == rows.size()) {
      if (rows.size() < kMostLanes) {
        rows.emplace_back();
        ends.push_back(0);
      } else {
        row = rows.size() - 1;
      }
    }
    rows[row].push_back(d);
    if (d.start < ends[row]) rows[row].back().start = ends[row];  // only where lanes ran out
    ends[row] = rows[row].back().end();
  }
  DispatchRun run{title, lanes.size(), lanes.size() + rows.size()};
  const bool first = lanes.empty();
  count += dispatches.size();
  begin = first ? dispatches.front().start : std::min(begin, dispatches.front().start);
  for (const int64_t e : ends) end = std::max(end, e);
  for (std::vector<Dispatch>& row : rows) lanes.emplace_back(std::move(row));
  runs.push_back(std::move(run));
}

Result<DispatchTimeline> dispatchTimeline(trace::Reader& reader, const std::stop_token& stop) {
  DispatchTimeline timeline;
  const auto runs = reader.runs();
  if (!runs) return tl::unexpected(runs.error());
  for (const trace::Run& run : *runs) {
    if (stop.stop_requested()) return tl::unexpected(Error{"stopped."});
    std::vector<Dispatch> dispatches;
    bool placed = true;
    const auto add = [&](const trace::Sample& s) {
      if (s.ns < 0 || s.ns > INT64_MAX / 4 || s.start_ns.value_or(0) < 0 || s.start_ns.value_or(0) > INT64_MAX / 4)
        return;
      placed = placed && s.start_ns.has_value();
      dispatches.push_back({s.start_ns.value_or(0), s.ns, static_cast<int32_t>(s.item), static_cast<int32_t>(s.part),
                            static_cast<int32_t>(s.repeat), s.warm_up});
    };
    const auto read = reader.each_sample(run.id, add);
    if (!read) return tl::unexpected(read.error());
    if (!placed) {
      timeline.placed = false;
      std::ranges::stable_sort(dispatches, [](const Dispatch& a, const Dispatch& b) {
        return std::tuple(!a.warmUp, a.repeat, a.item, a.part) < std::tuple(!b.warmUp, b.repeat, b.item, b.part);
      });
      int64_t at = 0;
      for (Dispatch& d : dispatches) {
        d.start = at;
        at += d.ns;
      }
    }
    timeline.add(fmt::format("run {}, {}", run.id, run.device), std::move(dispatches));
  }
  return timeline;
}

std::string durationText(double ns) {
  const double v = std::abs(ns);
  if (v < 999.5) return fmt::format("{:.0f} ns", ns);
  if (v < 999.5e3) return fmt::format("{:.{}f} \u00b5s", ns / 1e3, v < 9.995e3 ? 2 : v < 99.95e3 ? 1 : 0);
  if (v < 999.5e6) return fmt::format("{:.{}f} ms", ns / 1e6, v < 9.995e6 ? 2 : v < 99.95e6 ? 1 : 0);
  return fmt::format("{:.2f} s", ns / 1e9);
}

}  // namespace rangescope::viewer
