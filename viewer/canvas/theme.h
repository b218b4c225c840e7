#pragma once

#include <QColor>

namespace rangescope::viewer {

// Every colour of the canvas that is not an op's. Text on background and HUD keeps a contrast of 4.5 to 1 or more.
struct CanvasTheme {
  QRgb background;
  QRgb text;
  QRgb mutedText;
  QRgb border;  // of plain nodes; mixed with their fill
  QRgb edge;
  QRgb edgeFar;    // edges drawn straight behind nodes, and thinned ones
  QRgb sourceLit;  // what the node under the pointer reads
  QRgb userLit;    // what reads it
  QRgb selection;
  QRgb match;      // outline of what the rule matched
  QRgb added;      // edge of new nodes
  QRgb resourced;  // edges that moved to another source
  QRgb ghost;
  QRgb hud;  // legend, minimap, hover card
  QRgb hudBorder;
  bool dark;

  static CanvasTheme light();
  static CanvasTheme darkTheme();
};

// Share of time in [0, 1] on a ramp of even perceptual steps, from the background's end to the striking one.
QRgb heatColor(double share, bool dark);

}  // namespace rangescope::viewer
