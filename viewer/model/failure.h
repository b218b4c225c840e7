#pragma once
// What went wrong in a trace, and where it is seen: a rule that refused the graph, rewrites that run in a circle, a
// rewrite that changes the program's meaning (noted by `rangescope verify --note`).

#include <optional>
#include <string>
#include <vector>

#include "engine/trace/reader.h"
#include "viewer/model/step_scene.h"

namespace rangescope::viewer {

struct FailureStep {
  StepAddress at;
  int64_t node = 0;
  std::string text;  // "match 12, add-zero: ADD int -> MUL int"
};

struct Failure {
  std::string title;  // what: "Refused by add-zero"
  std::string where;  // "pass 12 (early rewrites), match 3"; empty: not tied to a place
  std::string message;
  StepAddress at;  // pass 0: nowhere
  int64_t node = 0;
  std::vector<FailureStep> circle;
};

std::optional<Failure> failureOf(trace::Reader& reader);

}  // namespace rangescope::viewer
