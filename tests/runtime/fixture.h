#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/runtime/executor.h"

namespace rangescope::runtime {

// A test with a Vulkan device, shared by all tests that leave it whole. Validation is on where its layer is installed,
// and a test that made it speak fails.
class DeviceTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  Device& device() { return *shared_device(); }
  // A device of one's own, for tests that lose it.
  static std::unique_ptr<Device> open_device(DeviceOptions options = {});

  // In memory only, so that no test depends on another's cache.
  static ExecutorOptions without_cache();
  Result<Executor> create(std::vector<KernelSource> kernels, const std::vector<BufferDesc>& buffers) {
    return Executor::create(device(), std::move(kernels), buffers, without_cache());
  }

 private:
  static Device* shared_device();
};

// A kernel with `count` buffers of `type`, a workgroup of one, and `body` with the buffers as b0, b1, ... and the
// invocation's number as i.
KernelSource simple_kernel(const std::string& name, const std::string& type, uint32_t count, uint32_t groups,
                           const std::string& body, const std::string& declarations = {});

template <typename T>
Result<void> upload(Executor& executor, uint32_t buffer, const std::vector<T>& values) {
  return executor.upload(buffer, std::as_bytes(std::span(values)));
}

template <typename T>
std::vector<T> download(Executor& executor, uint32_t buffer, size_t count) {
  std::vector<T> values(count);
  const auto done = executor.download(buffer, std::as_writable_bytes(std::span(values)));
  EXPECT_TRUE(done) << done.error().message;
  return values;
}

}  // namespace rangescope::runtime

// Of a Result: an error is shown; ASSERT ends the test.
#define EXPECT_OK(result) EXPECT_TRUE(result) << (result).error().message
#define ASSERT_OK(result) ASSERT_TRUE(result) << (result).error().message
