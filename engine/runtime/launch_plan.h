#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/runtime/buffer.h"
#include "engine/runtime/commands.h"
#include "engine/runtime/hazards.h"
#include "engine/runtime/kernel.h"
#include "engine/runtime/progress.h"
#include "engine/runtime/timestamps.h"

namespace rangescope::runtime {

// A row of dispatches, checked against the kernels and buffers it names and ready to be recorded any number of times.
class LaunchPlan {
 public:
  // Keeps pointers to `dispatches`, `kernels` and `buffers`. The error names the dispatch.
  static Result<LaunchPlan> create(Device& device, std::span<const Kernel> kernels, std::span<const Buffer> buffers,
                                   std::span<const Dispatch> dispatches);

  size_t size() const { return dispatches_.size(); }
  // "dispatch 3 (kernel "r_16_4")"
  std::string describe(size_t index) const;

  // Buffers whose contents decide what a second pass computes: read, by the first dispatch that touches them, and
  // written by this or a later one. They must be put back before the pass is run again.
  std::vector<uint32_t> buffers_updated_in_place() const;

  struct Recording {
    const TimestampQueries* queries = nullptr;  // twice as many as dispatches: a timestamp before and after each
    const Progress* progress = nullptr;         // tells which dispatch is under way; needs `isolate`
    // A barrier between any two, so that nothing overlaps what is being timed; else only where one needs another's
    // result.
    bool isolate = true;
  };
  // Records every dispatch.
  void record(CommandBuffer commands, const Recording& recording) const;

 private:
  // A dispatch with everything looked up. `set` is null for a copy.
  struct Step {
    const Kernel* kernel = nullptr;
    const KernelDispatch* launch = nullptr;
    VkDescriptorSet set = VK_NULL_HANDLE;
    VkBuffer copy_from = VK_NULL_HANDLE;
    VkBuffer copy_to = VK_NULL_HANDLE;
    VkBufferCopy region{};
    std::vector<BufferUse> uses;
    std::vector<std::byte> push_constants;
  };

  Result<Step> plan_kernel(const KernelDispatch& dispatch) const;
  Result<Step> plan_copy(const CopyDispatch& dispatch) const;
  Result<VkDescriptorBufferInfo> binding(const BufferRange& range) const;
  Result<void> create_descriptors();
  void record_step(CommandBuffer commands, const Step& step) const;

  Device* device_ = nullptr;
  std::span<const Kernel> kernels_;
  std::span<const Buffer> buffers_;
  std::span<const Dispatch> dispatches_;
  std::vector<Step> steps_;
  DescriptorPoolHandle pool_;
};

}  // namespace rangescope::runtime
