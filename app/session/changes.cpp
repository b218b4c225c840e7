#include "app/session/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace rangescope::app {

namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

void put_flags(FlagValues& of_program, const FlagValues& changed) {
  for (const auto& [name, value] : changed) {
    const auto at = std::ranges::find(of_program, name, &FlagValues::value_type::first);
    if (at == of_program.end())
      of_program.emplace_back(name, value);
    else
      at->second = value;
  }
}

std::string flags_json(const FlagValues& flags) {
  Json json = Json::object();
  for (const auto& [name, value] : flags) json[name] = value;
  return text_of(json);
}

Result<FlagValues> flags_from_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return refuse("settings are no JSON object");
  FlagValues out;
  for (const auto& [name, value] : json.items()) {
    if (!value.is_number_integer()) return refuse(fmt::format("the setting {} is no whole number", name));
    out.emplace_back(name, value.get<int64_t>());
  }
  return out;
}

std::string names_json(const std::vector<std::string>& names) {
  return text_of(Json(names));
}

Result<std::vector<std::string>> names_from_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_array() || !std::ranges::all_of(json, [](const Json& x) { return x.is_string(); }))
    return refuse("names are no JSON array of texts");
  return json.get<std::vector<std::string>>();
}

std::string flags_key(int64_t section) {
  return fmt::format("flags of section {}", section);
}

void note_flags(trace::Recorder& recorder, int64_t section, const FlagValues& flags) {
  recorder.meta(flags_key(section), flags_json(flags));
}

std::string variables_key(int64_t section) {
  return fmt::format("variables of section {}", section);
}

void note_variables(trace::Recorder& recorder, int64_t section, const std::map<std::string, int64_t>& variables) {
  if (!variables.empty()) recorder.meta(variables_key(section), flags_json({variables.begin(), variables.end()}));
}

void note_rules_off(trace::Recorder& recorder, const std::vector<std::string>& without) {
  if (!without.empty()) recorder.meta("without", names_json(without));
}

}  // namespace rangescope::app
