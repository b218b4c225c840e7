#pragma once

#include <optional>
#include <string>

namespace rangescope::viewer {

// Where a rule stands in the engine: a trace says where the reference has it, and only who has the sources of the
// engine can say this.
struct RuleSource {
  std::string file;  // below the root
  int line = 0;
};

// Looks through the sources of the engine below `root`: for a thread of its own.
std::optional<RuleSource> ruleSource(const std::string& root, const std::string& rule);

// Opens it there in an editor: what RANGESCOPE_EDITOR says, with {file} and {line} filled in, else what the desktop
// opens such files with. False: nothing could be started.
bool openInEditor(const std::string& root, const RuleSource& source);

}  // namespace rangescope::viewer
