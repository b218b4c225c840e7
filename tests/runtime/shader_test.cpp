// GLSL to SPIR-V, and back to text.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "engine/runtime/spirv.h"
#include "tests/runtime/fixture.h"

namespace rangescope::runtime {
namespace {

using testing::HasSubstr;

TEST(ShaderCompiler, AnErrorQuotesTheLine) {
  KernelSource kernel = simple_kernel("bad_kernel", "float", 1, 1, "b0[i] = undeclared_thing + 1.0;");
  const auto shader = ShaderCompiler::shared().compile(kernel.name, kernel.glsl);
  ASSERT_FALSE(shader);
  EXPECT_THAT(shader.error().message, HasSubstr("kernel \"bad_kernel\" does not compile"));
  EXPECT_THAT(shader.error().message, HasSubstr("bad_kernel:6: error: 'undeclared_thing' : undeclared identifier"));
  EXPECT_THAT(shader.error().message, HasSubstr("  6 |   b0[i] = undeclared_thing + 1.0;"));
}

TEST(ShaderCompiler, DisassemblyShowsTheKernel) {
  const KernelSource kernel = simple_kernel("halve", "float", 1, 1, "b0[i] = b0[i] * 0.5;");
  const auto shader = ShaderCompiler::shared().compile(kernel.name, kernel.glsl);
  ASSERT_OK(shader);
  EXPECT_GT(shader->compile_ns, 0U);
  const auto text = disassemble(shader->spirv);
  ASSERT_OK(text);
  EXPECT_THAT(*text, HasSubstr("OpEntryPoint GLCompute %main \"main\""));
  EXPECT_THAT(*text, HasSubstr("OpFMul %float"));
}

TEST(Disassemble, WhatIsNoModuleIsAnError) {
  const std::vector<uint32_t> words = {1, 2, 3};
  const auto text = disassemble(words);
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message, HasSubstr("no SPIR-V module"));
  EXPECT_FALSE(disassemble({}));
}

class PipelineCacheTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    folder_ = std::filesystem::path(testing::TempDir()) / ("rangescope-cache-" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
    DeviceTest::TearDown();
  }
  Result<Executor> build() {
    return Executor::create(device(), {simple_kernel("k", "float", 1, 1, "b0[i] = 1.0;")}, std::vector<BufferDesc>{{4}},
                            ExecutorOptions{.cache_folder = folder_});
  }
  std::filesystem::path folder_;
};

TEST_F(PipelineCacheTest, OutlivesTheRunAndSurvivesDamage) {
  const auto first = build();
  ASSERT_OK(first);
  EXPECT_TRUE(first->notes().empty()) << first->notes().front();
  auto cache = PipelineCache::create(device(), folder_);
  ASSERT_OK(cache);
  ASSERT_TRUE(std::filesystem::exists(cache->file()));
  EXPECT_TRUE(cache->loaded());

  std::fstream(cache->file(), std::ios::in | std::ios::out | std::ios::binary).seekp(30).put('\x55').put('\x66');
  EXPECT_FALSE(PipelineCache::create(device(), folder_)->loaded());
  std::filesystem::resize_file(cache->file(), 10);
  EXPECT_FALSE(PipelineCache::create(device(), folder_)->loaded());
  ASSERT_OK(build());
  EXPECT_TRUE(PipelineCache::create(device(), folder_)->loaded());
}

TEST_F(PipelineCacheTest, AFolderThatCannotBeMadeIsANote) {
  std::ofstream(folder_) << "a file where the folder should be";
  const auto executor = build();
  ASSERT_OK(executor);
  ASSERT_EQ(executor->notes().size(), 1U);
  EXPECT_THAT(executor->notes().front(), HasSubstr("could not keep compiled pipelines in " + folder_.string()));
}

}  // namespace
}  // namespace rangescope::runtime
