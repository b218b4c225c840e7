#pragma once
// One program computed in several ways: by the interpreter as it stands, after every pass of the scheduler, and on a
// Vulkan device.

#include <string>

#include "engine/ir/program.h"
#include "engine/runtime/device.h"

namespace rangescope::fuzz {

// Why such a program is refused, where the reference refuses it too: it is none to be held against anything.
bool refused_by_the_reference(const Program& program, const std::string& message);

// What differs, in words; empty: nothing. The graphs before and after every pass and the schedule mean the same, and
// scheduling the program twice gives the same bytes.
std::string passes_differ(const Program& program);

// The device's numbers are the interpreter's; where they are not, the kernel is named. Kernels get the reference's
// optimisations, or those of the device's profile.
std::string device_differs(const Program& program, runtime::Device& device, bool device_profile);

}  // namespace rangescope::fuzz
