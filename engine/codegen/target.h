#pragma once
// What code is generated for (reference: renderer/__init__.py, Renderer). The defaults are GLSL compute on Vulkan.

#include <array>
#include <cstdint>
#include <string>

#include "engine/ir/dtype.h"
#include "engine/ir/op.h"

namespace rangescope::codegen {

struct Target {
  std::string device = "VK";
  bool has_local = true;   // workgroups
  bool has_shared = true;  // memory shared by a workgroup
  // Whether invocations gain from sharing work. Where they run one after another, on a processor, they do not: what a
  // workgroup would stage in shared memory is computed again where it is read, and an axis of the output that a
  // reduction does not depend on is a loop of the invocation that has reduced, so that nothing is reduced twice.
  bool shares_work = true;
  bool supports_float4 = true;                             // wide loads and stores
  std::array<int64_t, 3> global_max{65535, 65535, 65535};  // workgroups, by dimension
  std::array<int64_t, 3> local_max{1024, 1024, 64};        // invocations of a workgroup, by dimension
  int64_t shared_max = 32768;                              // bytes
  DTypeSet dtypes = dtypes::all - (dtypes::fp8s | DType::bfloat16);
  OpSet ops{Op::SQRT,  Op::RECIPROCAL, Op::NEG, Op::EXP2,  Op::LOG2,  Op::TRUNC, Op::AND,
            Op::XOR,   Op::OR,         Op::ADD, Op::SUB,   Op::MUL,   Op::CMOD,  Op::CDIV,
            Op::CMPNE, Op::SHR,        Op::SHL, Op::CMPLT, Op::WHERE, Op::CMPEQ, Op::FDIV};
};

class KernelAxes;
// Chooses the optimisations of a kernel whose axes run in parallel already, and gives the kernel with them applied.
using Optimizer = KernelAxes (*)(const KernelAxes&);

// The reference's settings that code generation depends on, with its defaults.
struct Settings {
  bool noopt = false;             // NOOPT: no optimisation but running independent axes in parallel
  bool disable_fast_idiv = true;  // DISABLE_FAST_IDIV: leave divisions by constants as they are
  int64_t transcendental = 1;     // TRANSCENDENTAL: 2 expands the functions that the target has, too
  Optimizer optimizer = nullptr;  // instead of the reference's heuristic (heuristic.h)
  // A sum over what a stage in shared memory holds begins once, before the stage's loops. The reference begins it anew
  // in them, so its kernels of partial realization (PCONTIG above 1) come to other numbers than their graphs.
  bool sums_outlast_stages = false;
};

}  // namespace rangescope::codegen
