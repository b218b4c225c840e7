#include "viewer/canvas/theme.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "viewer/canvas/op_style.h"

namespace rangescope::viewer {

CanvasTheme CanvasTheme::light() {
  return {
      .background = 0xfffafafa,
      .text = 0xff1c1c1e,
      .mutedText = 0xff5f6368,
      .border = 0xff55585c,
      .edge = 0xff8a8f96,
      .edgeFar = 0xffc4c8cd,
      .sourceLit = 0xff1565c0,
      .userLit = 0xffb04e00,
      .selection = 0xff1a5fd0,
      .match = 0xffd0021b,
      .added = 0xff128a3c,
      .resourced = 0xff8e24aa,
      .ghost = 0xff8c9097,
      .hud = 0xf2ffffff,
      .hudBorder = 0xffd0d3d8,
      .dark = false,
  };
}

CanvasTheme CanvasTheme::darkTheme() {
  return {
      .background = 0xff17181c,
      .text = 0xffe8e9ec,
      .mutedText = 0xffa2a7b0,
      .border = 0xff101114,
      .edge = 0xff757b86,
      .edgeFar = 0xff40444c,
      .sourceLit = 0xff6db3ff,
      .userLit = 0xffffa658,
      .selection = 0xff5aa2ff,
      .match = 0xffff5a5f,
      .added = 0xff3fd272,
      .resourced = 0xffd787ee,
      .ghost = 0xff8a909b,
      .hud = 0xf2212329,
      .hudBorder = 0xff3c4048,
      .dark = true,
  };
}

QRgb heatColor(double share, bool dark) {
  // Lightness falls (light theme) or rises (dark theme) in even steps, so that rank reads without hue too.
  static constexpr QRgb kLight[] = {0xfffff7dc, 0xfffee7a8, 0xfffdcf74, 0xfffab04f, 0xfff28b3b,
                                    0xffe2642f, 0xffc6402b, 0xffa02029, 0xff6f0c26};
  static constexpr QRgb kDark[] = {0xff2a2140, 0xff47236a, 0xff6c2384, 0xff932d86, 0xffbb3c7b,
                                   0xffdd5567, 0xfff4784f, 0xfffca54a, 0xfffbe08a};
  constexpr int kSteps = std::size(kLight) - 1;
  const double at = std::clamp(std::isnan(share) ? 0.0 : share, 0.0, 1.0) * kSteps;
  const int low = std::min(static_cast<int>(at), kSteps - 1);
  const QRgb* ramp = dark ? kDark : kLight;
  return mix(ramp[low], ramp[low + 1], at - low);
}

}  // namespace rangescope::viewer
