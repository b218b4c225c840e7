#pragma once
// What the processor itself reaches in plain C++ loops, on all its cores: the roof above a software device.

namespace rangescope::bench {

struct MachineLimits {
  double copy_gb_per_s = 0;         // bytes read and written, from and to memory
  double multiply_add_gflop_s = 0;  // float32, an addition and a multiplication each, from registers
};

MachineLimits measure_machine();

}  // namespace rangescope::bench
