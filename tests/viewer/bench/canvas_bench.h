#pragma once
// What is painted or written, measured: frames of the graph, exports, the timeline of dispatches.

#include <cstdint>

namespace rangescope::viewer {

// Painted as the window paints: into the picture that it keeps.
void measureFrames(uint32_t nodes, double bar);
void measureExport(uint32_t nodes, double bar);
void measureTimeline();

}  // namespace rangescope::viewer
