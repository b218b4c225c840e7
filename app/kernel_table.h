#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/trace/reader.h"

namespace rangescope::app {

// Billions a second, or a dash where it is not known.
std::string rate_text(const std::optional<int64_t>& amount, int64_t ns);

// The schedule of a trace with the times of its last run, on stdout. Nothing where the trace has no kernels.
Result<void> print_kernel_table(trace::Reader& reader);

}  // namespace rangescope::app
