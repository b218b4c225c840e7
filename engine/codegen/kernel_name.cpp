#include "engine/codegen/kernel_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "engine/ir/error.h"

namespace rangescope::codegen {

std::string colored(std::string_view text, std::string_view color) {
  if (color.empty()) return std::string(text);
  constexpr std::array<std::string_view, 8> kColors{"black", "red",     "green", "yellow",
                                                    "blue",  "magenta", "cyan",  "white"};
  std::string lower(color);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto it = std::ranges::find(kColors, lower);
  RS_CHECK(it != kColors.end(), "no such colour");
  const bool bright = lower != color;
  return fmt::format("\x1b[{}m{}\x1b[0m", (bright ? 90 : 30) + (it - kColors.begin()), text);
}

std::string_view axis_color(AxisType type) {
  switch (type) {
    case AxisType::DEVICE:
      return "green";
    case AxisType::GLOBAL:
      return "blue";
    case AxisType::THREAD:
      return "BLUE";
    case AxisType::LOCAL:
      return "cyan";
    case AxisType::WARP:
      return "CYAN";
    case AxisType::WEAK:
    case AxisType::LOOP:
      return "WHITE";
    case AxisType::UPCAST:
      return "yellow";
    case AxisType::GROUP_REDUCE:
      return "RED";
    case AxisType::REDUCE:
      return "red";
    case AxisType::UNROLL:
      return "magenta";
    case AxisType::PLACEHOLDER:
      break;
  }
  throw GraphError("an axis of no kind in a kernel");
}

}  // namespace rangescope::codegen
