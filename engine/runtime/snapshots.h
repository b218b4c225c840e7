#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/runtime/buffer.h"
#include "engine/runtime/commands.h"

namespace rangescope::runtime {

// Copies of buffers on the device, to put them back with.
class Snapshots {
 public:
  // Keeps a pointer to `buffers`; `indices` names the ones to copy.
  static Result<Snapshots> create(Device& device, std::span<const Buffer> buffers, std::vector<uint32_t> indices);

  bool empty() const { return indices_.empty(); }
  // No barriers: the caller records them.
  void record_save(CommandBuffer commands) const;
  void record_restore(CommandBuffer commands) const;

 private:
  std::span<const Buffer> buffers_;
  std::vector<uint32_t> indices_;
  std::optional<MemoryArena> arena_;
  std::vector<Buffer> copies_;
};

}  // namespace rangescope::runtime
