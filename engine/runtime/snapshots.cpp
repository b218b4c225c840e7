#include "engine/runtime/snapshots.h"

#include <fmt/format.h>

namespace rangescope::runtime {

Result<Snapshots> Snapshots::create(Device& device, std::span<const Buffer> buffers, std::vector<uint32_t> indices) {
  Snapshots out;
  out.buffers_ = buffers;
  out.indices_ = std::move(indices);
  VkDeviceSize total = 0;
  for (const uint32_t index : out.indices_) total += buffers[index].allocated_bytes();
  out.arena_.emplace(device, MemoryUse::device, total);
  for (const uint32_t index : out.indices_) {
    auto copy = Buffer::create(device, *out.arena_, buffers[index].bytes(),
                               fmt::format("the copy of buffer {} that repeats need", index));
    if (!copy) return tl::unexpected(std::move(copy.error()));
    out.copies_.push_back(std::move(*copy));
  }
  return out;
}

void Snapshots::record_save(CommandBuffer commands) const {
  for (size_t i = 0; i < indices_.size(); ++i) {
    const VkBufferCopy region{0, 0, copies_[i].allocated_bytes()};
    vkCmdCopyBuffer(commands, buffers_[indices_[i]].handle(), copies_[i].handle(), 1, &region);
  }
}

void Snapshots::record_restore(CommandBuffer commands) const {
  for (size_t i = 0; i < indices_.size(); ++i) {
    const VkBufferCopy region{0, 0, copies_[i].allocated_bytes()};
    vkCmdCopyBuffer(commands, copies_[i].handle(), buffers_[indices_[i]].handle(), 1, &region);
  }
}

}  // namespace rangescope::runtime
