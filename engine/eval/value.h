#pragma once
// What a node of a graph evaluates to: a strided view of an array in memory. Besides the axes of its shape a value has
// one axis for every range that is open at the node, so a graph in the middle of rangeify is evaluated as a whole and
// not loop by loop. Floats are doubles, all else is int64 (uint64 by its bits).

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/ir/dtype.h"
#include "engine/ir/uop.h"

namespace rangescope::eval {

using Sizes = std::vector<int64_t>;

struct Array {
  std::vector<double> floats;    // of a float dtype
  std::vector<int64_t> ints;     // of any other
  std::vector<uint8_t> invalid;  // 1: the element is the invalid value; empty: none is
};

// What an evaluation may use. Everything is taken from here before it is used, and what does not fit is refused.
struct Limits {
  int64_t elements = int64_t{1} << 24;    // of one value
  int64_t work = int64_t{2'000'000'000};  // elements computed in all
  int calls = 32;                         // nested within each other
};

class Meter {
 public:
  explicit Meter(const Limits& limits, bool round_each = false) : limits_(limits), round_each_(round_each) {}
  // Elements of a value with these sizes; refuses (GraphError) more than the limit.
  int64_t elements(std::span<const int64_t> dims) const;
  void work(int64_t elements);
  const Limits& limits() const { return limits_; }
  int64_t used() const { return used_; }
  // Whether floats of this dtype are rounded to it after every op (Inputs::round_each).
  bool rounds(DType dtype) const {
    return round_each_ && is_float(dtype) && !is_weak(dtype) && dtype != DType::float64;
  }

 private:
  Limits limits_;
  bool round_each_ = false;
  int64_t used_ = 0;
};

// The axis of a value that differs from device to device: its key among the ranges is the null node, which sorts first.
inline constexpr UOp kDeviceAxis{};

struct Value {
  DType dtype = DType::void_;
  std::shared_ptr<const Array> data;
  int64_t offset = 0;
  UOps ranges;          // the open ranges, by id
  Sizes dims, strides;  // of the ranges, then of the shape; a stride of 0 repeats

  explicit operator bool() const { return data != nullptr; }
  size_t range_count() const { return ranges.size(); }
  size_t rank() const { return dims.size() - ranges.size(); }
  std::span<const int64_t> shape() const { return std::span(dims).subspan(ranges.size()); }
  int64_t count() const;  // elements, ranges included
  bool has_invalid() const { return !data->invalid.empty(); }
  // Where the range stands among the axes; -1: it is not open here.
  int64_t axis_of(UOp range) const;
};

// What makes a value: an array that is still written, and its layout.
struct Made {
  std::shared_ptr<Array> array = std::make_shared<Array>();
  Value value;
};

int64_t product(std::span<const int64_t> dims);
Sizes row_major(std::span<const int64_t> dims);

// A value of its own memory, zeros, row by row.
Made make_value(DType dtype, UOps ranges, std::span<const int64_t> dims, Meter& meter);
Value scalar_value(DType dtype, const Scalar& value);
// The same elements, row by row in memory of their own (or the value itself where it is that already).
Value dense(const Value& v, Meter& meter);
// The same numbers as another kind: floats for a float dtype, ints for any other. No rounding to the dtype.
Value converted(const Value& v, DType dtype, Meter& meter);

// ** views; the ranges stay. Sizes are of the shape.
Value reshaped(const Value& v, std::span<const int64_t> shape, Meter& meter);
Value permuted(const Value& v, std::span<const int64_t> order);
Value expanded(const Value& v, std::span<const int64_t> shape);  // axes of these sizes are added in front
Value flipped(const Value& v, const std::vector<bool>& axes);
Value shrunk(const Value& v, std::span<const int64_t> offset, std::span<const int64_t> size);
// The part at one place of a range: that axis is gone.
Value at_range(const Value& v, UOp range, int64_t place);

// The union of the ranges of some values with their sizes; refuses one range of two sizes.
struct OpenRanges {
  UOps ranges;
  Sizes sizes;
};
OpenRanges open_ranges(std::span<const Value> values);
// The strides of `v` along these ranges and an aligned (broadcast) shape.
Sizes aligned_strides(const Value& v, std::span<const UOp> ranges, std::span<const int64_t> shape);
// The value with all these ranges and this shape, repeated where it lacks them.
Value aligned(const Value& v, const OpenRanges& open, std::span<const int64_t> shape);
// The shape that these broadcast to.
Sizes broadcast(std::span<const Value> values);

// One element, as a double or an int64 (the other is converted).
double float_at(const Array& a, DType dtype, int64_t i);
int64_t int_at(const Array& a, int64_t i);
// The elements as ints in order; refuses an invalid one. For sizes and offsets.
Sizes as_sizes(const Value& v, Meter& meter);

}  // namespace rangescope::eval
