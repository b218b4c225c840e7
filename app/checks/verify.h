#pragma once
// Whether rewriting kept the meaning: the graphs before and after every pass are evaluated on the same numbers, and
// where they differ the match that did it is looked for.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/checks/recording.h"
#include "engine/eval/compare.h"
#include "engine/eval/evaluate.h"

namespace rangescope::app {

struct VerifySettings {
  eval::Limits limits;
  eval::Tolerance tolerance;
  bool every_match = false;  // also look at the graph after every match of passes whose ends agree
};

enum class Meaning : uint8_t {
  Kept,
  Changed,
  Unknown,  // not evaluated; the text says why
};

struct PassVerdict {
  int64_t number = 0;  // of the pass; 0: the step from the kernel graph to its schedule
  std::string name;
  size_t matches = 0;
  Meaning meaning = Meaning::Unknown;
  std::string text;           // what changed, or why it is not known
  std::string match;          // which match did it: rule, node, element
  int64_t match_number = -1;  // from 0
  std::string passing;        // every_match: a value that changed and came back
};

struct Verdict {
  std::vector<PassVerdict> passes;
  size_t count(Meaning meaning) const;
};

// `each` is called with every verdict as it is found, if set.
Verdict verify(const Recording& recording, const VerifySettings& settings,
               const std::function<void(const PassVerdict&)>& each = {});

}  // namespace rangescope::app
