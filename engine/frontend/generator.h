#pragma once
// The state of the generator of random numbers: a key and a counter on every device that asked for some.

#include <map>
#include <string>

#include "engine/frontend/context.h"
#include "engine/frontend/tensor.h"

namespace rangescope::frontend {

struct Context::Generator {
  struct State {
    Tensor key, counter;
  };
  std::map<std::string, State> devices;
};

}  // namespace rangescope::frontend
