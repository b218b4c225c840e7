#pragma once
// Where pieces of one memory go: a two-level segregated fit allocator (reference: runtime/support/memory.py). Free
// blocks are kept by size class; the first block of the smallest class that is sure to fit is taken, and neighbours
// that are free are merged. It hands out offsets and touches no memory.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace rangescope::schedule {

class TlsfAllocator {
 public:
  // Sizes between two powers of two are told apart in 2^bit_width(second_level) classes.
  TlsfAllocator(int64_t size, int64_t block_size, int64_t second_level);

  std::optional<int64_t> alloc(int64_t size);  // nothing: no free block is large enough
  void free(int64_t start);

 private:
  struct Block {
    int64_t size;
    std::optional<int64_t> next, prev;
    bool is_free;
  };

  size_t first_level(int64_t size) const;
  size_t second_level(int64_t size) const;
  std::vector<int64_t>& bucket(int64_t size);
  void insert_block(int64_t start, int64_t size, std::optional<int64_t> prev = std::nullopt);
  void remove_block(int64_t start, int64_t size);
  void split_block(int64_t start, int64_t at);
  void merge_block(int64_t start);

  int64_t block_size_;
  int second_bits_;
  std::vector<std::vector<std::vector<int64_t>>> buckets_;
  std::vector<int64_t> entries_;  // free blocks of each first level
  std::map<int64_t, Block> blocks_;
};

}  // namespace rangescope::schedule
