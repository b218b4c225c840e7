#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "viewer/layout/layered.h"

namespace rangescope::viewer::layered {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Straightener {
 public:
  Straightener(Layered& g, std::vector<double>& x, const LayoutOptions& options)
      : g_(g), x_(x), options_(options), place_(g.items.size()) {
    for (uint32_t r = 0; r < g.rowCount; r++) {
      const auto row = g.row(r);
      for (uint32_t k = 0; k < row.size(); k++) place_[row[k]] = k;
    }
  }

  void run() {
    // Neighbouring edges lean on each other; a second round in the other order frees what the first one could not.
    for (uint32_t v = 0; v < g_.nodeCount; v++) chain(v);
    for (uint32_t v = g_.nodeCount; v-- > 0;) chain(v);
  }

 private:
  struct Room {
    double low, high;
  };

  Room room(uint32_t item) const {
    const auto row = std::as_const(g_).row(g_.items[item].row);
    const uint32_t k = place_[item];
    Room room{-kInfinity, kInfinity};
    if (k > 0) room.low = x_[row[k - 1]] + separation(g_, row[k - 1], item, options_);
    if (k + 1 < row.size()) room.high = x_[row[k + 1]] - separation(g_, item, row[k + 1], options_);
    room.low = std::min(room.low, x_[item]), room.high = std::max(room.high, x_[item]);
    return room;
  }

  // Cuts the lanes of a source into as few upright runs as there is room for.
  void chain(uint32_t v) {
    const uint32_t end = g_.nodeCount + g_.laneStart[v + 1];
    for (uint32_t first = g_.nodeCount + g_.laneStart[v]; first < end;) {
      Room all{-kInfinity, kInfinity};
      uint32_t last = first;
      values_.clear();
      for (; last < end; last++) {
        const Room here = room(last);
        const Room both{std::max(all.low, here.low), std::min(all.high, here.high)};
        if (both.low > both.high) break;
        all = both;
        values_.push_back(x_[last]);
      }
      // At an end of the edge there is a bend less if the run lines up with it.
      double wanted;
      const uint32_t below = g_.down(last - 1).empty() ? last - 1 : g_.links[g_.down(last - 1)[0]].lower;
      if (first == g_.nodeCount + g_.laneStart[v] && x_[v] >= all.low && x_[v] <= all.high) {
        wanted = x_[v];
      } else if (last == end && !g_.isLane(below)) {
        wanted = x_[below] + g_.links[g_.down(last - 1)[0]].offset;
      } else {
        std::nth_element(values_.begin(), values_.begin() + values_.size() / 2, values_.end());
        wanted = values_[values_.size() / 2];
      }
      const double at = std::clamp(wanted, all.low, all.high);
      for (uint32_t lane = first; lane < last; lane++) x_[lane] = at;
      g_.work += last - first;
      first = last;
    }
  }

  Layered& g_;
  std::vector<double>& x_;
  const LayoutOptions& options_;
  std::vector<uint32_t> place_;
  std::vector<double> values_;
};

}  // namespace

void straighten(Layered& g, std::vector<double>& x, const LayoutOptions& options) {
  if (!g.items.empty()) Straightener(g, x, options).run();
}

}  // namespace rangescope::viewer::layered
