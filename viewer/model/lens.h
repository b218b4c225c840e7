#pragma once
// The rangeify lens over a picture: ranges in the colour of their axis type, what is stored and what is read marked
// where it is decided, everything else in the background.

#include "engine/trace/realized.h"
#include "viewer/canvas/overlay.h"
#include "viewer/model/step_scene.h"

namespace rangescope::viewer {

void applyLens(trace::Reader& reader, const std::vector<trace::Realized>& realized, StepScene& scene,
               const SceneFilters& filters);

// Why the value of this node, or of this STAGE, has a place in memory of its own, as far as the trace says; empty: it
// has none, or nobody knows. `pass`: where the node is seen.
std::string realizeReason(const trace::Reader& reader, const std::vector<trace::Realized>& realized, UOp u,
                          int64_t pass);

// What its colours mean: the axis types that the picture has, and the boundaries.
std::vector<LegendEntry> lensLegend(const SceneGraph& graph, Palette palette);

}  // namespace rangescope::viewer
