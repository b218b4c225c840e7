#include "engine/runtime/pipeline_cache.h"

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>
#include <vector>

#include "engine/runtime/vk_result.h"
#include "engine/runtime/vk_struct.h"

namespace rangescope::runtime {
namespace {

// Drivers trust what they get back: a torn or edited file could crash one. So the data stands behind our own checksum.
struct FileHeader {
  char magic[8];
  uint64_t bytes;
  uint64_t checksum;
};
constexpr char k_magic[8] = {'R', 'S', 'C', 'O', 'P', 'E', 'P', '1'};
constexpr uint64_t k_largest_file = uint64_t{256} << 20;

std::vector<char> read_cache(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  FileHeader header{};
  if (!in.read(reinterpret_cast<char*>(&header), sizeof header)) return {};
  if (std::memcmp(header.magic, k_magic, sizeof k_magic) != 0 || header.bytes > k_largest_file) return {};
  std::vector<char> data(header.bytes);
  if (!in.read(data.data(), static_cast<std::streamsize>(data.size()))) return {};
  if (XXH3_64bits(data.data(), data.size()) != header.checksum) return {};
  return data;
}

Error write_error(const std::filesystem::path& file, const std::error_code& code) {
  return Error{fmt::format("could not keep compiled pipelines in {}: {}", file.string(),
                           code ? code.message() : std::string(std::strerror(errno)))};
}

}  // namespace

std::filesystem::path user_cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache == '/')
    return std::filesystem::path(cache) / "rangescope";
  if (const char* home = std::getenv("HOME"); home && *home == '/')
    return std::filesystem::path(home) / ".cache" / "rangescope";
  return {};
}

std::string cache_file_name(const DeviceInfo& info, std::string_view what, std::string_view extension) {
  std::string uuid;
  for (const uint8_t byte : info.pipeline_cache_uuid) uuid += fmt::format("{:02x}", byte);
  return fmt::format("{}-{:04x}-{:04x}-{}{}", what, info.vendor_id, info.device_id, uuid, extension);
}

Result<PipelineCache> PipelineCache::create(Device& device, const std::filesystem::path& folder) {
  PipelineCache cache;
  cache.device_ = &device;
  std::vector<char> data;
  if (!folder.empty()) {
    cache.file_ = folder / cache_file_name(device.info(), "pipelines", ".bin");
    data = read_cache(cache.file_);
    cache.loaded_bytes_ = data.size();
  }
  auto info = vk_struct<VkPipelineCacheCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO);
  info.initialDataSize = data.size();
  info.pInitialData = data.data();
  VkPipelineCache handle = VK_NULL_HANDLE;
  if (VkResult result = vkCreatePipelineCache(device.handle(), &info, nullptr, &handle); result != VK_SUCCESS)
    return device.fail(result, "create a pipeline cache");
  cache.cache_ = PipelineCacheHandle(device, handle);
  return cache;
}

Result<void> PipelineCache::save() {
  if (file_.empty()) return {};
  size_t size = 0;
  if (VkResult result = vkGetPipelineCacheData(device_->handle(), handle(), &size, nullptr); result != VK_SUCCESS)
    return device_->fail(result, "read the pipeline cache");
  if (size == 0 || size == loaded_bytes_) return {};
  std::vector<char> data(size);
  if (VkResult result = vkGetPipelineCacheData(device_->handle(), handle(), &size, data.data()); result != VK_SUCCESS)
    return device_->fail(result, "read the pipeline cache");
  data.resize(size);

  std::error_code code;
  std::filesystem::create_directories(file_.parent_path(), code);
  if (code) return tl::unexpected(write_error(file_, code));
  // Beside the file and renamed over it: other processes see the old cache or the new one.
  std::filesystem::path beside = file_;
  beside += fmt::format(".{}", getpid());
  FileHeader header{};
  std::memcpy(header.magic, k_magic, sizeof k_magic);
  header.bytes = data.size();
  header.checksum = XXH3_64bits(data.data(), data.size());
  std::ofstream out(beside, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(&header), sizeof header);
  out.write(data.data(), static_cast<std::streamsize>(data.size()));
  out.close();
  if (!out) {
    const Error error = write_error(file_, code);
    std::filesystem::remove(beside, code);
    return tl::unexpected(error);
  }
  std::filesystem::rename(beside, file_, code);
  if (code) return tl::unexpected(write_error(file_, code));
  loaded_bytes_ = size;
  return {};
}

}  // namespace rangescope::runtime
