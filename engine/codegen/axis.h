#pragma once
// The argument of a RANGE: its ids, then what kind of axis it is.

#include <algorithm>
#include <cstdint>
#include <span>

#include "engine/ir/error.h"
#include "engine/ir/store.h"
#include "engine/ir/uop.h"

namespace rangescope::codegen {

inline AxisType axis_type(UOp range) {
  return range.arg().as_tuple().back().as<AxisType>();
}
inline int64_t axis_id(UOp range) {
  return range.arg().as_tuple().front().as_int64();
}
// Its ids as a key.
inline Arg axis_key(UOp range) {
  const Arg::Tuple& t = range.arg().as_tuple();
  return Arg(Arg::Tuple(t.begin(), t.end() - 1));
}
// Whether the second element of the argument is this type: a range that was split has an id there and is of no type to
// the rules that look here.
inline bool second_is(UOp range, std::initializer_list<AxisType> types) {
  const auto* a = range.arg().as_tuple().at(1).get_if<AxisType>();
  if (a == nullptr) return false;
  return std::ranges::find(types, *a) != types.end();
}
// Number of steps of a range of constant bounds.
inline int64_t axis_size(UOp range) {
  const std::optional<int64_t> n = (range.vmax().as_int() + Int(1)).to_int64();
  if (!n) throw GraphError("a range has more steps than 64 bits count");
  return *n;
}
// The same range with other ids or another type.
inline UOp with_axis(UOp range, const Arg& ids, AxisType type) {
  Arg::Tuple t = ids.as_tuple();
  t.emplace_back(type);
  return range.with_arg(Arg(std::move(t)));
}

// Calls f with every index of a box, the last dimension fastest. Once for no dimension.
template <class F>
void for_each_index(std::span<const int64_t> sizes, F f) {
  for (const int64_t s : sizes)
    if (s <= 0) return;
  std::vector<int64_t> at(sizes.size(), 0);
  for (;;) {
    f(std::span<const int64_t>(at));
    size_t d = sizes.size();
    while (d > 0 && ++at[d - 1] == sizes[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

}  // namespace rangescope::codegen
