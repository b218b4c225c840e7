#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "app/checks/rule_catalog.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"
#include "engine/ir/json_reader.h"
#include "engine/trace/reader.h"

namespace rangescope::app {

namespace {

struct Fired {
  int64_t hits = 0, ns = 0;
  std::string ref;
};

Result<std::map<std::string, Fired, std::less<>>> fired_in(const std::string& path) {
  auto reader = trace::Reader::open(path);
  if (!reader) return tl::unexpected(reader.error());
  std::map<std::string, Fired, std::less<>> out;
  for (const trace::Pass& pass : (*reader)->passes()) {
    const auto matches = (*reader)->matches(pass.id, 0, pass.matches);
    if (!matches) return tl::unexpected(matches.error());
    for (const trace::StepMatch& m : *matches)
      if (const trace::RuleInfo* rule = (*reader)->rule(m.rule)) {
        Fired& f = out[rule->name];
        ++f.hits;
        f.ns += m.ns;
        f.ref = rule->ref;
      }
  }
  return out;
}

void print_json(const CatalogRule& r, const Fired* fired) {
  std::string s = "{\"set\":";
  append_json_string(s, r.set);
  for (const auto& [key, text] : {std::pair<const char*, std::string>{"name", std::string(r.rule->name)},
                                  {"explanation", std::string(r.rule->explanation)},
                                  {"ref", std::string(r.rule->ref)},
                                  {"pattern", to_string(r.rule->pattern)}}) {
    s += fmt::format(",\"{}\":", key);
    append_json_string(s, text);
  }
  if (fired != nullptr) s += fmt::format(R"(,"hits":{},"ns":{})", fired->hits, fired->ns);
  fmt::print("{}}}\n", s);
}

void print_foreign_json(const std::string& name, const Fired& fired) {
  std::string s = R"({"set":"","name":)";
  append_json_string(s, name);
  s += R"(,"ref":)";
  append_json_string(s, fired.ref);
  fmt::print("{},\"hits\":{},\"ns\":{}}}\n", s, fired.hits, fired.ns);
}

}  // namespace

int run_rules(const RulesOptions& options) {
  std::map<std::string, Fired, std::less<>> fired;
  if (options.fired && options.trace.empty()) {
    print_error("--fired needs a trace.");
    return kFailed;
  }
  if (!options.trace.empty()) {
    auto read = fired_in(options.trace);
    if (!read) return failed(read.error());
    fired = std::move(*read);
  }
  size_t shown = 0;
  std::string_view set;
  for (const CatalogRule& r : rule_catalog()) {
    if (!options.set.empty() && r.set != options.set) continue;
    const auto at = fired.find(r.rule->name);
    const Fired f = at == fired.end() ? Fired{} : at->second;
    if (options.fired && f.hits == 0) continue;
    ++shown;
    if (options.json) {
      print_json(r, options.trace.empty() ? nullptr : &f);
      continue;
    }
    if (r.set != set) fmt::print("{}{}\n", shown > 1 ? "\n" : "", r.set);
    set = r.set;
    const std::string counts =
        options.trace.empty() ? "" : fmt::format("{:>8} {:>10.3f} ms  ", f.hits, static_cast<double>(f.ns) / 1e6);
    fmt::print("  {}{:<34} {:<28} {}\n", counts, r.rule->name, r.rule->ref, r.rule->explanation);
  }
  // rules of another program, which this engine does not have by that name
  bool foreign = false;
  for (const auto& [name, f] : fired) {
    if (!options.set.empty() || find_rule(name) != nullptr) continue;
    ++shown;
    if (options.json) {
      print_foreign_json(name, f);
      continue;
    }
    if (!foreign) fmt::print("{}rules of another program\n", shown > 1 ? "\n" : "");
    foreign = true;
    fmt::print("  {:>8} {:>10.3f} ms  {:<34} {}\n", f.hits, static_cast<double>(f.ns) / 1e6, name, f.ref);
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
