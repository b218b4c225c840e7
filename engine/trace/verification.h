#pragma once
// What `rangescope verify --note` leaves in a trace: whether its rewrites keep the meaning of the program, and the
// first that does not. Stored in meta under "verification".

#include <cstdint>
#include <optional>
#include <string>

#include "engine/trace/reader.h"

namespace rangescope::trace {

struct Verification {
  bool kept = true;
  int64_t pass = 0;    // that changes it; 0: not one pass
  int64_t match = -1;  // in the pass, from 0; below 0: not known
  std::string text;
};

Result<void> note_verification(const std::string& path, const Verification& found);
// None: the trace was not verified, or the note cannot be read.
std::optional<Verification> verification(const Reader& reader);

}  // namespace rangescope::trace
