#include "engine/trace/diff.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"

namespace rangescope::app {

namespace {

using JsonValue = nlohmann::json;

JsonValue side_json(const trace::DiffSide& s) {
  JsonValue j;
  if (s.pass != 0) j["pass"] = s.pass, j["name"] = s.name;
  if (s.match != 0) j["match"] = s.match;
  if (s.node != 0) j["node"] = s.node;
  j["text"] = s.text;
  return j;
}

void print_diff_json(const trace::TraceDiff& d) {
  JsonValue parts = JsonValue::array();
  for (const trace::DiffPart& p : d.parts) {
    JsonValue j{{"name", p.name}, {"same", !p.difference}, {"passes", p.passes}, {"matches", p.matches}};
    if (const auto& x = p.difference)
      j["first"] = {{"what", x->what}, {"index", x->index}, {"a", side_json(x->a)}, {"b", side_json(x->b)}};
    parts.push_back(std::move(j));
  }
  const JsonValue all{{"same", d.same()}, {"parts", std::move(parts)}, {"only_a", d.only_a}, {"only_b", d.only_b}};
  fmt::print("{}\n", all.dump(-1, ' ', false, JsonValue::error_handler_t::replace));
}

void print_diff_text(const trace::TraceDiff& d) {
  for (const trace::DiffPart& p : d.parts) {
    if (!p.difference) {
      fmt::print("{}: the same, {} passes with {} matches\n", p.name, p.passes, p.matches);
      continue;
    }
    const trace::Difference& x = *p.difference;
    fmt::print("{}: the same for {} passes and {} matches, then {}\n", p.name, p.passes, p.matches, trace::describe(x));
    for (const auto& [name, s] : {std::pair{'A', &x.a}, std::pair{'B', &x.b}})
      fmt::print("  {}{}: {}\n", name, s->pass != 0 ? fmt::format(" (--pass {} --step {})", s->pass, x.index) : "",
                 s->text);
  }
  for (const std::string& s : d.only_a) fmt::print("{}: in A alone\n", s);
  for (const std::string& s : d.only_b) fmt::print("{}: in B alone\n", s);
  if (d.parts.empty() && d.same()) fmt::print("neither trace holds a schedule or a kernel\n");
}

}  // namespace

int run_diff(const DiffOptions& options) {
  auto a = trace::Reader::open(options.a), b = trace::Reader::open(options.b);
  if (!a || !b) return failed(!a ? a.error() : b.error());
  trace::DiffOptions how;
  how.ignore_numbers = options.ignore_slots;
  const auto d = trace::diff(**a, **b, how);
  if (!d) return failed(d.error());
  if (options.json)
    print_diff_json(*d);
  else
    print_diff_text(*d);
  return d->same() ? kOk : kPartly;
}

}  // namespace rangescope::app
