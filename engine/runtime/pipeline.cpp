#include "engine/runtime/pipeline.h"

#include <fmt/format.h>

#include <vector>

#include "engine/runtime/vk_result.h"
#include "engine/runtime/vk_struct.h"

namespace rangescope::runtime {
namespace {

Result<SetLayoutHandle> create_set_layout(Device& device, uint32_t buffer_count) {
  std::vector<VkDescriptorSetLayoutBinding> bindings(buffer_count);
  for (uint32_t i = 0; i < buffer_count; ++i) {
    bindings[i].binding = i;
    bindings[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    bindings[i].descriptorCount = 1;
    bindings[i].stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  }
  auto info = vk_struct<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  info.bindingCount = buffer_count;
  info.pBindings = bindings.data();
  VkDescriptorSetLayout layout = VK_NULL_HANDLE;
  if (VkResult result = vkCreateDescriptorSetLayout(device.handle(), &info, nullptr, &layout); result != VK_SUCCESS)
    return device.fail(result, "describe a kernel's buffers");
  return SetLayoutHandle(device, layout);
}

Result<PipelineLayoutHandle> create_layout(Device& device, VkDescriptorSetLayout set, uint32_t push_constant_bytes) {
  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, push_constant_bytes};
  auto info = vk_struct<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  info.setLayoutCount = 1;
  info.pSetLayouts = &set;
  info.pushConstantRangeCount = push_constant_bytes == 0 ? 0 : 1;
  info.pPushConstantRanges = &range;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  if (VkResult result = vkCreatePipelineLayout(device.handle(), &info, nullptr, &layout); result != VK_SUCCESS)
    return device.fail(result, "describe a kernel's arguments");
  return PipelineLayoutHandle(device, layout);
}

Result<ShaderModuleHandle> create_module(Device& device, std::string_view name, std::span<const uint32_t> spirv) {
  auto info = vk_struct<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  info.codeSize = spirv.size_bytes();
  info.pCode = spirv.data();
  VkShaderModule shader = VK_NULL_HANDLE;
  if (VkResult result = vkCreateShaderModule(device.handle(), &info, nullptr, &shader); result != VK_SUCCESS)
    return device.fail(result, fmt::format("load the SPIR-V of kernel \"{}\"", name));
  return ShaderModuleHandle(device, shader);
}

}  // namespace

Result<Pipeline> Pipeline::create(Device& device, VkPipelineCache cache, std::string_view name,
                                  std::span<const uint32_t> spirv, const PipelineShape& shape) {
  Pipeline pipeline;
  pipeline.shape_ = shape;
  auto set_layout = create_set_layout(device, shape.buffer_count);
  if (!set_layout) return tl::unexpected(std::move(set_layout.error()));
  pipeline.set_layout_ = std::move(*set_layout);
  auto layout = create_layout(device, pipeline.set_layout(), shape.push_constant_bytes);
  if (!layout) return tl::unexpected(std::move(layout.error()));
  pipeline.layout_ = std::move(*layout);
  const auto shader = create_module(device, name, spirv);
  if (!shader) return tl::unexpected(shader.error());

  auto info = vk_struct<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = shader->get();
  info.stage.pName = "main";
  info.layout = pipeline.layout();
  VkPipeline handle = VK_NULL_HANDLE;
  if (VkResult result = vkCreateComputePipelines(device.handle(), cache, 1, &info, nullptr, &handle);
      result != VK_SUCCESS)
    return device.fail(result, fmt::format("build the pipeline of kernel \"{}\"", name));
  pipeline.pipeline_ = PipelineHandle(device, handle);
  return pipeline;
}

}  // namespace rangescope::runtime
