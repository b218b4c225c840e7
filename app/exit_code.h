#pragma once

namespace rangescope::app {

// What the program's exit code says. The README documents the same numbers.
enum ExitCode : int {
  kOk = 0,
  kFailed = 1,  // what was asked for could not be done: the message on stderr says why
  kUsage = 2,   // the command line was not understood
  kPartly = 3,  // some programs of the input failed; the others are done
};

}  // namespace rangescope::app
