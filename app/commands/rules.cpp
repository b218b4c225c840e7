#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "app/checks/rule_catalog.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"
#include "engine/ir/json_reader.h"
#include "engine/trace/rule_statistics.h"

namespace rangescope::app {

namespace {

using trace::RuleStatistics;
using StatisticsByName = std::map<std::string, RuleStatistics, std::less<>>;

Result<StatisticsByName> statistics_of(const std::string& path) {
  auto reader = trace::Reader::open(path);
  if (!reader) return tl::unexpected(reader.error());
  return trace::rule_statistics(**reader);
}

std::string counts_json(const RuleStatistics& s) {
  const std::string attempts = s.attempts ? fmt::format(R"("attempts":{},)", *s.attempts) : "";
  return fmt::format(R"(,{}"hits":{},"ns":{})", attempts, s.hits, s.ns);
}

std::string counts_text(const RuleStatistics& s) {
  return fmt::format("{:>9} {:>8} {:>10.3f} ms  ", s.attempts ? std::to_string(*s.attempts) : "", s.hits,
                     static_cast<double>(s.ns) / 1e6);
}

void print_json(const CatalogRule& r, const RuleStatistics* fired) {
  std::string s = "{\"set\":";
  append_json_string(s, r.set);
  for (const auto& [key, text] : {std::pair<const char*, std::string>{"name", std::string(r.rule->name)},
                                  {"explanation", std::string(r.rule->explanation)},
                                  {"ref", std::string(r.rule->ref)},
                                  {"pattern", to_string(r.rule->pattern)}}) {
    s += fmt::format(",\"{}\":", key);
    append_json_string(s, text);
  }
  if (fired != nullptr) s += counts_json(*fired);
  fmt::print("{}}}\n", s);
}

void print_foreign_json(const std::string& name, const RuleStatistics& fired) {
  std::string s = R"({"set":"","name":)";
  append_json_string(s, name);
  s += R"(,"ref":)";
  append_json_string(s, fired.ref);
  fmt::print("{}{}}}\n", s, counts_json(fired));
}

}  // namespace

int run_rules(const RulesOptions& options) {
  StatisticsByName fired;
  if (options.fired && options.trace.empty()) {
    print_error("--fired needs a trace.");
    return kFailed;
  }
  if (!options.trace.empty()) {
    auto read = statistics_of(options.trace);
    if (!read) return failed(read.error());
    fired = std::move(*read);
  }
  if (!options.trace.empty() && !options.json) fmt::print("   attempts     hits          time\n");
  size_t shown = 0;
  std::string_view set;
  for (const CatalogRule& r : rule_catalog()) {
    if (!options.set.empty() && r.set != options.set) continue;
    const auto at = fired.find(r.rule->name);
    const RuleStatistics f = at == fired.end() ? RuleStatistics{} : at->second;
    if (options.fired && f.hits == 0) continue;
    ++shown;
    if (options.json) {
      print_json(r, options.trace.empty() ? nullptr : &f);
      continue;
    }
    if (r.set != set) fmt::print("{}{}\n", shown > 1 ? "\n" : "", r.set);
    set = r.set;
    fmt::print("  {}{:<34} {:<28} {}\n", options.trace.empty() ? "" : counts_text(f), r.rule->name, r.rule->ref,
               r.rule->explanation);
  }
  // rules of another program, which this engine does not have by that name
  bool foreign = false;
  for (const auto& [name, f] : fired) {
    if (!options.set.empty() || find_rule(name) != nullptr || f.hits == 0) continue;
    ++shown;
    if (options.json) {
      print_foreign_json(name, f);
      continue;
    }
    if (!foreign) fmt::print("{}rules of another program\n", shown > 1 ? "\n" : "");
    foreign = true;
    fmt::print("  {}{:<34} {}\n", counts_text(f), name, f.ref);
  }
  if (shown == 0) {
    print_error(options.set.empty() ? "no rule fired in " + options.trace + "."
                                    : "there is no rule to show in the set \"" + options.set + "\".");
    return kFailed;
  }
  if (!options.json) fmt::print("\n{} rules\n", shown);
  return kOk;
}

}  // namespace rangescope::app
