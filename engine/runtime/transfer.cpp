#include "engine/runtime/transfer.h"

#include <algorithm>
#include <cstring>

namespace rangescope::runtime {
namespace {

constexpr VkDeviceSize k_staging_bytes = VkDeviceSize{8} << 20;

}  // namespace

Result<Buffer*> Transfer::staging(std::optional<Staging>& slot, MemoryUse use) {
  if (!slot) {
    const VkDeviceSize bytes = std::min(k_staging_bytes, device_->info().limits.max_storage_buffer_range / 16 * 16);
    MemoryArena arena(*device_, use, bytes);
    auto buffer = Buffer::create(*device_, arena, bytes, "the staging buffer");
    if (!buffer) return tl::unexpected(std::move(buffer.error()));
    slot.emplace(Staging{std::move(arena), std::move(*buffer)});
  }
  return &slot->buffer;
}

Result<void> Transfer::upload(Commander& commander, const Buffer& to, std::span<const std::byte> bytes,
                              std::chrono::nanoseconds timeout) {
  if (auto usable = device_->check_usable(); !usable) return usable;
  if (bytes.empty()) return {};
  if (to.mapped()) {
    std::memcpy(to.mapped(), bytes.data(), bytes.size());
    return {};
  }
  const auto stage = staging(up_, MemoryUse::upload);
  if (!stage) return tl::unexpected(stage.error());
  for (size_t at = 0; at < bytes.size();) {
    const size_t count = std::min<size_t>(bytes.size() - at, (*stage)->bytes());
    std::memcpy((*stage)->mapped(), bytes.data() + at, count);
    const VkBufferCopy region{0, at, count};
    const auto sent = commander.run(timeout, [&](CommandBuffer commands) {
      record_barrier(commands);
      vkCmdCopyBuffer(commands, (*stage)->handle(), to.handle(), 1, &region);
    });
    if (!sent) return tl::unexpected(sent.error());
    at += count;
  }
  return {};
}

Result<void> Transfer::download(Commander& commander, const Buffer& from, std::span<std::byte> bytes,
                                std::chrono::nanoseconds timeout) {
  if (auto usable = device_->check_usable(); !usable) return usable;
  if (bytes.empty()) return {};
  if (from.mapped()) {
    std::memcpy(bytes.data(), from.mapped(), bytes.size());
    return {};
  }
  const auto stage = staging(down_, MemoryUse::download);
  if (!stage) return tl::unexpected(stage.error());
  for (size_t at = 0; at < bytes.size();) {
    const size_t count = std::min<size_t>(bytes.size() - at, (*stage)->bytes());
    const VkBufferCopy region{at, 0, count};
    const auto sent = commander.run(timeout, [&](CommandBuffer commands) {
      record_barrier(commands);
      vkCmdCopyBuffer(commands, from.handle(), (*stage)->handle(), 1, &region);
      record_host_barrier(commands);
    });
    if (!sent) return tl::unexpected(sent.error());
    std::memcpy(bytes.data() + at, (*stage)->mapped(), count);
    at += count;
  }
  return {};
}

}  // namespace rangescope::runtime
