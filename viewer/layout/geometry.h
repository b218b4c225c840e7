#pragma once

#include <algorithm>
#include <vector>

namespace rangescope::viewer {

// Scene units: one unit is one device-independent pixel at 100 % zoom. y grows downwards, as on screen.
struct Point {
  double x = 0;
  double y = 0;
  bool operator==(const Point&) const = default;
};

struct Size {
  double w = 0;
  double h = 0;
  bool operator==(const Size&) const = default;
};

struct Rect {
  double x = 0;
  double y = 0;
  double w = 0;
  double h = 0;
  bool operator==(const Rect&) const = default;

  double right() const { return x + w; }
  double bottom() const { return y + h; }
  Point center() const { return {x + w / 2, y + h / 2}; }
  bool empty() const { return w <= 0 && h <= 0; }
  bool contains(Point p) const { return p.x >= x && p.x <= right() && p.y >= y && p.y <= bottom(); }
  bool intersects(const Rect& o) const { return x < o.right() && o.x < right() && y < o.bottom() && o.y < bottom(); }
  Rect grown(double margin) const { return {x - margin, y - margin, w + 2 * margin, h + 2 * margin}; }
  Rect united(const Rect& o) const {
    if (empty()) return o;
    if (o.empty()) return *this;
    const double left = std::min(x, o.x), top = std::min(y, o.y);
    return {left, top, std::max(right(), o.right()) - left, std::max(bottom(), o.bottom()) - top};
  }
};

using Sizes = std::vector<Size>;  // by node index of a SceneGraph

}  // namespace rangescope::viewer
