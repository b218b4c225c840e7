#include "engine/symbolic/int_set.h"

#include <cstdint>
#include <optional>

namespace rangescope::symbolic {

namespace {

// CPython's set of ints: open addressing, a short linear probe, then a perturbed jump; it grows fourfold.
class PythonSet {
 public:
  void add(Int value) {
    const uint64_t hash = floormod(value, kModulus).low_bits();
    std::optional<Int>* free = find(value, hash, true);
    if (free == nullptr) return;
    *free = value;
    ++used_;
    if (used_ * 5 >= mask() * 3) grow();
  }
  std::vector<Int> items() const {
    std::vector<Int> out;
    for (const std::optional<Int>& s : slots_)
      if (s) out.push_back(*s);
    return out;
  }

 private:
  static constexpr uint64_t kLinearProbes = 9;
  static constexpr int kPerturbShift = 5;
  inline static const Int kModulus = Int::pow2(61) - Int(1);

  uint64_t mask() const { return slots_.size() - 1; }

  // The free slot for the value; null where `unique` and it is there already.
  std::optional<Int>* find(Int value, uint64_t hash, bool unique) {
    uint64_t perturb = hash;
    uint64_t i = hash & mask();
    while (true) {
      const uint64_t last = i + kLinearProbes <= mask() ? i + kLinearProbes : i;
      for (uint64_t at = i; at <= last; ++at) {
        if (!slots_[at]) return &slots_[at];
        if (unique && *slots_[at] == value) return nullptr;
      }
      perturb >>= kPerturbShift;
      i = (i * 5 + 1 + perturb) & mask();
    }
  }

  void grow() {
    const std::vector<Int> kept = items();
    size_t size = 8;
    while (size <= used_ * (used_ > 50000 ? 2 : 4)) size *= 2;
    slots_.assign(size, std::nullopt);
    for (const Int v : kept) *find(v, floormod(v, kModulus).low_bits(), false) = v;
  }

  std::vector<std::optional<Int>> slots_ = std::vector<std::optional<Int>>(8);
  uint64_t used_ = 0;
};

}  // namespace

std::vector<Int> python_set_order(const std::vector<Int>& values) {
  PythonSet set;
  for (const Int v : values) set.add(v);
  return set.items();
}

}  // namespace rangescope::symbolic
