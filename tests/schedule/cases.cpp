#include "tests/schedule/cases.h"

#include <fstream>
#include <stdexcept>

#include "engine/ir/json.h"
#include "engine/ir/json_reader.h"
#include "engine/schedule/flags.h"

namespace rangescope::schedule {

UOps Case::nodes(Store& store) const {
  Result<UOps> made = read_nodes(other.at("nodes"), store);
  if (!made) throw std::runtime_error(name + ": " + made.error().message);
  return *std::move(made);
}

UOp Case::node(const UOps& nodes, const std::string& key) const {
  const auto it = number.find(key);
  return it == number.end() ? UOp{} : nodes.at(static_cast<size_t>(it->second));
}

std::vector<Case> read_cases(const std::string& file) {
  const std::string path = std::string(RANGESCOPE_SOURCE_DIR) + "/tests/schedule/data/" + file;
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  std::vector<Case> cases;
  for (std::string line; std::getline(in, line);) {
    Case& c = cases.emplace_back();
    JsonReader json(line);
    json.object([&](std::string_view key_view) {
      const std::string key(key_view);
      switch (json.peek()) {
        case JsonReader::Kind::Null:
          json.try_null();
          break;
        case JsonReader::Kind::Bool:
          c.number[key] = json.boolean() ? 1 : 0;
          break;
        case JsonReader::Kind::Number:
          c.number[key] = json.integer(INT64_MIN, INT64_MAX);
          break;
        case JsonReader::Kind::String:
          c.text[key] = json.string();
          break;
        default:
          if (key == "flags")
            json.object([&](std::string_view flag) {
              const std::string name(flag);
              c.flags[name] = json.integer(INT64_MIN, INT64_MAX);
            });
          else
            c.other[key] = json.skip();
      }
    });
    c.name = c.text["name"];
  }
  return cases;
}

void set_flags(const Case& c, Store& store) {
  Flags& f = flags(store);
  for (const auto& [name, value] : c.flags) {
    if (name == "RING")
      f.ring = value;
    else if (name == "ALL2ALL")
      f.all2all = value;
    else if (name == "SCACHE")
      f.scache = value;
    else if (name == "NO_MEMORY_PLANNER")
      f.no_memory_planner = value;
    else
      throw std::runtime_error("no test knows the flag " + name);
  }
}

}  // namespace rangescope::schedule
