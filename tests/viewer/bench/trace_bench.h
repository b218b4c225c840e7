#pragma once
// Traces measured: opening one, its steps, and the search through all of it.

#include <cstdint>
#include <string>

namespace rangescope::viewer {

// Passes of 2,000 matches each; a match replaces a product by a sum, and brings three nodes.
void writeSynthetic(const std::string& path, int64_t matches);

void measureTrace(const std::string& path);
void measureSearch(const std::string& path);  // by the clock, as whoever waits for it sees it

}  // namespace rangescope::viewer
