#include "engine/ir/error.h"

#include <cstdio>
#include <cstdlib>

namespace rangescope {

void check_failed(const char* condition, const char* message, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: internal check failed: %s (%s). This is a bug in rangescope, please report it.\n", file,
               line, message, condition);
  std::abort();
}

}  // namespace rangescope
