// Every storage type that kernels use, where the device has it.
#include <cstdint>

#include "tests/runtime/fixture.h"

namespace rangescope::runtime {
namespace {

constexpr const char* k_extensions =
    "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
    "#extension GL_EXT_shader_8bit_storage : require\n"
    "#extension GL_EXT_shader_16bit_storage : require\n";

class DtypeTest : public DeviceTest {
 protected:
  // Runs b0[i] = b0[i] + b0[i] on `values`.
  template <typename T>
  std::vector<T> twice(const std::string& type, const std::vector<T>& values) {
    auto executor = create({simple_kernel("twice_" + type, type, 1, static_cast<uint32_t>(values.size()),
                                          "b0[i] = b0[i] + b0[i];", k_extensions)},
                           {{values.size() * sizeof(T)}});
    if (!executor) {
      ADD_FAILURE() << executor.error().message;
      return {};
    }
    EXPECT_TRUE(upload(*executor, 0, values));
    const Dispatch dispatch = KernelDispatch{.buffers = {0}};
    const auto report = executor->run({&dispatch, 1});
    EXPECT_TRUE(report) << report.error().message;
    return download<T>(*executor, 0, values.size());
  }
};

TEST_F(DtypeTest, Float64) {
  if (!device().info().features.float64) GTEST_SKIP() << "the device has no float64";
  EXPECT_EQ(twice<double>("double", {1.0 / 3, 1e300}), (std::vector<double>{2.0 / 3, 2e300}));
}

TEST_F(DtypeTest, Int64) {
  if (!device().info().features.int64) GTEST_SKIP() << "the device has no int64";
  EXPECT_EQ(twice<int64_t>("int64_t", {int64_t{1} << 40, -5}), (std::vector<int64_t>{int64_t{1} << 41, -10}));
}

TEST_F(DtypeTest, Int8) {
  if (!device().info().features.int8 || !device().info().features.storage8) GTEST_SKIP() << "the device has no int8";
  EXPECT_EQ(twice<int8_t>("int8_t", {1, -60, 100}), (std::vector<int8_t>{2, -120, -56}));
}

TEST_F(DtypeTest, Int16) {
  if (!device().info().features.int16 || !device().info().features.storage16) GTEST_SKIP() << "the device has no int16";
  EXPECT_EQ(twice<uint16_t>("uint16_t", {1, 40000, 7}), (std::vector<uint16_t>{2, 14464, 14}));
}

TEST_F(DtypeTest, Float16) {
  if (!device().info().features.float16 || !device().info().features.storage16)
    GTEST_SKIP() << "the device has no float16";
  // 1.5, -0.25 and 2048 as halves.
  EXPECT_EQ(twice<uint16_t>("float16_t", {0x3e00, 0xb400, 0x6800}), (std::vector<uint16_t>{0x4200, 0xb800, 0x6c00}));
}

}  // namespace
}  // namespace rangescope::runtime
