#pragma once
// Buffers and what is written to them. Every buffer of an evaluation has a stretch of one address space, on every
// device that it lives on; the target of a store, or whatever views a buffer, is a value of addresses. So views,
// indices, shards and stacks over devices need no code of their own to be written through.

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "engine/eval/value.h"

namespace rangescope::eval {

struct Buffer {
  UOp node;  // PARAM or BUFFER
  DType dtype = DType::void_;
  int64_t devices = 0;  // 0: it lives on one
  int64_t count = 0;    // elements on one device
  Value content;        // flat, behind the device axis where there is one
  Value initial;        // what it held at first
};

// What one node writes: an element an address, in order; the last of two to one address stays.
struct Writes {
  std::vector<int64_t> addresses;
  DType dtype = DType::void_;  // of the values; they are as the buffer holds them
  Array values;
  std::vector<size_t> buffers;  // that are written to, each once, rising
};

class Memory {
 public:
  explicit Memory(Meter& meter) : meter_(meter) {}

  // The buffer of a PARAM or BUFFER. Nodes that differ by their tag alone are one buffer, and so are parameters of one
  // slot. `make` gives it when it is asked for first.
  size_t buffer_of(UOp node, const std::function<Buffer()>& make);
  const std::vector<Buffer>& buffers() const { return buffers_; }
  void set_content(size_t buffer, Value content) { buffers_[buffer].content = std::move(content); }

  // Addresses of all of it, flat behind the device axis.
  Value addresses(size_t buffer);
  // What is at the addresses if the buffers hold `contents` (by buffer; no value: what they held at first). An invalid
  // address reads as 0.
  Value read(const Value& addresses, const std::map<size_t, Value>& contents);
  // The content with these written over it.
  Value written(size_t buffer, const Value& content, const std::vector<const Writes*>& writes);
  // The writes of a store. Invalid values and invalid addresses write nothing. `view` is the dtype as which the target
  // sees its buffer.
  Writes store(const Value& addresses, const Value& value, const Value* gate, DType view);

  size_t buffer_at(int64_t address) const;
  DType dtype_at(const Value& addresses) const;  // of the buffer that the first valid address lies in; void: none is

  static int64_t place(int64_t address) { return address & (kStretch - 1); }

 private:
  static constexpr int64_t kStretch = int64_t{1} << 40;
  Meter& meter_;
  std::vector<Buffer> buffers_;
  std::map<std::pair<const void*, uint64_t>, size_t> index_;
};

}  // namespace rangescope::eval
