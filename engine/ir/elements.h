#pragma once
// Elements of a dtype in memory: little endian, a bool is a byte of 0 or 1.

#include <cstddef>
#include <cstdint>

#include "engine/ir/dtype.h"

namespace rangescope {

// One element as a number; of a uint64 the nearest double.
double load_element(DType dtype, const std::byte* at);
// The same as an integer (a uint64 by its bits); refuses (GraphError) a float that is none.
int64_t load_int(DType dtype, const std::byte* at);
// Rounded to the dtype. An integer dtype refuses (GraphError) what no integer of 64 bits is.
void store_element(DType dtype, double value, std::byte* at);
void store_int(DType dtype, int64_t value, std::byte* at);

}  // namespace rangescope
