#include <algorithm>
#include <utility>

#include "viewer/layout/isotonic.h"
#include "viewer/layout/layered.h"

namespace rangescope::viewer::layered {

namespace {

// How much a link wants to be straight: pieces of a long edge most of all.
double pull(const Layered& g, const Link& l) {
  const bool upper = g.isLane(l.upper), lower = g.isLane(l.lower);
  return upper && lower ? 8 : upper || lower ? 2 : 1;
}

}  // namespace

void settle(Layered& g, std::vector<double>& x, const LayoutOptions& options) {
  // Alternately down and up, so that a change reaches the whole graph in two sweeps; the last ones look both ways.
  enum Look { Above, Below, Both };
  constexpr Look kSweeps[] = {Below, Above, Below, Above, Both, Both, Both, Both};
  Isotonic isotonic;
  std::vector<double> y, weight, offset;
  bool down = true;
  for (Look look : kSweeps) {
    down = look == Above || (look == Both && !down);
    for (uint32_t step = 0; step < g.rowCount; step++) {
      const auto row = std::as_const(g).row(down ? step : g.rowCount - 1 - step);
      y.resize(row.size()), weight.resize(row.size()), offset.resize(row.size());
      for (size_t k = 0; k < row.size(); k++) {
        const uint32_t item = row[k];
        offset[k] = k == 0 ? 0 : offset[k - 1] + separation(g, row[k - 1], item, options);
        double sum = 0, all = 0;
        if (look != Below)
          for (uint32_t i : g.up(item)) {
            const Link& l = g.links[i];
            sum += pull(g, l) * (x[l.upper] - l.offset), all += pull(g, l);
          }
        if (look != Above)
          for (uint32_t i : g.down(item)) {
            const Link& l = g.links[i];
            sum += pull(g, l) * (x[l.lower] + l.offset), all += pull(g, l);
          }
        // What has no neighbour on that side stays, but gives way.
        y[k] = (all > 0 ? sum / all : x[item]) - offset[k];
        weight[k] = std::max(all, 0.1);
      }
      isotonic.run(y, weight);
      for (size_t k = 0; k < row.size(); k++) x[row[k]] = y[k] + offset[k];
      g.work += row.size();
    }
  }
}

}  // namespace rangescope::viewer::layered
