#pragma once
// Opening a trace that may still be recorded, or whose recorder was killed.

#include <memory>
#include <string>

#include "engine/trace/database.h"

namespace rangescope::trace {

struct OpenedForReading {
  std::unique_ptr<Database> db;
  std::string private_copy;  // folder of the copy that was opened instead; empty: the file itself
};

// Checks that the file is a trace of a version that this program reads. A file with a log beside it that cannot be read
// in place (a folder without write permission, a log that needs recovery) is copied and the copy recovered; the
// original is not touched.
Result<OpenedForReading> open_for_reading(const std::string& path);
void remove_private_copy(const std::string& folder);

}  // namespace rangescope::trace
