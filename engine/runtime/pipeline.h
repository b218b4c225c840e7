#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/runtime/handle.h"

namespace rangescope::runtime {

// What a kernel's arguments look like: storage buffers at bindings 0, 1, ... of set 0, then push constants from offset
// 0.
struct PipelineShape {
  uint32_t buffer_count = 0;
  uint32_t push_constant_bytes = 0;
};

class Pipeline {
 public:
  // `name` is for messages; the entry point is "main". The shape must be within the device's limits.
  static Result<Pipeline> create(Device& device, VkPipelineCache cache, std::string_view name,
                                 std::span<const uint32_t> spirv, const PipelineShape& shape);

  VkPipeline handle() const { return pipeline_.get(); }
  VkPipelineLayout layout() const { return layout_.get(); }
  VkDescriptorSetLayout set_layout() const { return set_layout_.get(); }
  const PipelineShape& shape() const { return shape_; }

 private:
  PipelineShape shape_;
  SetLayoutHandle set_layout_;
  PipelineLayoutHandle layout_;
  PipelineHandle pipeline_;
};

}  // namespace rangescope::runtime
