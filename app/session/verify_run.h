#pragma once
// Whether a program computed on a device what it means: its buffers against the interpreter's (engine/eval), and where
// they differ each kernel by itself, on the numbers that the device had at that point.

#include <optional>
#include <string>
#include <vector>

#include "app/session/execution.h"
#include "engine/eval/value.h"

namespace rangescope::app {

struct RunVerdict {
  enum class Meaning : uint8_t {
    Same,
    Differs,
    Unknown,  // the interpreter cannot evaluate the program, nor all of its kernels
  };
  Meaning meaning = Meaning::Same;
  std::string text;  // what differs, and where; or why it is not known
  // The first dispatch whose output is not what its own AST makes of its inputs, and the name of its kernel. None where
  // every kernel is right: then it is the schedule that changed the meaning.
  std::optional<size_t> dispatch;
  std::string kernel;
  size_t kernels_right = 0, kernels_unknown = 0;  // where kernels were looked at: those up to there
};

// `root`: the graph that was scheduled. `e`: its execution, whose program runs once more, dispatch by dispatch, if the
// outputs differ or cannot be known.
Result<RunVerdict> verify_run(runtime::Device& device, UOp root, const Execution& e,
                              const runtime::Variables& variables, const eval::Limits& limits);

// What an interpreter may take for it: a minute or two.
eval::Limits limits_of_verification();

// In words, for a line of output.
std::string verdict_text(const RunVerdict& verdict);

}  // namespace rangescope::app
