#pragma once
// One kernel of a scheduled program, run by itself on what the program computes up to it: as it is, with other GLSL or
// with other optimisations, each timed on the same buffers in turn.

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/session/resize_kernel.h"
#include "engine/runtime/device.h"
#include "engine/runtime/program.h"
#include "engine/schedule/create_schedule.h"

namespace rangescope::app {

struct KernelVariant {
  std::string what;                                    // for people
  std::optional<std::string> glsl;                     // in place of what is generated
  std::optional<std::array<uint32_t, 3>> global_size;  // with it
  std::optional<std::vector<OptArg>> opts;             // generated anew with these
  Sizes sizes;                                         // generated anew with these, on buffers of its own
};

struct VariantTimes {
  std::string what;
  std::string glsl;
  std::array<uint32_t, 3> global_size{}, local_size{};
  std::vector<uint64_t> samples_ns;
  runtime::Statistics times;
  std::optional<int64_t> ops, bytes;  // of one launch, where they are known
  // Against the first variant, over all that it writes; of other sizes there is nothing to compare.
  int64_t differing = 0;  // elements
  double largest_difference = 0;
  std::string failure;  // why it did not run
};

struct KernelBuffer {
  DType dtype = DType::void_;
  uint64_t count = 0;
  bool read = false, written = false;
  UOp node;                      // in the schedule
  int64_t width = 0;             // of a row, as far as the kernel's loops tell; 0: they do not
  std::vector<std::byte> bytes;  // after the first variant
};

struct KernelRun {
  std::string name;
  std::vector<VariantTimes> variants;
  std::vector<KernelBuffer> buffers;  // by binding
};

struct KernelRunOptions {
  size_t call = 0;  // of the schedule
  uint32_t repeats = 20;
  bool values = false;  // the buffers' contents
  runtime::Variables variables;
  std::set<int64_t> sharded;  // as in StartValues
};

// What buffers of the caller hold is not known, and they get the corpus's fill. A variant that cannot be compiled or
// run says so in its `failure`; the error is of all of it.
Result<KernelRun> run_kernel_alone(runtime::Device& device, const schedule::Schedule& schedule,
                                   const std::vector<KernelVariant>& variants, const KernelRunOptions& options);

}  // namespace rangescope::app
