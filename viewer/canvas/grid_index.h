#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "viewer/layout/geometry.h"

namespace rangescope::viewer {

// Rectangles in a uniform grid: what is in view, what is under the pointer.
class GridIndex {
 public:
  GridIndex() = default;
  explicit GridIndex(const std::vector<Rect>& rects);

  // Indices, ascending, of the rectangles that meet `area`.
  void query(const std::vector<Rect>& rects, const Rect& area, std::vector<uint32_t>& out) const;
  // The topmost (last) rectangle that holds `p`.
  std::optional<uint32_t> at(const std::vector<Rect>& rects, Point p) const;

 private:
  struct Range {
    int32_t left, top, right, bottom;
  };
  Range cells(const Rect& area) const;

  Rect bounds_;
  double cellWidth_ = 1, cellHeight_ = 1;
  int32_t columns_ = 0, rows_ = 0;
  std::vector<uint32_t> start_, items_;
};

}  // namespace rangescope::viewer
