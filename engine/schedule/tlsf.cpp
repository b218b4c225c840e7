#include "engine/schedule/tlsf.h"

#include <algorithm>
#include <bit>

#include "engine/ir/error.h"

namespace rangescope::schedule {

namespace {

int bits(int64_t v) {
  return static_cast<int>(std::bit_width(static_cast<uint64_t>(v)));
}

}  // namespace

TlsfAllocator::TlsfAllocator(int64_t size, int64_t block_size, int64_t second_level)
    : block_size_(block_size), second_bits_(bits(second_level)) {
  buckets_.assign(static_cast<size_t>(bits(size)) + 1,
                  std::vector<std::vector<int64_t>>(size_t{1} << static_cast<unsigned>(second_bits_)));
  entries_.assign(buckets_.size(), 0);
  blocks_[0] = {size, std::nullopt, std::nullopt, true};
  if (size > 0) insert_block(0, size);
}

size_t TlsfAllocator::first_level(int64_t size) const {
  return static_cast<size_t>(bits(size));
}

size_t TlsfAllocator::second_level(int64_t size) const {
  const int64_t above = size - (int64_t{1} << (bits(size) - 1));
  return static_cast<size_t>(above / (int64_t{1} << std::max(0, bits(size) - second_bits_)));
}

std::vector<int64_t>& TlsfAllocator::bucket(int64_t size) {
  return buckets_[first_level(size)][second_level(size)];
}

void TlsfAllocator::insert_block(int64_t start, int64_t size, std::optional<int64_t> prev) {
  if (!prev) prev = blocks_.at(start).prev;
  bucket(size).push_back(start);
  ++entries_[first_level(size)];
  blocks_[start] = {size, start + size, prev, true};
}

void TlsfAllocator::remove_block(int64_t start, int64_t size) {
  std::vector<int64_t>& b = bucket(size);
  const auto it = std::ranges::find(b, start);
  RS_CHECK(it != b.end(), "a free block stands in the bucket of its size");
  b.erase(it);
  --entries_[first_level(size)];
  blocks_[start] = {size, start + size, blocks_.at(start).prev, false};
}

void TlsfAllocator::split_block(int64_t start, int64_t at) {
  const int64_t size = blocks_.at(start).size;
  const std::optional<int64_t> next = blocks_.at(start).next;
  remove_block(start, size);
  insert_block(start, at);
  insert_block(start + at, size - at, start);
  if (next && blocks_.contains(*next)) blocks_[*next].prev = start + at;
}

// Left while blocks are free, then all of them to the right into one.
void TlsfAllocator::merge_block(int64_t start) {
  while (blocks_.at(start).prev && blocks_.at(*blocks_.at(start).prev).is_free) start = *blocks_.at(start).prev;
  int64_t size = blocks_.at(start).size;
  std::optional<int64_t> next = blocks_.at(start).next;
  while (next && blocks_.contains(*next) && blocks_.at(*next).is_free) {
    const Block right = blocks_.at(*next);
    remove_block(start, size);
    remove_block(*next, right.size);
    size += right.size;
    insert_block(start, size);
    blocks_.erase(*next);
    next = right.next;
  }
  if (next && blocks_.contains(*next)) blocks_[*next].prev = start;
}

std::optional<int64_t> TlsfAllocator::alloc(int64_t size) {
  size = std::max(block_size_, size);
  // rounded up to the next class, so that any block of it fits
  const int64_t unit = int64_t{1} << std::max(0, bits(size) - second_bits_);
  const int64_t rounded = (size + unit - 1) / unit * unit;
  for (size_t l1 = first_level(rounded); l1 < buckets_.size(); ++l1) {
    if (entries_[l1] == 0) continue;
    for (size_t l2 = l1 == first_level(rounded) ? second_level(rounded) : 0; l2 < buckets_[l1].size(); ++l2) {
      if (buckets_[l1][l2].empty()) continue;
      const int64_t start = buckets_[l1][l2].front();
      if (blocks_.at(start).size > size) split_block(start, size);
      remove_block(start, size);
      return start;
    }
  }
  return std::nullopt;
}

void TlsfAllocator::free(int64_t start) {
  insert_block(start, blocks_.at(start).size);
  merge_block(start);
}

}  // namespace rangescope::schedule
