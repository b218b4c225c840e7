#include <fmt/format.h>

#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"
#include "app/kernel_table.h"
#include "app/programs.h"
#include "app/session/execution.h"
#include "app/session/execution_rows.h"
#include "engine/ir/json_reader.h"
#include "engine/schedule/pipeline.h"
#include "engine/schedule/program_run.h"
#include "engine/trace/kernel_rows.h"
#include "engine/trace/recorder.h"

namespace rangescope::app {

namespace {

std::string flags_json(const Program& program) {
  std::string s = "{";
  for (const auto& [name, value] : program.flags) {
    if (s.size() > 1) s += ',';
    append_json_string(s, name);
    s += fmt::format(":{}", value);
  }
  return s + "}";
}

// Runs the schedule and puts kernels, buffers and times into the trace.
Result<void> run_into(trace::Recorder& recorder, const schedule::Schedule& schedule,
                      std::vector<trace::ScheduleRow>& items, const RunSettings& settings, const StartValues& start) {
  auto device = open_device(settings);
  if (!device) return tl::unexpected(device.error());
  std::vector<int64_t> sections;  // of the kernels, in the order in which they are generated
  const auto begin_kernel = [&](UOp ast) {
    sections.push_back(recorder.begin_section("kernel", fmt::format("kernel {}", sections.size() + 1), ast));
  };
  const auto e = execute(**device, schedule, static_cast<uint32_t>(settings.warm_up),
                         static_cast<uint32_t>(settings.repeat), begin_kernel, start, settings);
  if (!e) return tl::unexpected(e.error());
  name_kernels(items, *e, {});
  post_execution(recorder, *e, sections, {});
  recorder.writer().post([run = run_row(*e, **device, {})](trace::Database& db) { return trace::insert_run(db, run); });
  return {};
}

// Schedules, and runs if asked, with everything reported to the recorder.
Result<void> record_into(trace::Recorder& recorder, LoadedProgram& p, const RecordOptions& options) {
  const ObserverScope scope(*p.store, recorder);
  recorder.begin_section("schedule", p.program.name, p.program.root);
  const Result<UOp> graph = schedule::get_kernel_graph(p.program.root);
  if (!graph) return tl::unexpected(graph.error());
  recorder.meta("kernel_graph", std::to_string(recorder.node(*graph)));
  const auto schedule = schedule::create_schedule(*graph);
  if (!schedule) return tl::unexpected(schedule.error());
  auto items = schedule_rows(recorder, *schedule, {});
  Result<void> ran = options.run ? run_into(recorder, *schedule, items, options.settings, start_of(p)) : Result<void>();
  post_schedule(recorder, std::move(items));
  return ran;
}

}  // namespace

int run_record(const RecordOptions& options) {
  if (is_script(options.in.path)) return record_script(options);
  auto p = the_program(options.in);
  if (!p) return failed(p.error());
  schedule::apply_settings(p->program, *p->store);
  auto recorder = trace::Recorder::create(options.out, *p->store);
  if (!recorder) return failed(recorder.error());
  trace::Recorder& r = **recorder;
  r.meta("program", p->program.name);
  r.meta("suite", p->program.suite);
  r.meta("flags", flags_json(p->program));
  r.meta("engine", RANGESCOPE_VERSION);
  const Result<void> recorded = record_into(r, *p, options);
  if (!recorded) r.error_if_new(recorded.error().message);
  using Replaced = trace::Writer::Replaced;
  const std::string replaced = r.writer().replaced();
  const Result<void> closed = r.finish(recorded ? Replaced::Remove : Replaced::Keep);
  if (!closed) return failed(closed.error());
  if (!recorded) {
    const std::string& why = recorded.error().message;
    print_error(fmt::format(
        "{}: {}{} {} holds everything up to there.{}", p->program.name, why, why.ends_with('.') ? "" : ".", options.out,
        replaced.empty() ? "" : fmt::format(" The trace that was there before is {} now.", replaced)));
    return kFailed;
  }
  fmt::print("{}: {} matches recorded in {}\n", p->program.name, r.match_count(), options.out);
  if (!options.run) return kOk;
  auto reader = trace::Reader::open(options.out);
  const Result<void> printed = reader ? print_kernel_table(**reader) : tl::unexpected(reader.error());
  if (printed) return kOk;
  return failed(printed.error());
}

}  // namespace rangescope::app
