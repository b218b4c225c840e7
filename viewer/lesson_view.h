#pragma once
// Where the canvas looks at a step of a lesson: what the words speak of is of reading size.

#include <optional>

#include "viewer/canvas/graph_canvas.h"

namespace rangescope::viewer {

// `key`: the node that is selected. Nothing: what is on show does.
std::optional<GraphCanvas::Place> lessonView(const GraphCanvas& canvas, std::optional<uint32_t> key);

}  // namespace rangescope::viewer
