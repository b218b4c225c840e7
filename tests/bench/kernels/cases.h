#pragma once
// What ./dev bench kernels compares: a program (tests/bench/data/kernels.jsonl) and the same in GLSL written by hand
// (shaders/bench).

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace rangescope::bench {

// One dispatch. A buffer below k_temporary is the program's parameter of that slot.
constexpr uint32_t k_temporary = 100;
struct HandStep {
  std::string file;                                     // of shaders/bench
  std::vector<std::pair<std::string, int64_t>> values;  // macros that the shader is compiled with
  std::array<uint32_t, 3> groups;
  std::vector<uint32_t> buffers;  // by binding; the first is written to
};

struct KernelCase {
  std::string name;                  // of the program
  double operations = 0, bytes = 0;  // that the task itself needs: each input read once, each output written once
  std::vector<HandStep> steps;
  std::vector<uint64_t> temporaries = {};  // bytes of buffers k_temporary, k_temporary + 1, ...
};

const std::vector<KernelCase>& kernel_cases();

}  // namespace rangescope::bench
