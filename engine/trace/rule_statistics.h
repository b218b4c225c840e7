#pragma once
// How often each rule was tried and fired in a trace, and the time it took.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/trace/reader.h"

namespace rangescope::trace {

class Writer;

struct RuleStatistics {
  int64_t hits = 0;
  int64_t ns = 0;                   // in the firings
  std::string ref;                  // of a rule that fired
  std::optional<int64_t> attempts;  // patterns tried at a node; what the ops of its sources rule out does not count
};

// By name, firings of equally named rules together. Rules that never fired are there where the trace knows attempts.
Result<std::map<std::string, RuleStatistics, std::less<>>> rule_statistics(Reader& reader);

// Into the table x_attempts, before the file is closed.
void post_attempts(Writer& writer, std::vector<std::pair<std::string_view, int64_t>> attempts);

}  // namespace rangescope::trace
