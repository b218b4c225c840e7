#pragma once
// Numbers of things by their hash: open addressing, with the hash beside each number, so that hardly anything is looked
// at that is not what is sought.

#include <cstdint>
#include <utility>
#include <vector>

namespace rangescope {

class HashIndex {
 public:
  HashIndex() : entries_(1024) {}

  // The number with this hash for which `equal(number)` holds; kNone where there is none.
  template <class Equal>
  uint32_t find(uint64_t hash, Equal equal) {
    const uint32_t h = fold(hash);
    const size_t mask = entries_.size() - 1;
    for (place_ = h & mask; entries_[place_].number != kNone; place_ = (place_ + 1) & mask)
      if (entries_[place_].hash == h && equal(entries_[place_].number)) return entries_[place_].number;
    return kNone;
  }
  // Puts a number where the last find, for the same hash, found nothing.
  void insert(uint64_t hash, uint32_t number) {
    entries_[place_] = {number, fold(hash)};
    if (++size_ * 2 > entries_.size()) grow();
  }

  void clear() { *this = HashIndex(); }

  static constexpr uint32_t kNone = UINT32_MAX;

 private:
  struct Entry {
    uint32_t number = kNone;
    uint32_t hash = 0;
  };
  static uint32_t fold(uint64_t hash) { return static_cast<uint32_t>(hash ^ hash >> 32); }

  void grow() {
    std::vector<Entry> bigger(entries_.size() * 2);
    const size_t mask = bigger.size() - 1;
    for (const Entry& e : entries_) {
      if (e.number == kNone) continue;
      size_t i = e.hash & mask;
      while (bigger[i].number != kNone) i = (i + 1) & mask;
      bigger[i] = e;
    }
    entries_ = std::move(bigger);
  }

  std::vector<Entry> entries_;
  size_t size_ = 0;
  size_t place_ = 0;
};

}  // namespace rangescope
