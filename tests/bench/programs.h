#pragma once
// Programs of the golden corpus to measure with.

#include <string>
#include <string_view>
#include <vector>

namespace rangescope::bench {

struct BenchProgram {
  std::string name;
  std::string line;  // the input graph alone, as JSON
};

// The programs of tests/golden/schedule/models.jsonl.gz with 300 input nodes or more.
const std::vector<BenchProgram>& models();

}  // namespace rangescope::bench
