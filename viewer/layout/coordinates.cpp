#include <algorithm>
#include <limits>
#include <utility>

#include "viewer/layout/layered.h"

// Brandes and Koepf, Fast and simple horizontal coordinate assignment (2001): four alignments of items with a median
// neighbour, each compacted, and the mean of the middle two. Compaction is two longest-path passes over the graph of
// blocks, which needs no classes and so avoids the flaw of the published one.
namespace rangescope::viewer::layered {

namespace {

constexpr uint32_t kNone = ~0u;

class Aligner {
 public:
  Aligner(Layered& g, const LayoutOptions& options) : g_(g), options_(options), place_(g.items.size()) {
    for (uint32_t r = 0; r < g.rowCount; r++) {
      const auto row = g.row(r);
      for (uint32_t k = 0; k < row.size(); k++) place_[row[k]] = k;
    }
    markConflicts();
  }

  // One of the four: neighbours above or below, leftmost or rightmost first.
  std::vector<double> run(bool fromAbove, bool leftmost) {
    align(fromAbove, leftmost);
    return compact(leftmost);
  }

 private:
  // Links that cross a piece of a long edge give way to it, so that long edges come out straight.
  void markConflicts() {
    conflict_.assign(g_.links.size(), false);
    for (uint32_t r = 0; r + 1 < g_.rowCount; r++) {
      const auto lower = g_.row(r + 1);
      const size_t upperSize = g_.row(r).size();
      uint32_t low = 0, scanned = 0;
      for (uint32_t k = 0; k < lower.size(); k++) {
        uint32_t inner = kNone;
        if (g_.isLane(lower[k]))
          for (uint32_t l : g_.up(lower[k]))
            if (g_.isLane(g_.links[l].upper)) inner = place_[g_.links[l].upper];
        if (inner == kNone && k + 1 < lower.size()) continue;
        const uint32_t high = inner != kNone ? inner : static_cast<uint32_t>(upperSize);
        for (; scanned <= k; scanned++)
          for (uint32_t l : g_.up(lower[scanned])) {
            const uint32_t at = place_[g_.links[l].upper];
            const bool isInner = g_.isLane(lower[scanned]) && g_.isLane(g_.links[l].upper);
            if (!isInner && (at < low || at > high)) conflict_[l] = true;
          }
        low = high;
      }
    }
    g_.work += g_.links.size();
  }

  void align(bool fromAbove, bool leftmost) {
    const size_t n = g_.items.size();
    root_.resize(n), next_.resize(n);
    for (uint32_t i = 0; i < n; i++) root_[i] = next_[i] = i;
    for (uint32_t step = 0; step < g_.rowCount; step++) {
      const uint32_t r = fromAbove ? step : g_.rowCount - 1 - step;
      const auto row = g_.row(r);
      int64_t reached = leftmost ? -1 : std::numeric_limits<int64_t>::max();
      for (size_t i = 0; i < row.size(); i++) {
        const uint32_t item = row[leftmost ? i : row.size() - 1 - i];
        neighbours_.clear();
        for (uint32_t l : fromAbove ? g_.up(item) : g_.down(item))
          neighbours_.push_back({fromAbove ? g_.links[l].upper : g_.links[l].lower, l});
        if (neighbours_.empty()) continue;
        std::sort(neighbours_.begin(), neighbours_.end(), [&](const auto& a, const auto& b) {
          return place_[a.item] != place_[b.item] ? place_[a.item] < place_[b.item] : a.link < b.link;
        });
        g_.work += neighbours_.size();
        const size_t d = neighbours_.size();
        const size_t medians[2] = {leftmost ? (d - 1) / 2 : d / 2, leftmost ? d / 2 : (d - 1) / 2};
        for (size_t m : medians) {
          if (next_[item] != item) break;
          const auto [other, link] = neighbours_[m];
          const int64_t at = place_[other];
          if (conflict_[link] || (leftmost ? at <= reached : at >= reached)) continue;
          next_[other] = item;
          root_[item] = root_[other];
          next_[item] = root_[item];
          reached = at;
        }
      }
    }
  }

  std::vector<double> compact(bool leftmost) {
    const size_t n = g_.items.size();
    // Blocks in an order in which a block comes after all those to its left: their graph has no cycle, since aligned
    // links do not cross.
    indegree_.assign(n, 0);
    for (uint32_t r = 0; r < g_.rowCount; r++) {
      const auto row = g_.row(r);
      for (uint32_t k = 1; k < row.size(); k++) indegree_[root_[row[k]]]++;
    }
    sorted_.clear();
    for (uint32_t i = 0; i < n; i++)
      if (root_[i] == i && indegree_[i] == 0) sorted_.push_back(i);
    std::vector<double> x(n, 0);
    const auto eachMember = [&](uint32_t block, auto f) {
      uint32_t item = block;
      do {
        f(item);
        item = next_[item];
      } while (item != block);
    };
    for (size_t i = 0; i < sorted_.size(); i++)
      eachMember(sorted_[i], [&](uint32_t item) {
        const auto row = std::as_const(g_).row(g_.items[item].row);
        if (place_[item] + 1 == row.size()) return;
        const uint32_t right = row[place_[item] + 1], block = root_[right];
        x[block] = std::max(x[block], x[sorted_[i]] + separation(g_, item, right, options_));
        if (--indegree_[block] == 0) sorted_.push_back(block);
      });
    // Then each block moves right, up to its right neighbours, where it has any; the mirror image for rightmost.
    double width = 0;
    for (uint32_t block : sorted_) width = std::max(width, x[block]);
    if (leftmost) {
      for (size_t i = sorted_.size(); i-- > 0;) {
        double room = std::numeric_limits<double>::infinity();
        eachMember(sorted_[i], [&](uint32_t item) {
          const auto row = std::as_const(g_).row(g_.items[item].row);
          if (place_[item] + 1 == row.size()) return;
          const uint32_t right = row[place_[item] + 1];
          room = std::min(room, x[root_[right]] - separation(g_, item, right, options_));
        });
        if (room < std::numeric_limits<double>::infinity()) x[sorted_[i]] = std::max(x[sorted_[i]], room);
      }
    } else {
      std::vector<double> right(n, width);
      for (size_t i = sorted_.size(); i-- > 0;)
        eachMember(sorted_[i], [&](uint32_t item) {
          if (place_[item] == 0) return;
          const uint32_t left = std::as_const(g_).row(g_.items[item].row)[place_[item] - 1];
          right[root_[left]] = std::min(right[root_[left]], right[sorted_[i]] - separation(g_, left, item, options_));
        });
      for (uint32_t block : sorted_) {
        double room = -std::numeric_limits<double>::infinity();
        eachMember(block, [&](uint32_t item) {
          if (place_[item] == 0) return;
          const uint32_t left = std::as_const(g_).row(g_.items[item].row)[place_[item] - 1];
          room = std::max(room, right[root_[left]] + separation(g_, left, item, options_));
        });
        if (room > -std::numeric_limits<double>::infinity()) right[block] = std::min(right[block], room);
      }
      x = std::move(right);
    }
    for (uint32_t i = 0; i < n; i++) x[i] = x[root_[i]];
    g_.work += n;
    return x;
  }

  struct Neighbour {
    uint32_t item;
    uint32_t link;
  };
  Layered& g_;
  const LayoutOptions& options_;
  std::vector<uint32_t> place_, root_, next_, indegree_, sorted_;
  std::vector<bool> conflict_;
  std::vector<Neighbour> neighbours_;
};

}  // namespace

std::vector<double> coordinates(Layered& g, const LayoutOptions& options) {
  const size_t n = g.items.size();
  if (n == 0) return {};
  Aligner aligner(g, options);
  std::vector<double> runs[4];
  double low[4], high[4];
  size_t narrowest = 0;
  for (int i = 0; i < 4; i++) {
    runs[i] = aligner.run(i < 2, i % 2 == 0);
    low[i] = std::numeric_limits<double>::infinity(), high[i] = -low[i];
    for (size_t k = 0; k < n; k++) {
      low[i] = std::min(low[i], runs[i][k] - g.items[k].width / 2);
      high[i] = std::max(high[i], runs[i][k] + g.items[k].width / 2);
    }
    if (high[i] - low[i] < high[narrowest] - low[narrowest]) narrowest = i;
  }
  for (int i = 0; i < 4; i++) {
    const double shift = i % 2 == 0 ? low[narrowest] - low[i] : high[narrowest] - high[i];
    for (double& v : runs[i]) v += shift;
  }
  std::vector<double> x(n);
  for (size_t k = 0; k < n; k++) {
    double v[4] = {runs[0][k], runs[1][k], runs[2][k], runs[3][k]};
    std::sort(v, v + 4);
    x[k] = (v[1] + v[2]) / 2;
  }
  return x;
}

}  // namespace rangescope::viewer::layered
