#pragma once
// Walks N arrays of equal sizes and own strides together, as few long runs: axes that lie behind each other in all of
// them count as one.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rangescope::eval {

template <size_t N>
struct Walk {
  std::vector<int64_t> dims;
  std::array<std::vector<int64_t>, N> strides;
  std::array<int64_t, N> offsets{};

  // run(offsets, count, steps): `count` elements from these offsets on.
  template <class Run>
  void each_run(Run run) {
    for (const int64_t d : dims)
      if (d == 0) return;
    collapse();
    std::array<int64_t, N> at = offsets, steps{};
    const size_t outer = dims.empty() ? 0 : dims.size() - 1;
    const int64_t count = dims.empty() ? 1 : dims.back();
    for (size_t k = 0; k < N; ++k) steps[k] = dims.empty() ? 0 : strides[k].back();
    std::vector<int64_t> place(outer, 0);
    for (;;) {
      run(at, count, steps);
      size_t d = outer;
      while (d > 0) {
        --d;
        for (size_t k = 0; k < N; ++k) at[k] += strides[k][d];
        if (++place[d] < dims[d]) break;
        for (size_t k = 0; k < N; ++k) at[k] -= strides[k][d] * dims[d];
        place[d] = 0;
        if (d == 0) return;
      }
      if (outer == 0) return;
    }
  }

 private:
  void collapse() {
    size_t kept = 0;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (dims[d] == 1) continue;
      bool joined = kept > 0;
      for (size_t k = 0; k < N && joined; ++k) joined = strides[k][kept - 1] == strides[k][d] * dims[d];
      if (joined) {
        dims[kept - 1] *= dims[d];
        for (size_t k = 0; k < N; ++k) strides[k][kept - 1] = strides[k][d];
        continue;
      }
      dims[kept] = dims[d];
      for (size_t k = 0; k < N; ++k) strides[k][kept] = strides[k][d];
      ++kept;
    }
    dims.resize(kept);
    for (size_t k = 0; k < N; ++k) strides[k].resize(kept);
  }
};

}  // namespace rangescope::eval
