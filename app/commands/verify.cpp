#include <fmt/format.h>

#include "app/checks/verify.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"
#include "app/programs.h"
#include "engine/trace/verification.h"

namespace rangescope::app {

namespace {

void print_pass(const PassVerdict& v) {
  const std::string pass = v.number > 0 ? fmt::format("pass {} ({})", v.number, v.name) : "the schedule";
  switch (v.meaning) {
    case Meaning::Kept:
      fmt::print("  {}: kept{}{}, {} matches\n", pass, v.text.empty() ? "" : " ", v.text, v.matches);
      break;
    case Meaning::Unknown:
      fmt::print("  {}: not known: {}\n", pass, v.text);
      break;
    case Meaning::Changed:
      fmt::print("  {}: CHANGED: {}\n", pass, v.text);
      if (!v.match.empty()) fmt::print("    first by {}\n", v.match);
      break;
  }
  if (!v.passing.empty()) fmt::print("    for a while: {}\n", v.passing);
}

trace::Verification note_of(const Verdict& verdict) {
  for (const PassVerdict& v : verdict.passes)
    if (v.meaning == Meaning::Changed)
      return {false, v.number, v.match_number, v.text + (v.match.empty() ? "" : "; first by " + v.match)};
  return {};
}

// Whether the meaning was kept, as far as it is known. `note`: gets it too.
bool report(const std::string& name, const Recording& recording, const VerifyCommandOptions& options,
            trace::Verification* note = nullptr) {
  VerifySettings settings;
  settings.limits.elements = options.elements;
  settings.limits.work = options.work;
  settings.every_match = options.every_match;
  const Verdict verdict = verify(recording, settings);
  const size_t changed = verdict.count(Meaning::Changed), unknown = verdict.count(Meaning::Unknown);
  fmt::print("{}: {} of {} steps keep the meaning, {} change it, {} not known{}\n", name, verdict.count(Meaning::Kept),
             verdict.passes.size(), changed, unknown,
             recording.error.empty() ? "" : "; scheduling was refused: " + recording.error);
  if (note != nullptr) *note = note_of(verdict);
  for (const PassVerdict& v : verdict.passes)
    if (options.all || v.meaning == Meaning::Changed || !v.passing.empty()) print_pass(v);
  return changed == 0;
}

int verify_trace(const VerifyCommandOptions& options) {
  auto reader = trace::Reader::open(options.in.path);
  const auto recording = reader ? recording_of(**reader) : Result<Recording>(tl::unexpected(reader.error()));
  if (!recording) return failed(recording.error());
  trace::Verification found;
  const bool kept = report((*reader)->meta("program").value_or(options.in.path), *recording, options, &found);
  reader->reset();
  if (options.note)
    if (const auto noted = trace::note_verification(options.in.path, found); !noted) return failed(noted.error());
  if (!kept) print_error(options.in.path + ": a rewrite changes the meaning of the program.");
  return kept ? kOk : kFailed;
}

}  // namespace

int run_verify(const VerifyCommandOptions& options) {
  if (options.in.path.ends_with(".rscope")) return verify_trace(options);
  return for_each_program(options.in, "verifying", [&](LoadedProgram& p) {
    Result<Recording> recording;
    if (options.recorded) {
      auto whole = read_program(p.line, *p.store);
      recording = whole ? recording_of(*whole) : Result<Recording>(tl::unexpected(whole.error()));
    } else {
      recording = record_schedule(p.program);
    }
    if (!recording) {
      print_error(fmt::format("{}: {}", p.program.name, recording.error().message));
      return false;
    }
    const bool kept = report(p.program.name, *recording, options);
    if (!kept) print_error(fmt::format("{}: a rewrite changes the meaning of the program.", p.program.name));
    return kept;
  });
}

}  // namespace rangescope::app
