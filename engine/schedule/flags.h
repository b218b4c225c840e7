#pragma once
// The settings that scheduling depends on, with the reference's defaults (its context variables). They belong to a
// program: set them on its store before scheduling.

#include <cstdint>

#include "engine/ir/store.h"

namespace rangescope::schedule {

struct Flags {
  static constexpr bool kOutlivesNodes = true;
  int64_t split_reduceop = 1;                 // SPLIT_REDUCEOP: split a large reduce into two kernels
  int64_t reduceop_split_threshold = 32768;   // REDUCEOP_SPLIT_THRESHOLD: elements a result from which it pays
  int64_t reduceop_split_size = 22;           // REDUCEOP_SPLIT_SIZE: log2 of the most elements the first half stores
  int64_t pcontig = 0;                        // PCONTIG: how far partial realization goes
  int64_t float16 = 0;                        // FLOAT16: see through casts to half in moved AFTERs
  int64_t openpilot_hacks = 0;                // OPENPILOT_HACKS: fold moved AFTERs
  int64_t max_kernel_buffers = 0;             // MAX_KERNEL_BUFFERS: 0 is the device's own limit
  int64_t ring = 1;                           // RING: 1 for large allreduces, 2 for all
  int64_t all2all = 0;                        // ALL2ALL: likewise
  int64_t ring_allreduce_threshold = 256000;  // RING_ALLREDUCE_THRESHOLD: elements
  int64_t allreduce_cast = 1;                 // ALLREDUCE_CAST: send in the narrow dtype
  int64_t late_allreduce = 1;                 // LATE_ALLREDUCE
  int64_t no_memory_planner = 0;              // NO_MEMORY_PLANNER: every internal buffer by itself
  int64_t scache = 1;                         // SCACHE: schedule equal functions once
  int64_t spec = 1;                           // SPEC: check the kernel graph
};

inline Flags& flags(Store& store) {
  return store.extension<Flags>();
}

}  // namespace rangescope::schedule
