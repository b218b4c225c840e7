#include "viewer/lesson_view.h"

#include <algorithm>

#include "viewer/canvas/view_transform.h"

namespace rangescope::viewer {

namespace {

constexpr double kReadable = 0.7;  // names and lines of a node are whole, and read without effort
constexpr double kLargest = 1;
constexpr double kMargin = 36;

// Along one axis: the middle of a view of this length that shows no more emptiness at an end of the graph than it must.
double clampedMiddle(double middle, double from, double length, double view) {
  const double room = kMargin / kReadable, most = from + length + room - view / 2, least = from - room + view / 2;
  return least >= most ? from + length / 2 : std::clamp(middle, least, most);
}

}  // namespace

std::optional<GraphCanvas::Place> lessonView(const GraphCanvas& canvas, std::optional<uint32_t> key) {
  const auto& frame = canvas.frame();
  if (!frame || frame->graph.nodes.empty()) return std::nullopt;
  const Rect& whole = frame->layout.bounds;
  const ViewTransform all = ViewTransform::fitting(whole, canvas.size(), kMargin, kLargest);
  if (all.scale >= kReadable) return GraphCanvas::Place{all.scale, whole.center()};
  // the selected node with what is around it, and the change, if both fit
  Rect wanted = frame->changed;
  if (const auto v = key ? frame->keys.find(*key) : std::nullopt) {
    Rect around;
    for (const uint32_t n : neighbourhood(frame->graph, *v, 1)) around = around.united(frame->layout.nodes[n]);
    const auto fits = [&](const Rect& r) {
      return ViewTransform::fitting(r, canvas.size(), kMargin, kLargest).scale >= kReadable;
    };
    const Rect& node = frame->layout.nodes[*v];
    if (wanted.empty()) wanted = node;
    for (const Rect& more : {wanted.united(around), wanted.united(node), around, node}) {
      wanted = more;
      if (fits(more)) break;
    }
  }
  if (wanted.empty()) wanted = frame->layout.nodes[frame->graph.roots.empty() ? 0 : frame->graph.roots.front()];
  const ViewTransform view = ViewTransform::fitting(wanted.grown(60), canvas.size(), kMargin, kLargest);
  GraphCanvas::Place place{std::max(view.scale, kReadable), wanted.center()};
  place.center.x = clampedMiddle(place.center.x, whole.x, whole.w, canvas.width() / place.scale);
  place.center.y = clampedMiddle(place.center.y, whole.y, whole.h, canvas.height() / place.scale);
  return place;
}

}  // namespace rangescope::viewer
