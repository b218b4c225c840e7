#include "engine/schedule/bitcast.h"

#include <fmt/format.h>

#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/ir/store.h"

namespace rangescope::schedule {

namespace {

DType unsigned_of_size(int bytes) {
  switch (bytes) {
    case 1:
      return DType::uint8;
    case 2:
      return DType::uint16;
    case 4:
      return DType::uint32;
    case 8:
      return DType::uint64;
    default:
      throw GraphError(fmt::format("no unsigned integer has {} bytes", bytes));
  }
}

bool is_on_disk(const Device& device) {
  return !device.is_tuple && !device.is_none() &&
         (device.names[0].starts_with("DISK") || device.names[0].starts_with("TINYFS"));
}

// Several narrow elements make a wide one.
UOp join(UOp narrow, DType wide, int64_t rate, int narrow_bytes) {
  Shape shape = narrow.shape();
  if (shape.empty()) throw GraphError("a BITCAST to a wider dtype needs an axis to take elements from");
  shape.back() = floordiv(shape.back(), Dim(rate));
  shape.emplace_back(rate);
  const UOp grouped = narrow.reshape(shape);
  UOps parts;
  for (int64_t i = 0; i < rate; ++i) {
    std::vector<std::pair<Dim, Dim>> part;
    for (const Dim& d : grouped.shape()) part.emplace_back(Dim(0), d);
    part.back() = {Dim(i), Dim(i + 1)};
    parts.push_back(grouped.shrink(part).cast(wide) << Scalar(8 * i * narrow_bytes));
  }
  return parts[0].usum(std::span(parts).subspan(1)).squeeze(-1);
}

}  // namespace

UOp expand_bitcast(UOp bitcast) {
  const UOp x = bitcast.src(0);
  const int to = itemsize(bitcast.dtype()), from = itemsize(x.dtype());
  if (to == from || is_on_disk(x.device())) return {};
  const DType result = unsigned_of_size(to);
  const UOp bits = x.bitcast(unsigned_of_size(from));
  if (to > from) return join(bits, result, to / from, from).bitcast(bitcast.dtype());
  UOps parts;
  for (int64_t i = 0; i < from / to; ++i) parts.push_back(bits >> Scalar(8 * i * to));
  return parts[0].stack(std::span(parts).subspan(1), -1).flatten(-2).cast(result).bitcast(bitcast.dtype());
}

}  // namespace rangescope::schedule
