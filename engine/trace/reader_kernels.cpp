// Kernels, schedule, runs and times of a trace.

#include <algorithm>
#include <map>
#include <tuple>

#include "engine/trace/each_row.h"
#include "engine/trace/reader.h"

namespace rangescope::trace {

namespace {

std::optional<int64_t> known(const Statement& s, int column) {
  return s.is_null(column) ? std::nullopt : std::optional(s.integer(column));
}

}  // namespace

Result<std::vector<Kernel>> Reader::kernels() {
  std::vector<Kernel> out;
  const auto r =
      each_row(*db_,
               "SELECT id, coalesce(ast,0), coalesce(section,0), coalesce(sink,0), name, coalesce(source,''), "
               "coalesce(disassembly,''), coalesce(global_size,''), coalesce(local_size,''), ops, bytes "
               "FROM kernels ORDER BY id",
               [&](const Statement& s) -> Result<void> {
                 out.push_back({s.integer(0), s.integer(1), s.integer(2), s.integer(3), std::string(s.text(4)),
                                std::string(s.text(5)), std::string(s.text(6)), std::string(s.text(7)),
                                std::string(s.text(8)), known(s, 9), known(s, 10)});
                 return {};
               });
  if (!r) return tl::unexpected(r.error());
  return out;
}

Result<std::vector<ScheduleItem>> Reader::schedule() {
  std::vector<ScheduleItem> out;
  const auto r = each_row(
      *db_, "SELECT id, kind, coalesce(ast,0), coalesce(kernel,0), coalesce(buffers,'[]') FROM schedule ORDER BY id",
      [&](const Statement& s) -> Result<void> {
        ScheduleItem item{s.integer(0), std::string(s.text(1)), s.integer(2), s.integer(3), {}};
        int64_t value = -1;
        for (const char c : s.text(4)) {
          if (c >= '0' && c <= '9') {
            value = std::min<int64_t>((value < 0 ? 0 : value) * 10 + (c - '0'), INT64_MAX / 100);
          } else if (value >= 0) {
            item.buffers.push_back(value);
            value = -1;
          }
        }
        out.push_back(std::move(item));
        return {};
      });
  if (!r) return tl::unexpected(r.error());
  return out;
}

Result<std::vector<Run>> Reader::runs() {
  std::vector<Run> out;
  const auto r = each_row(
      *db_,
      "SELECT id, device, coalesce(driver,''), coalesce(warm_ups,0), coalesce(repeats,0), coalesce(submit_ns,0), "
      "coalesce(wait_ns,0) FROM runs ORDER BY id",
      [&](const Statement& s) -> Result<void> {
        out.push_back({s.integer(0), std::string(s.text(1)), std::string(s.text(2)), s.integer(3), s.integer(4),
                       s.integer(5), s.integer(6)});
        return {};
      });
  if (!r) return tl::unexpected(r.error());
  return out;
}

// Format 1 had no launches: what an item's kernel does was all that was known of it.
Result<std::vector<Launch>> Reader::launches() {
  std::vector<Launch> out;
  const auto r = each_row(
      *db_,
      version_ >= 2
          ? "SELECT item, part, coalesce(kernel,0), ops, bytes, access_bytes FROM launches ORDER BY item, part"
          : "SELECT s.id, 0, coalesce(s.kernel,0), k.ops, k.bytes, NULL FROM schedule s LEFT JOIN kernels k ON "
            "k.id=s.kernel ORDER BY s.id",
      [&](const Statement& s) -> Result<void> {
        out.push_back({s.integer(0), s.integer(1), s.integer(2), known(s, 3), known(s, 4), known(s, 5)});
        return {};
      });
  if (!r) return tl::unexpected(r.error());
  return out;
}

Result<void> Reader::each_sample(int64_t run, const std::function<void(const Sample&)>& f) {
  // format 1 numbered the parts of an item on in `repeat`
  auto s = db_->prepare(version_ >= 2 ? "SELECT item, part, repeat, warm_up, start_ns, ns FROM dispatches WHERE run=?"
                                      : "SELECT item, repeat / 1000000, repeat % 1000000, warm_up, NULL, ns FROM "
                                        "dispatches WHERE run=? ORDER BY item, repeat / 1000000, warm_up, repeat");
  if (!s) return tl::unexpected(s.error());
  s->bind(1, run);
  std::map<int64_t, int64_t> first_part;  // by item
  for (;;) {
    const auto row = s->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return {};
    Sample sample{s->integer(0), s->integer(1), s->integer(2), s->integer(3) != 0, known(*s, 4), s->integer(5)};
    if (version_ < 2) sample.part -= first_part.try_emplace(sample.item, sample.part).first->second;
    f(sample);
  }
}

Result<std::vector<Sample>> Reader::samples(int64_t run) {
  std::vector<Sample> out;
  if (auto r = each_sample(run, [&](const Sample& s) { out.push_back(s); }); !r) return tl::unexpected(r.error());
  std::ranges::stable_sort(out, {}, [](const Sample& s) { return std::tuple(s.item, s.part, !s.warm_up, s.repeat); });
  return out;
}

}  // namespace rangescope::trace
