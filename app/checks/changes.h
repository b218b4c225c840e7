#pragma once
// `--without RULE` and `--flag NAME=VALUE` as a person writes them.

#include <string>
#include <vector>

#include "app/session/changes.h"

namespace rangescope::app {

// An error names what there is nothing of that name, and the nearest names.
Result<Changes> read_changes(const std::vector<std::string>& without, const std::vector<std::string>& flags);

}  // namespace rangescope::app
