#include "tests/bench/kernels/cases.h"

namespace rangescope::bench {

namespace {

constexpr double kMiB = 1 << 20;

HandStep matmul(int64_t m, int64_t n, int64_t k, uint32_t batch, std::vector<uint32_t> buffers) {
  // as ROWS, VECTORS and the workgroup of matmul.comp say
  return {"matmul.comp",
          {{"M", m}, {"N", n}, {"K", k}},
          {static_cast<uint32_t>(n / 64), static_cast<uint32_t>(m / 64), batch},
          std::move(buffers)};
}

KernelCase square_matmul(const std::string& name, int64_t n, uint32_t batch) {
  const auto size = static_cast<double>(n);
  return {name, 2 * size * size * size * batch, 3 * 4 * size * size * batch, {matmul(n, n, n, batch, {0, 1, 2})}};
}

KernelCase attention() {
  constexpr uint32_t kHeads = 8, kLength = 512, kWidth = 64;
  const double products = 2.0 * 2 * kHeads * kLength * kLength * kWidth, scores = double{kHeads} * kLength * kLength;
  return {"attention",
          products + 5 * scores,
          4.0 * 4 * kHeads * kLength * kWidth,
          {{"matmul_transposed.comp",
            {{"M", kLength}, {"N", kLength}, {"K", kWidth}},
            {kLength / 32, kLength / 4, kHeads},
            {k_temporary, 1, 2}},
           {"softmax.comp", {{"COLUMNS", kLength}}, {kHeads * kLength / 8, 1, 1}, {k_temporary + 1, k_temporary}},
           matmul(kLength, kWidth, kLength, kHeads, {0, k_temporary + 1, 3})},
          {4 * uint64_t{kHeads} * kLength * kLength, 4 * uint64_t{kHeads} * kLength * kLength}};
}

}  // namespace

const std::vector<KernelCase>& kernel_cases() {
  static const std::vector<KernelCase> cases = {
      square_matmul("matmul_512", 512, 1),
      square_matmul("matmul_1024", 1024, 1),
      square_matmul("matmul_batched", 256, 16),
      {"conv_3x3",
       2.0 * 8 * 64 * 64 * 9 * 56 * 56,
       4.0 * (2 * 8 * 64 * 56 * 56 + 64 * 64 * 9),
       {{"conv_3x3.comp", {}, {1, 7, 64}, {0, 1, 2}}}},
      {"add_64_mib", double{1 << 24}, 3 * 64 * kMiB, {{"add.comp", {}, {32768, 1, 1}, {0, 1, 2}}}},
      {"copy_64_mib", 0, 2 * 64 * kMiB, {{"copy.comp", {}, {32768, 1, 1}, {0, 1}}}},
      {"sum_rows", double{1 << 24}, 64 * kMiB, {{"sum_rows.comp", {}, {4096 / 8, 1, 1}, {0, 1}}}},
      {"sum_columns", double{1 << 24}, 64 * kMiB, {{"sum_columns.comp", {}, {256 / 8, 1, 1}, {0, 1}}}},
      {"softmax", 5.0 * (1 << 24), 2 * 64 * kMiB, {{"softmax.comp", {}, {4096 / 8, 1, 1}, {0, 1}}}},
      {"layernorm", 6.0 * (1 << 22), 2 * 16 * kMiB, {{"layernorm.comp", {}, {4096 / 8, 1, 1}, {0, 1}}}},
      attention(),
  };
  return cases;
}

}  // namespace rangescope::bench
