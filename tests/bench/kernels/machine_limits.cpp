#include "tests/bench/kernels/machine_limits.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace rangescope::bench {

namespace {

constexpr int kRepeats = 7;
constexpr size_t kFloats = size_t{16} << 20;  // 64 MiB
constexpr size_t kSums = 64;                  // independent, to hide the latency of one
constexpr size_t kRounds = 1 << 22;

size_t cores() {
  return std::max(1U, std::thread::hardware_concurrency());
}

// Seconds of the fastest repeat of work(core) on all cores together.
double fastest(const std::function<void(size_t core)>& work) {
  double best = 1e30;
  for (int i = 0; i < kRepeats; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::thread> threads;
    for (size_t core = 0; core < cores(); ++core) threads.emplace_back(work, core);
    for (std::thread& t : threads) t.join();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

void copy(const float* from, float* to, size_t count) {
  for (size_t i = 0; i < count; ++i) to[i] = from[i];
}

void multiply_add(float* sums) {
  float s[kSums];
  std::copy_n(sums, kSums, s);
  for (size_t round = 0; round < kRounds; ++round)
    for (float& x : s) x = x * 0.999F + 0.25F;
  std::copy_n(s, kSums, sums);
}

}  // namespace

MachineLimits measure_machine() {
  MachineLimits limits;
  std::vector<float> from(kFloats, 1), to(kFloats, 0);
  const size_t part = kFloats / cores();
  const double copied = fastest([&](size_t core) { copy(from.data() + core * part, to.data() + core * part, part); });
  limits.copy_gb_per_s = 2.0 * sizeof(float) * static_cast<double>(part * cores()) / copied / 1e9;
  std::vector<float> sums(kSums * cores(), 1);
  const double added = fastest([&](size_t core) { multiply_add(sums.data() + core * kSums); });
  limits.multiply_add_gflop_s = 2.0 * static_cast<double>(kRounds * kSums * cores()) / added / 1e9;
  return limits;
}

}  // namespace rangescope::bench
