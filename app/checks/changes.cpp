#include "app/checks/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "app/checks/rule_catalog.h"
#include "engine/ir/nearest_name.h"
#include "engine/schedule/flag_table.h"

namespace rangescope::app {

namespace {

Result<std::pair<std::string, int64_t>> read_flag(const std::string& text) {
  const size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (schedule::find_flag(name) == nullptr) {
    std::vector<std::string_view> names;
    for (const schedule::FlagRow& row : schedule::flag_table()) names.push_back(row.name);
    std::string hint = did_you_mean(name, names);
    if (hint.empty()) hint = fmt::format(" There are {}.", fmt::join(names, ", "));
    return refuse(fmt::format("--flag {}: the scheduler has no setting {}.{}", text, name, hint));
  }
  int64_t value = 0;
  const char* first = equals == std::string::npos ? nullptr : text.data() + equals + 1;
  const char* last = text.data() + text.size();
  if (first == nullptr || first == last) return refuse(fmt::format("--flag {0}: say {1}=VALUE.", text, name));
  const auto [end, error] = std::from_chars(first, last, value);
  if (error != std::errc{} || end != last) return refuse(fmt::format("--flag {}: the value is no whole number.", text));
  return std::pair(name, value);
}

}  // namespace

Result<Changes> read_changes(const std::vector<std::string>& without, const std::vector<std::string>& flags) {
  Changes out;
  for (const std::string& rule : without) {
    if (find_rule(rule) == nullptr) {
      std::vector<std::string_view> names;
      for (const CatalogRule& r : rule_catalog()) names.push_back(r.rule->name);
      return refuse(fmt::format("--without {0}: there is no rule {0}.{1} `rangescope rules` lists them all.", rule,
                                did_you_mean(rule, names)));
    }
    if (std::ranges::find(out.without, rule) == out.without.end()) out.without.push_back(rule);
  }
  for (const std::string& text : flags) {
    auto flag = read_flag(text);
    if (!flag) return tl::unexpected(flag.error());
    put_flags(out.flags, {std::move(*flag)});
  }
  return out;
}

}  // namespace rangescope::app
