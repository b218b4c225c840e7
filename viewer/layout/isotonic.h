#pragma once

#include <cstddef>
#include <vector>

namespace rangescope::viewer::layered {

// Weighted isotonic regression: the non-decreasing sequence nearest to `y` (least squares), in place, by merging
// blocks. Linear. With distances subtracted first, it is the best placement of a row whose order is given.
class Isotonic {
 public:
  void run(std::vector<double>& y, const std::vector<double>& weight) {
    blocks_.clear();
    for (size_t i = 0; i < y.size(); i++) {
      blocks_.push_back({y[i], weight[i], 1});
      while (blocks_.size() > 1 && blocks_[blocks_.size() - 2].mean > blocks_.back().mean) {
        const Block last = blocks_.back();
        blocks_.pop_back();
        Block& b = blocks_.back();
        b.mean = (b.mean * b.weight + last.mean * last.weight) / (b.weight + last.weight);
        b.weight += last.weight;
        b.count += last.count;
      }
    }
    size_t i = 0;
    for (const Block& b : blocks_)
      for (size_t k = 0; k < b.count; k++) y[i++] = b.mean;
  }

 private:
  struct Block {
    double mean;
    double weight;
    size_t count;
  };
  std::vector<Block> blocks_;
};

}  // namespace rangescope::viewer::layered
