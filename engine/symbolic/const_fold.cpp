#include "engine/symbolic/symbolic.h"

namespace rangescope::symbolic {}  // namespace rangescope::symbolic
