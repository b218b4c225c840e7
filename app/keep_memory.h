#pragma once
// A compiler asks for much memory for a short time, program after program. Giving it back to the system in between, and
// having every page made anew, took longer than the scheduling.

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace rangescope::app {

// Once, before the first thread.
inline void keep_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 64 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

}  // namespace rangescope::app
