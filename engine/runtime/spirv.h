#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "engine/ir/error.h"

namespace rangescope::runtime {

// The assembly text of a SPIR-V module, with friendly names and indented, one instruction a line.
Result<std::string> disassemble(std::span<const uint32_t> spirv);

}  // namespace rangescope::runtime
