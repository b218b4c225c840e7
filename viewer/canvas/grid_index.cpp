#include "viewer/canvas/grid_index.h"

#include <cmath>
#include <numeric>

namespace rangescope::viewer {

GridIndex::GridIndex(const std::vector<Rect>& rects) {
  if (rects.empty()) return;
  for (const Rect& r : rects) bounds_ = bounds_.united(r);
  // About two rectangles a cell, and never more cells than that, however far apart they lie.
  const double cells = std::max(1.0, static_cast<double>(rects.size()) / 2);
  const double w = std::max(bounds_.w, 1.0), h = std::max(bounds_.h, 1.0);
  columns_ = static_cast<int32_t>(std::clamp(std::round(std::sqrt(cells * w / h / 2)), 1.0, cells));
  rows_ = static_cast<int32_t>(std::clamp(std::round(cells / columns_), 1.0, cells));
  cellWidth_ = w / columns_, cellHeight_ = h / rows_;
  start_.assign(static_cast<size_t>(columns_) * rows_ + 1, 0);
  const auto eachCell = [&](const Rect& r, auto f) {
    const Range c = this->cells(r);
    for (int32_t y = c.top; y <= c.bottom; y++)
      for (int32_t x = c.left; x <= c.right; x++) f(static_cast<size_t>(y) * columns_ + x);
  };
  for (const Rect& r : rects) eachCell(r, [&](size_t cell) { start_[cell + 1]++; });
  std::partial_sum(start_.begin(), start_.end(), start_.begin());
  items_.resize(start_.back());
  std::vector<uint32_t> next(start_.begin(), start_.end() - 1);
  for (uint32_t i = 0; i < rects.size(); i++) eachCell(rects[i], [&](size_t cell) { items_[next[cell]++] = i; });
}

GridIndex::Range GridIndex::cells(const Rect& area) const {
  const auto column = [&](double x) {
    return static_cast<int32_t>(std::clamp(std::floor((x - bounds_.x) / cellWidth_), 0.0, columns_ - 1.0));
  };
  const auto row = [&](double y) {
    return static_cast<int32_t>(std::clamp(std::floor((y - bounds_.y) / cellHeight_), 0.0, rows_ - 1.0));
  };
  return {column(area.x), row(area.y), column(area.right()), row(area.bottom())};
}

void GridIndex::query(const std::vector<Rect>& rects, const Rect& area, std::vector<uint32_t>& out) const {
  out.clear();
  if (columns_ == 0 || !area.intersects(bounds_.grown(1))) return;
  const Range c = cells(area);
  for (int32_t y = c.top; y <= c.bottom; y++)
    for (int32_t x = c.left; x <= c.right; x++) {
      const size_t cell = static_cast<size_t>(y) * columns_ + x;
      for (uint32_t i = start_[cell]; i < start_[cell + 1]; i++)
        if (rects[items_[i]].intersects(area)) out.push_back(items_[i]);
    }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
}

std::optional<uint32_t> GridIndex::at(const std::vector<Rect>& rects, Point p) const {
  if (columns_ == 0 || !bounds_.contains(p)) return std::nullopt;
  const Range c = cells({p.x, p.y, 0, 0});
  const size_t cell = static_cast<size_t>(c.top) * columns_ + c.left;
  for (uint32_t i = start_[cell + 1]; i-- > start_[cell];)
    if (rects[items_[i]].contains(p)) return items_[i];
  return std::nullopt;
}

}  // namespace rangescope::viewer
