#include "engine/runtime/launch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/runtime/vk_result.h"
#include "engine/runtime/vk_struct.h"

namespace rangescope::runtime {
namespace {

// The push constant block of a kernel. Both sizes are little endian, as every device that Vulkan runs on.
Result<std::vector<std::byte>> pack(const Kernel& kernel, const std::vector<int64_t>& values) {
  std::vector<std::byte> block(kernel.push_constant_bytes());
  for (size_t i = 0; i < values.size(); ++i) {
    const Variable& variable = kernel.source.variables[i];
    if (variable.size == 4 && values[i] != static_cast<int32_t>(values[i]))
      return refuse(fmt::format("variable \"{}\" is an int32 and cannot be {}", variable.name, values[i]));
    std::memcpy(block.data() + variable.offset, &values[i], variable.size);
  }
  return block;
}

}  // namespace

std::string LaunchPlan::describe(size_t index) const {
  const auto* launch = std::get_if<KernelDispatch>(&dispatches_[index]);
  if (!launch) return fmt::format("dispatch {} (copy)", index);
  if (launch->kernel >= kernels_.size()) return fmt::format("dispatch {} (kernel {})", index, launch->kernel);
  return fmt::format("dispatch {} (kernel \"{}\")", index, kernels_[launch->kernel].source.name);
}

Result<LaunchPlan> LaunchPlan::create(Device& device, std::span<const Kernel> kernels, std::span<const Buffer> buffers,
                                      std::span<const Dispatch> dispatches) {
  LaunchPlan plan;
  plan.device_ = &device;
  plan.kernels_ = kernels;
  plan.buffers_ = buffers;
  plan.dispatches_ = dispatches;
  plan.steps_.reserve(dispatches.size());
  for (size_t i = 0; i < dispatches.size(); ++i) {
    const auto* launch = std::get_if<KernelDispatch>(&dispatches[i]);
    auto step = launch ? plan.plan_kernel(*launch) : plan.plan_copy(std::get<CopyDispatch>(dispatches[i]));
    if (!step) return refuse(fmt::format("{}: {}", plan.describe(i), step.error().message));
    plan.steps_.push_back(std::move(*step));
  }
  if (auto created = plan.create_descriptors(); !created) return tl::unexpected(std::move(created.error()));
  return plan;
}

Result<LaunchPlan::Step> LaunchPlan::plan_kernel(const KernelDispatch& dispatch) const {
  if (dispatch.kernel >= kernels_.size())
    return refuse(fmt::format("there is no kernel {}, only {}", dispatch.kernel, kernels_.size()));
  const Kernel& kernel = kernels_[dispatch.kernel];
  const KernelSource& source = kernel.source;
  if (dispatch.buffers.size() != source.buffer_count)
    return refuse(fmt::format("{} buffers are given, the kernel has {}", dispatch.buffers.size(), source.buffer_count));
  if (dispatch.values.size() != source.variables.size())
    return refuse(fmt::format("{} values are given, the kernel has {} variables", dispatch.values.size(),
                              source.variables.size()));
  if (dispatch.global_size)
    if (auto checked = check_global_size(device_->info(), source.name, *dispatch.global_size); !checked)
      return tl::unexpected(std::move(checked.error()));
  auto constants = pack(kernel, dispatch.values);
  if (!constants) return tl::unexpected(std::move(constants.error()));
  Step step;
  step.kernel = &kernel;
  step.push_constants = std::move(*constants);
  step.launch = &dispatch;
  for (uint32_t i = 0; i < source.buffer_count; ++i) {
    if (auto bound = binding(dispatch.buffers[i]); !bound)
      return refuse(fmt::format("binding {}: {}", i, bound.error().message));
    step.uses.push_back({dispatch.buffers[i].buffer, kernel.access(i)});
  }
  return step;
}

Result<LaunchPlan::Step> LaunchPlan::plan_copy(const CopyDispatch& dispatch) const {
  const auto& [from, to] = dispatch;
  for (const BufferRange& range : {from, to}) {
    if (range.buffer >= buffers_.size())
      return refuse(fmt::format("there is no buffer {}, only {}", range.buffer, buffers_.size()));
    const uint64_t size = buffers_[range.buffer].bytes();
    if (range.offset > size || (range.bytes != BufferRange::k_rest && range.bytes > size - range.offset))
      return refuse(
          fmt::format("bytes {}+{} are outside buffer {} of {} bytes", range.offset, range.bytes, range.buffer, size));
  }
  const uint64_t from_size = buffers_[from.buffer].bytes();
  const uint64_t to_size = buffers_[to.buffer].bytes();
  const uint64_t count = from.bytes == BufferRange::k_rest ? from_size - from.offset : from.bytes;
  if ((to.bytes != BufferRange::k_rest && to.bytes != count) || count > to_size - to.offset)
    return refuse(fmt::format("{} bytes are copied to where {} are", count,
                              to.bytes == BufferRange::k_rest ? to_size - to.offset : to.bytes));
  if (from.buffer == to.buffer && from.offset < to.offset + count && to.offset < from.offset + count)
    return refuse("it copies a part of a buffer onto itself");
  Step step;
  step.copy_from = buffers_[from.buffer].handle();
  step.copy_to = buffers_[to.buffer].handle();
  step.region = VkBufferCopy{from.offset, to.offset, count};
  step.uses = {{from.buffer, Access::read}, {to.buffer, count == to_size ? Access::write : Access::read_write}};
  return step;
}

Result<VkDescriptorBufferInfo> LaunchPlan::binding(const BufferRange& range) const {
  if (range.buffer >= buffers_.size())
    return refuse(fmt::format("there is no buffer {}, only {}", range.buffer, buffers_.size()));
  const Buffer& buffer = buffers_[range.buffer];
  const bool rest = range.bytes == BufferRange::k_rest;
  if (range.offset >= buffer.allocated_bytes() ||
      (!rest && (range.bytes == 0 || range.bytes > buffer.allocated_bytes() - range.offset)))
    return refuse(fmt::format("bytes {}+{} are outside buffer {} of {} bytes", range.offset, range.bytes, range.buffer,
                              buffer.bytes()));
  if (const uint64_t alignment = device_->info().limits.storage_offset_alignment; range.offset % alignment != 0)
    return refuse(fmt::format("offset {} is no multiple of {}, as the device needs", range.offset, alignment));
  return VkDescriptorBufferInfo{buffer.handle(), range.offset, rest ? VK_WHOLE_SIZE : range.bytes};
}

Result<void> LaunchPlan::create_descriptors() {
  uint32_t sets = 0;
  uint32_t descriptors = 0;
  for (const Step& step : steps_) {
    if (!step.launch || step.uses.empty()) continue;
    ++sets;
    descriptors += static_cast<uint32_t>(step.uses.size());
  }
  if (sets == 0) return {};
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, descriptors};
  auto pool_info = vk_struct<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  pool_info.maxSets = sets;
  pool_info.poolSizeCount = 1;
  pool_info.pPoolSizes = &size;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  if (VkResult result = vkCreateDescriptorPool(device_->handle(), &pool_info, nullptr, &pool); result != VK_SUCCESS)
    return device_->fail(result, "make room for the kernels' arguments");
  pool_ = DescriptorPoolHandle(*device_, pool);

  std::vector<VkDescriptorBufferInfo> infos;
  for (Step& step : steps_) {
    if (!step.launch || step.uses.empty()) continue;
    VkDescriptorSetLayout layout = step.kernel->pipeline.set_layout();
    auto set_info = vk_struct<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
    set_info.descriptorPool = pool;
    set_info.descriptorSetCount = 1;
    set_info.pSetLayouts = &layout;
    if (VkResult result = vkAllocateDescriptorSets(device_->handle(), &set_info, &step.set); result != VK_SUCCESS)
      return device_->fail(result, "make room for the kernels' arguments");
    infos.clear();
    for (const BufferRange& range : step.launch->buffers) infos.push_back(*binding(range));
    auto write = vk_struct<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
    write.dstSet = step.set;
    write.descriptorCount = static_cast<uint32_t>(infos.size());
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = infos.data();
    vkUpdateDescriptorSets(device_->handle(), 1, &write, 0, nullptr);
  }
  return {};
}

std::vector<uint32_t> LaunchPlan::buffers_updated_in_place() const {
  struct Seen {
    bool touched = false;
    bool read_first = false;
    bool written = false;
  };
  std::vector<Seen> seen(buffers_.size());
  for (const Step& step : steps_) {
    for (const BufferUse& use : step.uses) {
      Seen& buffer = seen[use.buffer];
      // The same buffer twice in the first dispatch: one reading use is enough.
      if (!buffer.touched && use.access != Access::write) buffer.read_first = true;
      if (use.access != Access::read) buffer.written = true;
    }
    for (const BufferUse& use : step.uses) seen[use.buffer].touched = true;
  }
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < seen.size(); ++i)
    if (seen[i].read_first && seen[i].written) out.push_back(i);
  return out;
}

void LaunchPlan::record(CommandBuffer commands, const Recording& recording) const {
  HazardTracker hazards(buffers_.size());
  for (size_t i = 0; i < steps_.size(); ++i) {
    const bool needed = hazards.add(steps_[i].uses);
    if (needed || (recording.isolate && i > 0)) record_barrier(commands);
    if (recording.progress) recording.progress->record(commands, static_cast<uint32_t>(i));
    const auto query = static_cast<uint32_t>(2 * i);
    if (recording.queries) recording.queries->write(commands, query);
    record_step(commands, steps_[i]);
    if (recording.queries) recording.queries->write(commands, query + 1);
  }
}

void LaunchPlan::record_step(CommandBuffer commands, const Step& step) const {
  if (!step.launch) {
    if (step.region.size != 0) vkCmdCopyBuffer(commands, step.copy_from, step.copy_to, 1, &step.region);
    return;
  }
  const Pipeline& pipeline = step.kernel->pipeline;
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle());
  if (step.set != VK_NULL_HANDLE)
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout(), 0, 1, &step.set, 0, nullptr);
  if (!step.push_constants.empty())
    vkCmdPushConstants(commands, pipeline.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                       static_cast<uint32_t>(step.push_constants.size()), step.push_constants.data());
  const std::array<uint32_t, 3> groups = step.launch->global_size.value_or(step.kernel->source.global_size);
  vkCmdDispatch(commands, groups[0], groups[1], groups[2]);
}

}  // namespace rangescope::runtime
