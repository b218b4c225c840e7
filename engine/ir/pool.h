#pragma once
// A list that only grows, whose elements never move: memory in large chunks.

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace rangescope {

template <class T>
class Pool {
 public:
  Pool() = default;
  ~Pool() { clear(); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  template <class... A>
  T& emplace_back(A&&... a) {
    if (size_ % kChunk == 0) chunks_.push_back(std::make_unique_for_overwrite<Chunk>());
    T* made = std::construct_at(at(size_), std::forward<A>(a)...);
    ++size_;
    return *made;
  }
  void clear() {
    for (size_t i = 0; i < size_; ++i) std::destroy_at(at(i));
    chunks_.clear();
    size_ = 0;
  }
  T& operator[](size_t i) { return *at(i); }
  T& back() { return *at(size_ - 1); }
  size_t size() const { return size_; }

 private:
  static constexpr size_t kChunk = 256;
  struct Chunk {
    alignas(T) std::byte bytes[kChunk * sizeof(T)];  // NOLINT(bugprone-sizeof-expression): a T may be a pointer
  };
  T* at(size_t i) { return reinterpret_cast<T*>(chunks_[i / kChunk]->bytes) + i % kChunk; }

  std::vector<std::unique_ptr<Chunk>> chunks_;
  size_t size_ = 0;
};

}  // namespace rangescope
