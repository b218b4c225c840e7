#pragma once
// What searches over optimisations found, kept in the user's cache folder beside the compiled pipelines.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/codegen/target.h"
#include "engine/ir/error.h"
#include "engine/ir/uop.h"
#include "engine/runtime/device_info.h"

namespace rangescope::runtime {

struct FoundOpts {
  std::vector<OptArg> opts;
  uint64_t ns = 0;  // of the kernel with them, when it was measured
};

// Equal for kernels of equal ASTs that code is generated alike for, and for no others.
std::string kernel_key(UOp ast, const codegen::Target& target);

// "UPCAST:0:4 LOCAL:1:8"
std::string opts_text(const std::vector<OptArg>& opts);
Result<std::vector<OptArg>> read_opts(const std::string& text);

// One file a device and driver, one line a kernel; the last line of a kernel counts. A file that cannot be read is an
// empty memory, and a line that makes no sense is none.
class OptsMemory {
 public:
  OptsMemory() = default;  // keeps nothing beyond its own life
  OptsMemory(const DeviceInfo& info, const std::filesystem::path& folder);

  const FoundOpts* find(const std::string& key) const;
  // The error says that the file could not be written; this memory knows it all the same.
  Result<void> add(const std::string& key, FoundOpts found);

  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
  std::map<std::string, FoundOpts> found_;
};

}  // namespace rangescope::runtime
