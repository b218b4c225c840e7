#include <algorithm>
#include <numeric>

#include "viewer/layout/layered.h"

namespace rangescope::viewer::layered {

namespace {

// Inversions of a sequence by a binary indexed tree over its values.
class InversionCounter {
 public:
  void reset(size_t size) { tree_.assign(size + 1, 0), seen_ = 0; }
  // Adds `value` and returns how many of those added before are greater.
  uint64_t add(uint32_t value) {
    uint64_t below = 0;
    for (uint32_t i = value + 1; i > 0; i &= i - 1) below += tree_[i];
    for (uint32_t i = value + 1; i < tree_.size(); i += i & -i) tree_[i]++;
    return seen_++ - below;
  }

 private:
  std::vector<uint32_t> tree_;
  uint64_t seen_ = 0;
};

class Sweeper {
 public:
  explicit Sweeper(Layered& g) : g_(g), place_(g.items.size()), value_(g.items.size()) {
    for (uint32_t r = 0; r < g.rowCount; r++) number(r);
  }

  uint64_t crossings() {
    uint64_t sum = 0;
    for (uint32_t r = 0; r + 1 < g_.rowCount; r++) sum += crossingsBelow(r);
    return sum;
  }

  // Orders a row by the mean place of its neighbours in the row above (down sweep) or below.
  void orderRow(uint32_t r, bool byUpper) {
    const auto row = g_.row(r);
    slots_.clear();
    moving_.clear();
    for (uint32_t k = 0; k < row.size(); k++) {
      const uint32_t item = row[k];
      const auto links = byUpper ? g_.up(item) : g_.down(item);
      if (links.empty()) continue;
      double sum = 0;
      for (uint32_t l : links) sum += byUpper ? place_[g_.links[l].upper] : lowerPlace(g_.links[l]);
      value_[item] = sum / links.size();
      g_.work += links.size();
      slots_.push_back(k);
      moving_.push_back(item);
    }
    // Items without neighbours there keep their slots; ties keep the order they had.
    std::stable_sort(moving_.begin(), moving_.end(), [&](uint32_t a, uint32_t b) { return value_[a] < value_[b]; });
    for (size_t i = 0; i < slots_.size(); i++) row[slots_[i]] = moving_[i];
    number(r);
  }

  // Swaps neighbours where that removes crossings; true if any did.
  bool transpose(uint32_t r) {
    const auto row = g_.row(r);
    bool any = false;
    for (uint32_t k = 0; k + 1 < row.size(); k++) {
      const uint32_t a = row[k], b = row[k + 1];
      const int64_t gain = crossed(g_.up(a), g_.up(b), true) - crossed(g_.up(b), g_.up(a), true) +
                           crossed(g_.down(a), g_.down(b), false) - crossed(g_.down(b), g_.down(a), false);
      if (gain <= 0) continue;
      std::swap(row[k], row[k + 1]);
      std::swap(place_[a], place_[b]);
      any = true;
    }
    return any;
  }

  void renumber() {
    for (uint32_t r = 0; r < g_.rowCount; r++) number(r);
  }

 private:
  void number(uint32_t r) {
    const auto row = g_.row(r);
    for (uint32_t k = 0; k < row.size(); k++) place_[row[k]] = k;
  }

  // Places within a row are a unit apart; ports lie in between, so that sources line up in port order.
  double lowerPlace(const Link& l) const {
    const double width = g_.items[l.lower].width;
    return place_[l.lower] + (width > 0 ? l.offset / width * 0.9 : 0);
  }

  uint64_t crossingsBelow(uint32_t r) {
    // Lower ends get numbers by item and port, so that equal ends never count as crossed.
    const auto lower = g_.row(r + 1);
    uint32_t ends = 0;
    base_.resize(g_.items.size());
    for (uint32_t item : lower) base_[item] = ends, ends += static_cast<uint32_t>(g_.up(item).size());
    endOf_.resize(g_.links.size());
    for (uint32_t item : lower) {
      uint32_t k = base_[item];
      for (uint32_t l : g_.up(item)) endOf_[l] = k++;
    }
    counter_.reset(ends);
    uint64_t sum = 0;
    for (uint32_t item : g_.row(r)) {
      sorted_.clear();
      for (uint32_t l : g_.down(item)) sorted_.push_back(endOf_[l]);
      std::sort(sorted_.begin(), sorted_.end());
      for (uint32_t end : sorted_) sum += counter_.add(end);
    }
    g_.work += ends + lower.size();
    return sum;
  }

  // Crossings between the links of two neighbours, `left` standing left of `right`.
  int64_t crossed(std::span<const uint32_t> left, std::span<const uint32_t> right, bool upwards) {
    const auto key = [&](uint32_t l) {
      const Link& link = g_.links[l];
      return upwards ? static_cast<double>(place_[link.upper]) : lowerPlace(link);
    };
    g_.work += left.size() + right.size();
    if (left.size() * right.size() <= 16) {
      int64_t sum = 0;
      for (uint32_t a : left)
        for (uint32_t b : right) sum += key(a) > key(b);
      return sum;
    }
    leftKeys_.clear(), rightKeys_.clear();
    for (uint32_t l : left) leftKeys_.push_back(key(l));
    for (uint32_t l : right) rightKeys_.push_back(key(l));
    std::sort(leftKeys_.begin(), leftKeys_.end());
    std::sort(rightKeys_.begin(), rightKeys_.end());
    int64_t sum = 0;
    size_t below = 0;
    for (double k : leftKeys_) {
      while (below < rightKeys_.size() && rightKeys_[below] < k) below++;
      sum += below;
    }
    return sum;
  }

  Layered& g_;
  std::vector<uint32_t> place_;
  std::vector<double> value_;
  std::vector<uint32_t> slots_, moving_, base_, endOf_, sorted_;
  std::vector<double> leftKeys_, rightKeys_;
  InversionCounter counter_;
};

}  // namespace

void orderBySource(Layered& g, const SceneGraph& graph, const Adjacency& adjacency, const SourceOrder& order) {
  std::vector<uint32_t> met(g.items.size(), UINT32_MAX);
  for (uint32_t v = 0; v < g.nodeCount; v++) {
    met[v] = order.nodeVisit[v];
    // A lane is met with the first of the edges that pass through it.
    const uint32_t first = g.nodeCount + g.laneStart[v];
    for (uint32_t i = adjacency.userStart[v]; i < adjacency.userStart[v + 1]; i++) {
      const uint32_t e = adjacency.userEdges[i];
      if (g.express[e]) continue;
      const int32_t span = g.items[graph.edges[e].to].row - g.items[v].row;
      if (span > 1) met[first + span - 2] = std::min(met[first + span - 2], order.edgeVisit[e]);
    }
    for (uint32_t lane = g.nodeCount + g.laneStart[v + 1]; lane-- > first + 1;)
      met[lane - 1] = std::min(met[lane - 1], met[lane]);
  }
  for (uint32_t r = 0; r < g.rowCount; r++) {
    const auto row = g.row(r);
    std::sort(row.begin(), row.end(),
              [&](uint32_t a, uint32_t b) { return met[a] != met[b] ? met[a] < met[b] : a < b; });
  }
}

uint64_t countCrossings(const Layered& g) {
  Layered copy = g;
  return Sweeper(copy).crossings();
}

bool reduceCrossings(Layered& g, uint32_t sweeps, const std::stop_token& stop) {
  if (sweeps == 0 || g.rowCount < 2) return true;
  Sweeper sweeper(g);
  std::vector<uint32_t> best = g.order;
  uint64_t fewest = sweeper.crossings();
  uint32_t idle = 0;
  for (uint32_t s = 0; s < sweeps && fewest > 0 && idle < 3; s++) {
    if (stop.stop_requested()) return false;
    // The first sweep goes up: source order is a reader's order from the outputs, so it already suits them.
    if (s % 2 == 0) {
      for (uint32_t r = g.rowCount - 1; r-- > 0;) sweeper.orderRow(r, false);
    } else {
      for (uint32_t r = 1; r < g.rowCount; r++) sweeper.orderRow(r, true);
    }
    const uint64_t now = sweeper.crossings();
    idle = now < fewest ? 0 : idle + 1;
    if (now < fewest) fewest = now, best = g.order;
  }
  g.order = best;
  sweeper.renumber();
  for (int pass = 0; pass < 4; pass++) {
    if (stop.stop_requested()) return false;
    bool any = false;
    for (uint32_t r = 0; r < g.rowCount; r++) any |= sweeper.transpose(r);
    if (!any) break;
  }
  return true;
}

}  // namespace rangescope::viewer::layered
