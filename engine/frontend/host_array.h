#pragma once
// Numbers of the host on their way to a tensor or back: dtype, shape, and the elements row by row as the dtype's bytes
// (little endian; a bool is a byte of 0 or 1).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/ir/dtype.h"
#include "engine/ir/scalar.h"

namespace rangescope::frontend {

struct HostArray {
  DType dtype = DType::float32;
  std::vector<int64_t> shape;
  std::shared_ptr<const std::vector<std::byte>> bytes;

  int64_t count() const;
  // Elements as numbers: rounded to the dtype on the way in. Refuses a count that is not the shape's.
  static HostArray from_doubles(DType dtype, std::vector<int64_t> shape, std::span<const double> values);
  static HostArray from_ints(DType dtype, std::vector<int64_t> shape, std::span<const int64_t> values);
  // Refuses a size that is not the shape's.
  static HostArray from_bytes(DType dtype, std::vector<int64_t> shape, std::span<const std::byte> bytes);
  std::vector<double> to_doubles() const;
  std::vector<int64_t> to_ints() const;  // floats are truncated
};

}  // namespace rangescope::frontend
