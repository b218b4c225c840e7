#pragma once
// The trace of a lesson's program, recorded when the lesson is opened.

#include <string>

#include "engine/ir/error.h"

namespace rangescope::app {

// `program`: a line of JSON. `codegen`: its kernels are generated, too; they are not run, which would take a device.
// Gives the path of the trace, in a folder for temporary files that goes with the process.
Result<std::string> record_lesson(const std::string& program, bool codegen);

}  // namespace rangescope::app
