#include "engine/trace/time_by_place.h"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "engine/ir/traversal.h"
#include "engine/trace/step.h"

namespace rangescope::trace {

namespace {

// These are shared by everything, and say nothing of where the rest is from.
constexpr OpSet kAnywhere{Op::CONST, Op::RANGE, Op::PARAM, Op::BUFFER, Op::SINK, Op::END, Op::CALL, Op::STACK};

// Which place each node is from, carried through the passes.
class Origins {
 public:
  explicit Origins(Reader& reader) : reader_(reader) {}

  Result<void> read();
  Result<void> follow(const Pass& pass);
  // The first that is known below a kernel's stores; null: none is.
  const Metadata* of_kernel(UOp ast) const;

 private:
  const Metadata* of(UOp u) const {
    const auto it = from_.find(u.id());
    if (it != from_.end()) return it->second;
    const auto known = program_.find(reader_.number_of(u));
    return known == program_.end() ? nullptr : &known->second;
  }
  void take(UOp u, const Metadata* from) {
    if (from != nullptr && !kAnywhere.contains(u.op()) && of(u) == nullptr) from_[u.id()] = from;
  }

  Reader& reader_;
  std::map<int64_t, Metadata> program_;                 // by number
  std::unordered_map<uint32_t, const Metadata*> from_;  // by id; looked up, never iterated
};

Result<void> Origins::read() {
  auto rows = reader_.database().prepare("SELECT node, coalesce(name, ''), coalesce(location, '') FROM node_metadata");
  if (!rows) return tl::unexpected(rows.error());
  for (;;) {
    const auto row = rows->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return {};
    program_[rows->integer(0)] = {std::string(rows->text(1)), std::string(rows->text(2))};
  }
}

Result<void> Origins::follow(const Pass& pass) {
  if (pass.input == 0 || pass.matches == 0) return {};
  const auto matches = reader_.matches(pass.id, 0, pass.matches);
  if (!matches) return tl::unexpected(matches.error());
  std::vector<std::pair<UOp, UOp>> map, rebuilt;
  for (const StepMatch& m : *matches) {
    if (m.after == 0) continue;
    const auto before = reader_.node(m.before), after = reader_.node(m.after);
    if (!before || !after) return tl::unexpected((before ? after : before).error());
    map.emplace_back(*before, *after);
  }
  const auto input = reader_.node(pass.input);
  if (!input) return tl::unexpected(input.error());
  const auto root = graph_after(*input, map, {pass.bottom_up, pass.walk, pass.enter_calls}, &rebuilt);
  if (!root) return {};  // a rewrite in a circle has no end
  const auto carry = [&] {
    for (const auto& [made, was] : rebuilt) take(made, of(was));
  };
  carry();
  for (const auto& [before, after] : map) {
    const Metadata* from = of(before);
    if (from == nullptr) continue;
    // what the rule has put together, down to what was there
    UOps open{after};
    for (size_t looked = 0; !open.empty() && looked < 64; ++looked) {
      const UOp u = open.back();
      open.pop_back();
      if (u == before || of(u) != nullptr) continue;
      take(u, from);
      open.insert(open.end(), u.srcs().begin(), u.srcs().end());
    }
  }
  carry();
  return {};
}

const Metadata* Origins::of_kernel(UOp ast) const {
  std::deque<UOp> open;
  std::unordered_set<uint32_t> seen;
  for (const UOp u : toposort(ast))
    if (u.is(Op::STORE) && u.src_count() > 1) open.push_back(u.src(1));
  if (open.empty()) open.push_back(ast);
  while (!open.empty()) {
    const UOp u = open.front();
    open.pop_front();
    if (!seen.insert(u.id()).second) continue;
    if (!kAnywhere.contains(u.op()))
      if (const Metadata* m = of(u)) return m;
    open.insert(open.end(), u.srcs().begin(), u.srcs().end());
  }
  return nullptr;
}

void add(std::map<std::string, PlaceTime>& all, const std::string& place, const ItemTimes& t) {
  PlaceTime& p = all[place];
  p.place = place;
  p.ns += t.times.median;
  p.items.push_back(t.item);
}

std::vector<PlaceTime> sorted(std::map<std::string, PlaceTime>& all) {
  std::vector<PlaceTime> out;
  out.reserve(all.size());
  for (auto& [place, time] : all) out.push_back(std::move(time));
  std::ranges::stable_sort(out, std::greater<>(), &PlaceTime::ns);
  return out;
}

}  // namespace

Result<TimeByPlace> time_by_place(Reader& reader, const std::vector<ItemTimes>& times, const std::stop_token& stop) {
  Origins origins(reader);
  if (auto r = origins.read(); !r) return tl::unexpected(r.error());
  for (const Pass& pass : reader.passes()) {
    if (stop.stop_requested()) return TimeByPlace{};
    const auto section = std::ranges::find(reader.sections(), pass.section, &Section::id);
    if (section != reader.sections().end() && section->kind == "kernel") continue;  // behind the AST
    if (auto r = origins.follow(pass); !r) return tl::unexpected(r.error());
  }
  const auto schedule = reader.schedule();
  if (!schedule) return tl::unexpected(schedule.error());
  std::map<int64_t, int64_t> asts;
  for (const ScheduleItem& item : *schedule) asts[item.id] = item.ast;
  std::vector<ItemTimes> longest = times;
  std::ranges::stable_sort(longest, std::greater<>(), [](const ItemTimes& t) { return t.times.median; });
  std::map<std::string, PlaceTime> lines, names;
  TimeByPlace out;
  for (const ItemTimes& t : longest) {
    const auto ast = asts.find(t.item);
    const auto u = ast == asts.end() || ast->second == 0 ? Result<UOp>(UOp{}) : reader.node(ast->second);
    if (!u) return tl::unexpected(u.error());
    const Metadata* from = *u ? origins.of_kernel(*u) : nullptr;
    add(lines, from == nullptr ? std::string() : from->location, t);
    add(names, from == nullptr ? std::string() : from->name, t);
    out.ns += t.times.median;
  }
  out.lines = sorted(lines);
  out.names = sorted(names);
  return out;
}

}  // namespace rangescope::trace
