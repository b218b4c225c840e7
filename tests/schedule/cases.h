#pragma once
// Cases whose answers were read off the reference (tests/schedule/data): one JSON object a line.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/ir/store.h"
#include "engine/ir/uop.h"

namespace rangescope::schedule {

struct Case {
  std::string name;
  std::map<std::string, std::string> text;   // strings
  std::map<std::string, int64_t> number;     // numbers and bools; what is null is absent
  std::map<std::string, std::string> other;  // arrays and objects, as JSON
  std::map<std::string, int64_t> flags;

  UOps nodes(Store& store) const;                             // the case's node table
  UOp node(const UOps& nodes, const std::string& key) const;  // null where the case has none
};

std::vector<Case> read_cases(const std::string& file);  // in tests/schedule/data
void set_flags(const Case& c, Store& store);

}  // namespace rangescope::schedule
