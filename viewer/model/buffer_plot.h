#pragma once
// Which buffers are alive while each item of the schedule runs, and how much memory that is.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/trace/reader.h"

namespace rangescope::viewer {

struct BufferLife {
  std::string name;  // "p0", "b3", "b3 [4096:8192]": a part of one
  std::string dtype;
  int64_t bytes = 0;
  size_t first = 0, last = 0;  // positions in the schedule: its first and its last use
  size_t uses = 0;
  bool parameter = false;  // the caller's: there before and after, too
};

struct BufferPlot {
  std::vector<int64_t> items;        // of the schedule, in order
  std::vector<std::string> kernels;  // their names
  std::vector<BufferLife> buffers;   // by first use, the caller's behind
  std::vector<int64_t> live;         // bytes, by position
  int64_t parameters = 0;            // bytes of them, which are in `live`
  size_t peak = 0;                   // where the most is alive
};

Result<BufferPlot> bufferPlot(trace::Reader& reader);

// "4.0 KiB", "1.25 GiB"
std::string bytesText(int64_t bytes);

}  // namespace rangescope::viewer
