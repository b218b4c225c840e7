#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/runtime/device_info.h"
#include "engine/runtime/handle.h"

namespace rangescope::runtime {

// Where caches go: $XDG_CACHE_HOME/rangescope, or ~/.cache/rangescope; empty where neither is known.
std::filesystem::path user_cache_folder();

// The name of a file in it that holds for one device and driver: "WHAT-8086-...EXTENSION".
std::string cache_file_name(const DeviceInfo& info, std::string_view what, std::string_view extension);

// The driver's compiled pipelines, kept from one run to the next in a file of the user's cache folder, one a device and
// driver. A cache that cannot be read or written costs time alone, so that it is a note, never an error of the run.
class PipelineCache {
 public:
  // An empty folder: a cache that lives in memory only. Files that are damaged or of another driver are ignored.
  static Result<PipelineCache> create(Device& device, const std::filesystem::path& folder);

  VkPipelineCache handle() const { return cache_.get(); }
  const std::filesystem::path& file() const { return file_; }  // empty: in memory only
  bool loaded() const { return loaded_bytes_ != 0; }           // the file was there and good

  // Writes the file where there is something new, whole or not at all.
  Result<void> save();

 private:
  Device* device_ = nullptr;
  PipelineCacheHandle cache_;
  std::filesystem::path file_;
  size_t loaded_bytes_ = 0;
};

}  // namespace rangescope::runtime
