#pragma once
// A .npy file with numbers, read where it lies: a large one is not loaded. And what is worth knowing of them.

#include <QFile>
#include <QString>
#include <memory>
#include <stop_token>
#include <vector>

#include "engine/ir/error.h"

namespace rangescope::viewer {

class ArrayFile {
 public:
  static Result<std::shared_ptr<const ArrayFile>> open(const QString& path);

  int64_t count() const { return count_; }
  int64_t width() const { return width_; }  // of a row; 0: it has one dimension
  const QString& dtype() const { return dtype_; }
  bool isFloat() const { return kind_ == 'f'; }
  double at(int64_t i) const;     // integers of 64 bits are rounded
  QString text(int64_t i) const;  // all of its digits
  QString shortText(int64_t i) const;

 private:
  ArrayFile() = default;
  Result<void> readHeader();
  QFile file_;
  QString dtype_;
  const uchar* data_ = nullptr;
  int64_t count_ = 0, width_ = 0;
  char kind_ = 'f';
  int size_ = 4;
};

struct ArrayFigures {
  double least = 0, most = 0, mean = 0;  // of what is finite
  int64_t finite = 0, nans = 0, infinities = 0, zeros = 0;
  int64_t firstNan = -1, firstInfinity = -1;
  std::vector<int64_t> histogram;  // of what is finite, from least to most
  int64_t firstBad() const {
    if (firstNan < 0 || firstInfinity < 0) return std::max(firstNan, firstInfinity);
    return std::min(firstNan, firstInfinity);
  }
};

inline constexpr int kHistogramBins = 96;
ArrayFigures figuresOf(const ArrayFile& array, const std::stop_token& stop = {});

}  // namespace rangescope::viewer
