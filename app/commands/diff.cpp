#include "engine/trace/diff.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"
#include "engine/trace/compare_times.h"

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

const char* change_name(trace::TimeChange c) {
  return c == trace::TimeChange::Faster ? "faster" : c == trace::TimeChange::Slower ? "slower" : "noise";
}

JsonValue times_json(const trace::TimeStatistics& t) {
  return {{"n", t.n}, {"min_ns", t.min}, {"median_ns", t.median}, {"spread_ns", t.spread}};
}

void print_times_json(const trace::TimesComparison& c) {
  JsonValue kernels = JsonValue::array();
  for (const trace::KernelChange& k : c.kernels) {
    JsonValue j{{"name", k.name}, {"change", change_name(k.change)}};
    if (k.item_a != 0) j["item_a"] = k.item_a, j["a"] = times_json(k.a);
    if (k.item_b != 0) j["item_b"] = k.item_b, j["b"] = times_json(k.b);
    kernels.push_back(std::move(j));
  }
  const JsonValue all{
      {"kernels", std::move(kernels)},
      {"all",
       {{"a", times_json(c.all_a)}, {"b", times_json(c.all_b)}, {"change", change_name(change_of(c.all_a, c.all_b))}}}};
  fmt::print("{}\n", all.dump(-1, ' ', false, JsonValue::error_handler_t::replace));
}

void print_times_text(const trace::TimesComparison& c) {
  const auto ms = [](const trace::TimeStatistics& t) {
    if (t.n == 0) return std::string("-");
    return fmt::format("{:.4f} +- {:.4f}", static_cast<double>(t.median) / 1e6, static_cast<double>(t.spread) / 2e6);
  };
  fmt::print("{:>20}  {:>20}  \n", "A: median ms", "B: median ms");
  for (const trace::KernelChange& k : c.kernels) {
    const std::string said = k.item_a == 0   ? "in B alone"
                             : k.item_b == 0 ? "in A alone"
                                             : trace::describe_change(k.a, k.b);
    fmt::print("{:>20}  {:>20}  {:<24}  {}\n", ms(k.a), ms(k.b), said, k.name);
  }
  fmt::print("{:>20}  {:>20}  {:<24}  {}\n", ms(c.all_a), ms(c.all_b), trace::describe_change(c.all_a, c.all_b),
             "all together");
}

}  // namespace

int run_diff(const DiffOptions& options) {
  auto a = trace::Reader::open(options.a), b = trace::Reader::open(options.b);
  if (!a || !b) return failed(!a ? a.error() : b.error());
  if (options.times) {
    const auto compared = trace::compare_times(**a, **b);
    if (!compared) return failed(compared.error());
    if (options.json)
      print_times_json(*compared);
    else
      print_times_text(*compared);
    return kOk;
  }
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
