#include <algorithm>
#include <cmath>
#include <limits>

#include "viewer/layout/isotonic.h"
#include "viewer/layout/layered.h"

// The step after a step. Survivors bring their places as hints; what is new gets its hint from its neighbours, stands
// in the free room nearest to it, and moves survivors only where there is none.
namespace rangescope::viewer::layered {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Anchorer {
 public:
  Anchorer(Layered& g, const SourceOrder& order, Hints& hints, const LayoutOptions& options)
      : g_(g), order_(order), hints_(hints), options_(options) {}

  std::vector<double> run() {
    fresh_.resize(g_.items.size());
    for (size_t i = 0; i < fresh_.size(); i++) fresh_[i] = hints_.weight[i] == 0;
    // Users first, since a replacement stands where its users expect it; then sources, then both together.
    for (size_t i = order_.topological.size(); i-- > 0;) hintNode(order_.topological[i], false, true);
    for (uint32_t v : order_.topological) hintNode(v, true, true);
    for (size_t i = order_.topological.size(); i-- > 0;) hintNode(order_.topological[i], true, true);
    for (size_t i = 0; i < fresh_.size(); i++) hints_.weight[i] = std::max(hints_.weight[i], kNew);
    for (uint32_t r = 0; r < g_.rowCount; r++) placeRow(r);
    return std::move(hints_.x);
  }

 private:
  // Mean of what the neighbours of a new node hint at, then its lanes.
  void hintNode(uint32_t v, bool bySources, bool byUsers) {
    if (fresh_[v]) {
      double sum = 0, count = 0;
      if (byUsers) takeUsers(v, sum, count);
      if (bySources) takeSources(v, sum, count);
      if (count > 0) hints_.x[v] = sum / count, hints_.weight[v] = kNew;
    }
    for (uint32_t lane = g_.nodeCount + g_.laneStart[v + 1]; lane-- > g_.nodeCount + g_.laneStart[v];) {
      if (!fresh_[lane]) continue;
      double sum = 0, count = 0;
      takeUsers(lane, sum, count);
      if (count == 0 && hints_.weight[v] > 0) sum = hints_.x[v], count = 1;
      if (count > 0) hints_.x[lane] = sum / count, hints_.weight[lane] = kNew;
    }
  }

  void takeUsers(uint32_t item, double& sum, double& count) {
    for (uint32_t l : g_.down(item)) take(g_.links[l].lower, g_.links[l].offset, sum, count);
  }
  void takeSources(uint32_t item, double& sum, double& count) {
    for (uint32_t l : g_.up(item)) take(g_.links[l].upper, -g_.links[l].offset, sum, count);
  }
  void take(uint32_t other, double offset, double& sum, double& count) {
    g_.work++;
    if (hints_.weight[other] == 0) return;
    sum += hints_.x[other] + offset;
    count++;
  }

  void placeRow(uint32_t r) {
    const auto row = g_.row(r);
    if (row.empty()) return;
    findRoom(row);
    const auto met = [&](uint32_t item) { return order_.nodeVisit[g_.items[item].owner]; };
    std::sort(row.begin(), row.end(), [&](uint32_t a, uint32_t b) {
      if (hints_.x[a] != hints_.x[b]) return hints_.x[a] < hints_.x[b];
      if (met(a) != met(b)) return met(a) < met(b);
      return a < b;
    });
    const size_t n = row.size();
    g_.work += n;
    // In y every item may touch its neighbour, so that order is all there is to keep.
    offset_.resize(n);
    offset_[0] = 0;
    for (size_t k = 1; k < n; k++) offset_[k] = offset_[k - 1] + separation(g_, row[k - 1], row[k], options_);
    y_.resize(n), weight_.resize(n);
    for (size_t k = 0; k < n; k++) {
      y_[k] = hints_.x[row[k]] - offset_[k];
      weight_[k] = hints_.weight[row[k]];
    }
    if (std::is_sorted(y_.begin(), y_.end())) return;
    if (!fitBetweenSurvivors()) isotonic_.run(y_, weight_);
    for (size_t k = 0; k < n; k++) hints_.x[row[k]] = y_[k] + offset_[k];
  }

  // Moves the hints of what has no place yet into the nearest gap between survivors that still has room, if one is
  // near.
  void findRoom(std::span<const uint32_t> row) {
    homeless_.clear(), fixed_.clear();
    for (uint32_t item : row) {
      const double w = hints_.weight[item];
      if (w >= kSurvivor) fixed_.push_back(item);
      if (w < kSurvivor && w != kLane) homeless_.push_back(item);
    }
    if (homeless_.empty() || fixed_.empty()) return;
    const auto byHint = [&](uint32_t a, uint32_t b) {
      return hints_.x[a] != hints_.x[b] ? hints_.x[a] < hints_.x[b] : a < b;
    };
    std::sort(fixed_.begin(), fixed_.end(), byHint);
    std::sort(homeless_.begin(), homeless_.end(), byHint);
    const size_t gaps = fixed_.size() + 1;
    const auto gapAt = [&](double x) {
      return static_cast<size_t>(std::upper_bound(fixed_.begin(), fixed_.end(), x,
                                                  [&](double v, uint32_t item) { return v < hints_.x[item]; }) -
                                 fixed_.begin());
    };
    taken_.assign(gaps, 0);
    const auto need = [&](uint32_t item) {
      return g_.items[item].width + (g_.isLane(item) ? options_.laneGap : options_.nodeGap);
    };
    for (uint32_t item : row)
      if (hints_.weight[item] == kLane) taken_[gapAt(hints_.x[item])] += need(item);
    for (uint32_t item : homeless_) {
      const double x = hints_.x[item], width = g_.items[item].width;
      const size_t ideal = gapAt(x);
      size_t best = ideal;
      double bestX = x, bestCost = kInfinity;
      const auto consider = [&](size_t gap) {
        const double low =
            gap == 0 ? -kInfinity : hints_.x[fixed_[gap - 1]] + separation(g_, fixed_[gap - 1], item, options_);
        const double high =
            gap + 1 == gaps ? kInfinity : hints_.x[fixed_[gap]] - separation(g_, item, fixed_[gap], options_);
        if (high - low < taken_[gap] - 1e-6) return;
        const double at = std::clamp(x, low, std::max(low, high));
        if (std::abs(at - x) < bestCost) best = gap, bestX = at, bestCost = std::abs(at - x);
      };
      constexpr size_t kReach = 24;
      consider(ideal);
      for (size_t d = 1; d <= kReach && bestCost > 0; d++) {
        if (ideal >= d) consider(ideal - d);
        if (ideal + d < gaps) consider(ideal + d);
      }
      g_.work += kReach;
      // Farther than this a survivor that steps aside disturbs less; an edge may bend farther than a node may stray.
      if (bestCost > (g_.isLane(item) ? 1000 : 400 + 2 * width)) continue;
      hints_.x[item] = bestX;
      taken_[best] += need(item);
    }
  }

  // Leaves survivors alone and places each run between two of them. False, with y_ untouched, if one has no room.
  bool fitBetweenSurvivors() {
    const size_t n = y_.size();
    double last = -kInfinity;
    for (size_t k = 0; k < n; k++) {
      if (weight_[k] < kSurvivor) continue;
      // A hair of a pixel is rounding, not want of room.
      if (y_[k] < last - 1e-6) return false;
      last = std::max(last, y_[k]);
    }
    for (size_t k = 0; k < n;) {
      if (weight_[k] >= kSurvivor) {
        k++;
        continue;
      }
      size_t end = k;
      while (end < n && weight_[end] < kSurvivor) end++;
      double low = -kInfinity, high = kInfinity;
      if (k > 0) low = y_[k - 1];
      if (end < n) high = y_[end];
      run_.assign(y_.begin() + k, y_.begin() + end);
      runWeight_.assign(weight_.begin() + k, weight_.begin() + end);
      isotonic_.run(run_, runWeight_);
      for (size_t i = k; i < end; i++) y_[i] = std::clamp(run_[i - k], low, std::max(low, high));
      k = end;
    }
    return true;
  }

  Layered& g_;
  const SourceOrder& order_;
  Hints& hints_;
  const LayoutOptions& options_;
  std::vector<bool> fresh_;
  std::vector<double> offset_, y_, weight_, run_, runWeight_, taken_;
  std::vector<uint32_t> homeless_, fixed_;
  Isotonic isotonic_;
};

}  // namespace

std::vector<double> anchor(Layered& g, const SourceOrder& order, Hints hints, const LayoutOptions& options) {
  if (g.items.empty()) return {};
  return Anchorer(g, order, hints, options).run();
}

}  // namespace rangescope::viewer::layered
