#pragma once
// Arrays as numpy keeps them in .npy files (versions 1 to 3 of the format).

#include <string>

#include "engine/frontend/host_array.h"
#include "engine/ir/error.h"

namespace rangescope::app {

// The file of a buffer or a tensor: names may hold what a file's name cannot.
std::string npy_name(const std::string& name);

// Little-endian numbers and bools, in C or Fortran order.
Result<frontend::HostArray> read_npy(const std::string& path);
Result<void> write_npy(const std::string& path, const frontend::HostArray& given);

}  // namespace rangescope::app
