#include "engine/runtime/progress.h"

namespace rangescope::runtime {

Result<Progress> Progress::create(Device& device) {
  Progress progress;
  progress.arena_.emplace(device, MemoryUse::download, sizeof(uint32_t));
  auto buffer = Buffer::create(device, *progress.arena_, sizeof(uint32_t), "the progress mark");
  if (!buffer) return tl::unexpected(std::move(buffer.error()));
  progress.buffer_ = std::move(*buffer);
  *reinterpret_cast<volatile uint32_t*>(progress.buffer_->mapped()) = 0;
  return progress;
}

void Progress::record(CommandBuffer commands, uint32_t value) const {
  vkCmdFillBuffer(commands, buffer_->handle(), 0, sizeof(uint32_t), value);
}

// Volatile: the device writes it behind the compiler's back.
uint32_t Progress::read() const {
  return *reinterpret_cast<const volatile uint32_t*>(buffer_->mapped());
}

}  // namespace rangescope::runtime
