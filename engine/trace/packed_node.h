#pragma once
// One block of packed nodes, read node by node. What the bytes mean: resources/docs/trace-format.md.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ir/dtype.h"
#include "engine/ir/error.h"
#include "engine/ir/op.h"
#include "engine/trace/varint.h"

namespace rangescope::trace {

struct PackedNode {
  Op op = Op::kNone;
  DType dtype = DType::void_;
  int64_t arg = 0, tag = 0;  // numbers in `args`; 0: none
  int64_t made_by = 0;
  std::vector<int64_t> srcs;
};

class PackedBlock {
 public:
  // `data` must outlive the reading. `path` is for messages.
  static Result<PackedBlock> open(std::string path, int64_t first, int64_t count, std::string_view data);
  // The next node into `n`, whose memory is used again; false: that was the last one, and the block ends there.
  Result<bool> next(PackedNode& n);

 private:
  PackedBlock(std::string path, int64_t first, int64_t count, std::string_view data)
      : path_(std::move(path)), first_(first), number_(first), end_(first + count), bytes_(data.size()), in_(data) {}
  tl::unexpected<Error> damaged(std::string_view what) const;

  std::string path_;
  int64_t first_, number_, end_;
  size_t bytes_;
  int64_t made_by_ = 0;
  VarintReader in_;
};

}  // namespace rangescope::trace
