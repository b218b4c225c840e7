#include "engine/symbolic/transcendental.h"

namespace rangescope::symbolic {}  // namespace rangescope::symbolic
