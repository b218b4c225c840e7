#include "app/verdict_line.h"

#include <fmt/format.h>

#include "app/console.h"

namespace rangescope::app {

bool print_verdict(const std::string& program, const Result<RunVerdict>& verdict) {
  if (!verdict) {
    print_error(fmt::format("{}: {}", program, verdict.error().message));
    return false;
  }
  const std::string text = verdict_text(*verdict);
  if (verdict->meaning == RunVerdict::Meaning::Differs) {
    print_error(fmt::format("{}: {}", program, text));
    return false;
  }
  fmt::print("verified: {}\n", text);
  return true;
}

}  // namespace rangescope::app
