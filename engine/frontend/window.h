#pragma once
// Arguments of what slides windows, as users write them, brought into one form.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/frontend/arguments.h"

namespace rangescope::frontend {

constexpr int64_t ceildiv(int64_t a, int64_t b) {
  const int64_t q = -a / b, r = -a % b;
  return -(r != 0 && ((r < 0) != (b < 0)) ? q - 1 : q);
}
constexpr int64_t round_up(int64_t a, int64_t b) {
  return ceildiv(a, b) * b;
}

// One number for each of `n` axes; one stands for all. `what` names it in the message.
Ints for_each_axis(const Ints& given, size_t n, const char* what);
// Before and after of each axis, the last axis first: from one number, one an axis, or that form itself.
Ints flat_pads(const Ints& given, size_t n);
// From that form: pairs, the first axis first, with axes in front that are not padded.
Pads grouped(const Ints& flat, size_t ndim);

}  // namespace rangescope::frontend
