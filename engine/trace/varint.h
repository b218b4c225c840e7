#pragma once
// Unsigned integers in 7-bit groups, low first; signed ones folded so that small magnitudes stay small.

#include <cstdint>
#include <string>
#include <string_view>

namespace rangescope::trace {

inline void append_varint(std::string& out, uint64_t v) {
  while (v >= 0x80) {
    out.push_back(static_cast<char>(v | 0x80));
    v >>= 7;
  }
  out.push_back(static_cast<char>(v));
}

constexpr uint64_t fold_sign(int64_t v) {
  return (static_cast<uint64_t>(v) << 1) ^ static_cast<uint64_t>(v >> 63);
}
constexpr int64_t unfold_sign(uint64_t v) {
  return static_cast<int64_t>(v >> 1) ^ -static_cast<int64_t>(v & 1);
}

// Reads from text that may be anything: past the end or past 64 bits it gives false, and stays false.
class VarintReader {
 public:
  explicit VarintReader(std::string_view data) : data_(data) {}
  bool read(uint64_t& v) {
    v = 0;
    for (unsigned shift = 0; pos_ < data_.size() && shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(data_[pos_++]);
      v |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return true;
    }
    pos_ = data_.size() + 1;
    return false;
  }
  bool at_end() const { return pos_ == data_.size(); }

 private:
  std::string_view data_;
  size_t pos_ = 0;
};

}  // namespace rangescope::trace
