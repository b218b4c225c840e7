#include "tests/fuzz/differential.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/checks/verify.h"
#include "app/session/verify_run.h"
#include "engine/ir/traversal.h"
#include "engine/schedule/program_run.h"
#include "engine/symbolic/make_store.h"

namespace rangescope::fuzz {

namespace {

// The same graph in a store of its own.
struct Copy {
  std::unique_ptr<Store> store = symbolic::make_store();
  Program program;
};

Result<Copy> copied(const std::string& line) {
  Copy copy;
  auto read = read_program(line, *copy.store, ReadWhat::Input);
  if (!read) return tl::unexpected(read.error());
  copy.program = std::move(*read);
  return copy;
}

}  // namespace

bool refused_by_the_reference(const Program& program, const std::string& message) {
  const auto says = [&](const char* text) { return message.find(text) != std::string::npos; };
  // takes a buffer of three axes for an image, and then cannot shape it
  if (program.flag("OPENPILOT_HACKS", 0) != 0 && says("cannot reshape")) return true;
  // code of an emulated float loses the shape of several elements that are loaded under a condition
  constexpr DTypeSet kEmulated = dtypes::fp8s | DType::bfloat16;
  return (says("cannot reshape") || says("of a vector has no GLSL")) &&
         std::ranges::any_of(toposort(program.root), [&](UOp u) { return kEmulated.contains(u.dtype()); });
}

std::string passes_differ(const Program& program) {
  const std::string line = to_json(program);
  std::string bytes[2];
  for (std::string& once : bytes) {
    auto copy = copied(line);
    if (!copy) return "it cannot be read back: " + copy.error().message;
    schedule::schedule_program(copy->program);
    if (copy->program.error && refused_by_the_reference(program, *copy->program.error)) return {};
    if (copy->program.error) return "scheduling is refused: " + *copy->program.error;
    if (copy->program.schedule_error) return "scheduling is refused: " + *copy->program.schedule_error;
    once = to_json(copy->program);
  }
  if (bytes[0] != bytes[1]) return "two runs of the scheduler differ";
  auto copy = copied(line);
  if (!copy) return copy.error().message;
  const app::Recording recording = app::record_schedule(copy->program);
  const app::Verdict verdict = app::verify(recording, {});
  for (const app::PassVerdict& v : verdict.passes)
    if (v.meaning == app::Meaning::Changed)
      return fmt::format("pass {} ({}) changes the meaning: {}; first by {}", v.number, v.name, v.text, v.match);
  // the input and the schedule must both be known, or nothing is said
  for (const app::PassVerdict* v : {&verdict.passes.front(), &verdict.passes.back()})
    if (v->meaning == app::Meaning::Unknown)
      return fmt::format("pass {} ({}) is not known: {}", v->number, v->name, v->text);
  return {};
}

std::string device_differs(const Program& program, runtime::Device& device, bool device_profile) {
  auto copy = copied(to_json(program));
  if (!copy) return copy.error().message;
  const auto schedule = schedule::scheduled(copy->program);
  if (!schedule && refused_by_the_reference(program, schedule.error().message)) return {};
  if (!schedule) return "scheduling is refused: " + schedule.error().message;
  runtime::ProgramOptions options = runtime::options_for(device.info());
  options.settings.sums_outlast_stages = true;
  if (device_profile) runtime::use_profile(options, device.info());
  auto generated = runtime::build_program(*schedule, options);
  if (!generated && refused_by_the_reference(program, generated.error().message)) return {};
  if (!generated) return "code generation is refused: " + generated.error().message;
  const auto e = app::execute_program(device, std::move(*generated), 0, 0, {}, {.cache_folder = {}});
  if (!e) return "it does not run: " + e.error().message;
  const auto verdict = app::verify_run(device, copy->program.root, *e, {}, {});
  if (!verdict) return verdict.error().message;
  return verdict->meaning == app::RunVerdict::Meaning::Same ? std::string() : app::verdict_text(*verdict);
}

}  // namespace rangescope::fuzz
