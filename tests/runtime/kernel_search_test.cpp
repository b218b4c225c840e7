// A measured search over optimisations, and what is remembered of it.
#include "engine/runtime/kernel_search.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/codegen/heuristic.h"
#include "engine/symbolic/make_store.h"
#include "tests/codegen/matrix_product.h"
#include "tests/runtime/fixture.h"

namespace rangescope::runtime {
namespace {

using ::testing::HasSubstr;

OptArg opt(OptOp op, int64_t axis, int64_t amount) {
  return {op, axis, {Arg(amount)}};
}

class KernelSearchTest : public DeviceTest {
 protected:
  KernelSearchTest() {
    folder_ = std::filesystem::temp_directory_path() / ("rangescope_search_" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    options_.cache_folder = folder_;
    options_.budget = std::chrono::seconds(2);
    options_.starts = {codegen::hand_coded_optimizations};
    program_.target = target_for(device().info());
    program_.glsl.max_loop_iterations = device().info().limits.max_loop_iterations;
  }
  ~KernelSearchTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
  std::unique_ptr<Store> store_ = symbolic::make_store();
  ProgramOptions program_;
  SearchOptions options_;
};

TEST_F(KernelSearchTest, FindsOptimisationsThatApplyAndRemembersThem) {
  const UOp ast = codegen::testing::matrix_product(*store_, 16);
  const auto found = KernelSearch(device(), program_, options_).best(ast);
  ASSERT_OK(found);
  ASSERT_TRUE(*found);
  EXPECT_FALSE((*found)->remembered);
  EXPECT_GE((*found)->measured, 1U);
  EXPECT_GT((*found)->found.ns, 0U);
  EXPECT_EQ((*found)->note, "");
  EXPECT_OK(generate_kernel(codegen::with_opts(ast, (*found)->found.opts), program_));

  // another process, another store: the kernel is the same
  const auto other = symbolic::make_store();
  const auto again = KernelSearch(device(), program_, options_).best(codegen::testing::matrix_product(*other, 16));
  ASSERT_OK(again);
  ASSERT_TRUE(*again);
  EXPECT_TRUE((*again)->remembered);
  EXPECT_EQ((*again)->found.opts, (*found)->found.opts);
}

TEST_F(KernelSearchTest, LeavesAKernelAloneThatBringsItsOptimisations) {
  const UOp ast = codegen::with_opts(codegen::testing::matrix_product(*store_, 16), {opt(OptOp::UPCAST, 0, 4)});
  const auto found = KernelSearch(device(), program_, options_).best(ast);
  ASSERT_OK(found);
  EXPECT_FALSE(*found);
}

TEST_F(KernelSearchTest, AFolderThatCannotBeWrittenIsANote) {
  options_.cache_folder = "/dev/null/nowhere";
  const auto found = KernelSearch(device(), program_, options_).best(codegen::testing::matrix_product(*store_, 4));
  ASSERT_OK(found);
  ASSERT_TRUE(*found);
  EXPECT_THAT((*found)->note, HasSubstr("/dev/null/nowhere"));
}

TEST_F(KernelSearchTest, MemoryKeepsTheLastLineAndSkipsWhatMakesNoSense) {
  const std::string key(32, 'a');
  OptsMemory memory(device().info(), folder_);
  ASSERT_OK(memory.add(key, {{opt(OptOp::UPCAST, 0, 4)}, 7}));
  ASSERT_OK(memory.add(key, {{opt(OptOp::LOCAL, 1, 8), opt(OptOp::UNROLL, 0, 0)}, 5}));
  std::ofstream(memory.file(), std::ios::app) << "short 1 UPCAST:0:4\n" << key << " 9 UPCAST:0\n" << key << " x\n\n";
  const OptsMemory read(device().info(), folder_);
  ASSERT_NE(read.find(key), nullptr);
  EXPECT_EQ(read.find(key)->ns, 5U);
  EXPECT_EQ(opts_text(read.find(key)->opts), "LOCAL:1:8 UNROLL:0:0");
  EXPECT_EQ(read.find(std::string(32, 'b')), nullptr);
}

TEST(OptsText, IsReadBackAndRefusedByName) {
  const auto read = read_opts("UPCAST:0:4 SWAP:1:2");
  ASSERT_OK(read);
  EXPECT_EQ(opts_text(*read), "UPCAST:0:4 SWAP:1:2");
  EXPECT_THAT(read_opts("STRETCH:0:4").error().message, HasSubstr("STRETCH"));
  EXPECT_THAT(read_opts("UPCAST:a:4").error().message, HasSubstr("UPCAST:a:4"));
}

TEST_F(KernelSearchTest, KeysTellKernelsApart) {
  const UOp a = codegen::testing::matrix_product(*store_, 16), b = codegen::testing::matrix_product(*store_, 8);
  EXPECT_NE(kernel_key(a, program_.target), kernel_key(b, program_.target));
  codegen::Target other = program_.target;
  other.shared_max /= 2;
  EXPECT_NE(kernel_key(a, program_.target), kernel_key(a, other));
}

}  // namespace
}  // namespace rangescope::runtime
