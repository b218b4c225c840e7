#pragma once
// The settings by the names that programs carry.

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/schedule/flags.h"

namespace rangescope::schedule {

struct FlagRow {
  std::string_view name;
  int64_t Flags::*value;
  std::string_view meaning;  // one line
};

std::span<const FlagRow> flag_table();
const FlagRow* find_flag(std::string_view name);  // null: there is none

}  // namespace rangescope::schedule
