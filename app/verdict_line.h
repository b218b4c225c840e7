#pragma once

#include <string>

#include "app/session/verify_run.h"

namespace rangescope::app {

// What --verify found of a program: on stdout, or as an error where something is wrong. Whether nothing is.
bool print_verdict(const std::string& program, const Result<RunVerdict>& verdict);

}  // namespace rangescope::app
