#pragma once

#include <string>
#include <string_view>

namespace rangescope::trace {

// ASCII letters small: names that are searched for have no others.
std::string lower(std::string_view s);

// Whether all of `name` fits a pattern in which * stands for any text and ? for any character.
bool glob(std::string_view pattern, std::string_view name);

}  // namespace rangescope::trace
