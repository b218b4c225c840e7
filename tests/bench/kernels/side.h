#pragma once
// One side of the comparison on the device: kernels, buffers, dispatches, ready to be run again and again.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/ir/error.h"
#include "engine/ir/program.h"
#include "engine/runtime/kernel_search.h"
#include "engine/runtime/program.h"
#include "engine/schedule/create_schedule.h"
#include "engine/symbolic/make_store.h"
#include "tests/bench/kernels/cases.h"

namespace rangescope::bench {

// A program of a file, scheduled in a store of its own.
struct Scheduled {
  std::unique_ptr<Store> store = symbolic::make_store();
  Program program;
  schedule::Schedule schedule;
};
Result<Scheduled> scheduled(const std::string& line);

struct Side {
  std::string name;
  runtime::Executor executor;
  std::vector<runtime::Dispatch> dispatches;
  uint32_t output = 0;  // buffer of parameter 0
  uint64_t output_bytes = 0;
  std::vector<uint64_t> pass_ns = {};  // of every timed repeat: its dispatches together
  // Of a pass, the fewest so far: processor time of all threads, which other programs of the machine disturb less.
  double cpu_ms = 0;
};

// The program is scheduled and generated anew with these options. The GLSL goes into the folder `sources`, if named.
// `search`, if any, chooses the schedule, too.
Result<Side> generated_side(const std::string& name, runtime::Device& device, const std::string& line,
                            const runtime::ProgramOptions& options, const std::string& sources,
                            runtime::KernelSearch* search = nullptr);
// `parameters`: bytes of the program's parameters, by slot.
Result<Side> written_side(runtime::Device& device, const KernelCase& kernel, const std::vector<uint64_t>& parameters,
                          const std::string& shader_folder);

// Bytes of the program's parameters, by slot.
Result<std::vector<uint64_t>> parameter_bytes(const std::string& line);

// Adds to the side's passes. The first run compiles, and is not among them.
Result<void> run_side(Side& side, uint32_t repeats);
Result<std::vector<float>> output_of(Side& side);

// Empty where the outputs agree, as float32 sums in another order do; else how they differ.
std::string disagreement(const std::vector<float>& a, const std::vector<float>& b);

}  // namespace rangescope::bench
