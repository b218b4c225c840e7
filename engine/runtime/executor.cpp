#include "engine/runtime/executor.h"

#include <fmt/format.h>

#include <numeric>

namespace rangescope::runtime {

Result<Executor> Executor::create(Device& device, std::vector<KernelSource> kernels,
                                  std::span<const BufferDesc> buffers, const ExecutorOptions& options) {
  if (auto usable = device.check_usable(); !usable) return tl::unexpected(std::move(usable.error()));
  Executor executor(device, options);
  auto commander = Commander::create(device);
  if (!commander) return tl::unexpected(std::move(commander.error()));
  executor.commander_ = std::move(*commander);
  // Memory first: a program that does not fit should not be compiled for a minute before it is refused.
  if (auto created = executor.create_buffers(buffers); !created) return tl::unexpected(std::move(created.error()));
  if (auto built = executor.build_kernels(std::move(kernels)); !built) return tl::unexpected(std::move(built.error()));
  if (auto cleared = executor.clear_buffers(); !cleared) return tl::unexpected(std::move(cleared.error()));
  return executor;
}

Result<void> Executor::build_kernels(std::vector<KernelSource> kernels) {
  auto cache = PipelineCache::create(*device_, options_.cache_folder);
  if (!cache) return tl::unexpected(std::move(cache.error()));
  cache_ = std::move(*cache);
  kernels_.reserve(kernels.size());
  for (KernelSource& kernel : kernels)
    if (auto added = add_kernel(std::move(kernel)); !added) return tl::unexpected(std::move(added.error()));
  if (auto saved = cache_->save(); !saved) notes_.push_back(std::move(saved.error().message));
  return {};
}

Result<uint32_t> Executor::add_kernel(KernelSource kernel) {
  KernelReport report;
  auto built = build_kernel(*device_, ShaderCompiler::shared(), *cache_, std::move(kernel), report);
  if (!built) return tl::unexpected(std::move(built.error()));
  kernels_.push_back(std::move(*built));
  reports_.push_back(std::move(report));
  return static_cast<uint32_t>(kernels_.size() - 1);
}

Result<void> Executor::create_buffers(std::span<const BufferDesc> buffers) {
  const uint64_t total = std::accumulate(buffers.begin(), buffers.end(), uint64_t{0},
                                         [](uint64_t sum, const BufferDesc& desc) { return sum + desc.bytes; });
  arena_.emplace(*device_, MemoryUse::device, total);
  buffers_.reserve(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    auto buffer = Buffer::create(*device_, *arena_, buffers[i].bytes, fmt::format("buffer {}", i));
    if (!buffer) return tl::unexpected(std::move(buffer.error()));
    buffers_.push_back(std::move(*buffer));
  }
  return {};
}

Result<void> Executor::clear_buffers() {
  const auto cleared = commander_->run(options_.timeout, [&](CommandBuffer commands) {
    for (const Buffer& buffer : buffers_) vkCmdFillBuffer(commands, buffer.handle(), 0, VK_WHOLE_SIZE, 0);
    record_host_barrier(commands);
  });
  if (!cleared) return tl::unexpected(cleared.error());
  return {};
}

Result<void> Executor::check_range(uint32_t buffer, size_t bytes) const {
  if (buffer >= buffers_.size())
    return tl::unexpected(Error{fmt::format("there is no buffer {}, only {}", buffer, buffers_.size())});
  if (bytes != buffers_[buffer].bytes())
    return tl::unexpected(
        Error{fmt::format("buffer {} has {} bytes, {} are given", buffer, buffers_[buffer].bytes(), bytes)});
  return {};
}

Result<void> Executor::upload(uint32_t buffer, std::span<const std::byte> bytes) {
  if (auto checked = check_range(buffer, bytes.size()); !checked) return checked;
  return transfer_.upload(*commander_, buffers_[buffer], bytes, options_.timeout);
}

Result<void> Executor::download(uint32_t buffer, std::span<std::byte> bytes) {
  if (auto checked = check_range(buffer, bytes.size()); !checked) return checked;
  return transfer_.download(*commander_, buffers_[buffer], bytes, options_.timeout);
}

}  // namespace rangescope::runtime
