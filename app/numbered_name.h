#pragma once
// NAME or NAME#N: programs of a file and passes of a trace may have equal names.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/ir/error.h"

namespace rangescope::app {

struct NumberedName {
  std::string_view name;
  std::optional<uint64_t> number;  // what follows the last '#'
};
// `text` itself is the name where it ends in no number.
NumberedName split_number(std::string_view text);

// The pass of a trace by its number, its name, or NAME#N: the Nth of that name, counted from 1.
Result<int64_t> pass_number(const std::string& trace, const std::string& text);

}  // namespace rangescope::app
