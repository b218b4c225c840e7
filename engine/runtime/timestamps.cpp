#include "engine/runtime/timestamps.h"

#include <cmath>

#include "engine/runtime/vk_result.h"
#include "engine/runtime/vk_struct.h"

namespace rangescope::runtime {

uint64_t TimestampClock::elapsed_ns(uint64_t begin, uint64_t end) const {
  const uint64_t mask = valid_bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << valid_bits) - 1;
  const uint64_t ticks = ((end & mask) - (begin & mask)) & mask;
  return static_cast<uint64_t>(std::llround(static_cast<double>(ticks) * period_ns));
}

TimestampClock timestamp_clock(const DeviceInfo& info) {
  return TimestampClock{info.timestamp_valid_bits, info.timestamp_period_ns};
}

Result<TimestampQueries> TimestampQueries::create(Device& device, uint32_t count) {
  auto info = vk_struct<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = count;
  VkQueryPool pool = VK_NULL_HANDLE;
  if (VkResult result = vkCreateQueryPool(device.handle(), &info, nullptr, &pool); result != VK_SUCCESS)
    return device.fail(result, "make room for the timestamps");
  TimestampQueries queries;
  queries.device_ = &device;
  queries.pool_ = QueryPoolHandle(device, pool);
  queries.count_ = count;
  return queries;
}

void TimestampQueries::reset(VkCommandBuffer commands) const {
  vkCmdResetQueryPool(commands, pool_.get(), 0, count_);
}

void TimestampQueries::write(VkCommandBuffer commands, uint32_t index) const {
  vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool_.get(), index);
}

Result<std::vector<uint64_t>> TimestampQueries::read() const {
  std::vector<uint64_t> ticks(count_);
  if (VkResult result =
          vkGetQueryPoolResults(device_->handle(), pool_.get(), 0, count_, ticks.size() * sizeof(uint64_t),
                                ticks.data(), sizeof(uint64_t), VK_QUERY_RESULT_64_BIT);
      result != VK_SUCCESS)
    return device_->fail(result, "read the timestamps");
  return ticks;
}

}  // namespace rangescope::runtime
