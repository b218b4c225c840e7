#pragma once
// The rangeify lens over a picture: ranges in the colour of their axis type, what is stored and what is read marked
// where it is decided, everything else in the background.

#include "viewer/canvas/overlay.h"
#include "viewer/model/step_scene.h"

namespace rangescope::viewer {

void applyLens(trace::Reader& reader, StepScene& scene, const SceneFilters& filters);

// What its colours mean: the axis types that the picture has, and the boundaries.
std::vector<LegendEntry> lensLegend(const SceneGraph& graph, Palette palette);

}  // namespace rangescope::viewer
