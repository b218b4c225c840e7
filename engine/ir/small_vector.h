#pragma once
// For the working lists of walks that are mostly short: the first N elements need no allocation.

#include <boost/container/small_vector.hpp>

namespace rangescope {

template <class T, size_t N = 16>
using SmallVector = boost::container::small_vector<T, N>;

}  // namespace rangescope
