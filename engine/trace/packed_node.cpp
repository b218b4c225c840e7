#include "engine/trace/packed_node.h"

#include <fmt/format.h>

#include "engine/trace/schema.h"

namespace rangescope::trace {

tl::unexpected<Error> PackedBlock::damaged(std::string_view what) const {
  return tl::unexpected(Error{fmt::format("{} is damaged: node {} {}. Record it again.", path_, number_, what)});
}

Result<PackedBlock> PackedBlock::open(std::string path, int64_t first, int64_t count, std::string_view data) {
  if (first < 1 || count < 0 || count > kNodesPerBlock)
    return tl::unexpected(Error{
        fmt::format("{} is damaged: node {} starts a block of an impossible size. Record it again.", path, first)});
  return PackedBlock(std::move(path), first, count, data);
}

Result<bool> PackedBlock::next(PackedNode& n) {
  if (number_ == end_) {
    if (in_.at_end()) return false;
    number_ = first_;
    return damaged("starts a block with bytes to spare");
  }
  uint64_t op = 0, dtype = 0, srcs = 0, arg = 0, tag = 0, maker = 0;
  // op and dtype are below 128, so a byte each reads as a varint
  if (!in_.read(op) || !in_.read(dtype) || !in_.read(srcs)) return damaged("is cut short");
  if (op == 0 || op >= kOpLimit || dtype >= kDTypeCount) return damaged("has an op or dtype that does not exist");
  if (srcs > bytes_) return damaged("has more sources than its block has bytes");
  n.op = static_cast<Op>(op);
  n.dtype = static_cast<DType>(dtype);
  n.srcs.resize(srcs);
  for (int64_t& s : n.srcs) {
    uint64_t delta = 0;
    if (!in_.read(delta)) return damaged("is cut short");
    // sources stand before their users, so that no circle can be read
    if (delta == 0 || delta >= static_cast<uint64_t>(number_)) return damaged("has a source out of range");
    s = number_ - static_cast<int64_t>(delta);
  }
  if (!in_.read(arg) || !in_.read(tag) || !in_.read(maker)) return damaged("is cut short");
  made_by_ += unfold_sign(maker);
  n.arg = static_cast<int64_t>(arg);
  n.tag = static_cast<int64_t>(tag);
  n.made_by = made_by_;
  ++number_;
  return true;
}

}  // namespace rangescope::trace
