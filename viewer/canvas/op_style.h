#pragma once

#include <QColor>
#include <string_view>

namespace rangescope::viewer {

// Known: the colours that users of the reference's viewer know. Safe: told apart with any kind of colour vision.
enum class Palette { Known, Safe };

// Fill of a node by op name; white for ops without a colour of their own.
QRgb opColor(std::string_view op, Palette palette = Palette::Known);

// Fill of a range by axis type (GLOBAL, LOCAL, LOOP, REDUCE, ...), in the colours of the reference's terminal output.
QRgb axisColor(std::string_view axisType, Palette palette = Palette::Known);

// Badge of an address space (GLOBAL, LOCAL, REG, ALU).
QRgb addressSpaceColor(std::string_view space);

// Black or white, whichever has more contrast on `fill` (WCAG 2 relative luminance).
QRgb textOn(QRgb fill);
double contrast(QRgb a, QRgb b);  // 1 to 21

// `from` towards `to` by `part` in [0, 1], alpha included.
QRgb mix(QRgb from, QRgb to, double part);

}  // namespace rangescope::viewer
