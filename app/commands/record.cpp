#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "app/checks/changes.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"
#include "app/kernel_table.h"
#include "app/programs.h"
#include "app/session/execution.h"
#include "app/session/execution_rows.h"
#include "app/trace_programs.h"
#include "engine/eval/evaluate.h"
#include "engine/rewrite/rules_off.h"
#include "engine/schedule/pipeline.h"
#include "engine/schedule/program_run.h"
#include "engine/trace/kernel_rows.h"
#include "engine/trace/recorder.h"

namespace rangescope::app {

namespace {

// What is recorded: programs in one store, and what they start from.
struct Recorded {
  std::unique_ptr<Store> store;
  std::string name, suite;
  std::vector<TraceProgram> programs;
  std::vector<std::string> without;
  std::map<int64_t, std::vector<std::byte>> contents;  // of the program's parameters by slot, where they are known
  int64_t seed = 0;                                    // of what the others hold
};

Result<Recorded> recorded_of(const Input& in) {
  Recorded out;
  if (is_trace(in.path)) {
    auto t = programs_of_trace(in.path);
    if (!t) return tl::unexpected(t.error());
    out.store = std::move(t->store);
    out.name = std::move(t->name);
    out.suite = std::move(t->suite);
    out.programs = std::move(t->programs);
    out.without = std::move(t->without);
    return out;
  }
  auto p = the_program(in);
  if (!p) return tl::unexpected(p.error());
  out.store = std::move(p->store);
  out.name = p->program.name;
  out.suite = p->program.suite;
  out.contents = std::move(p->contents);
  out.seed = p->seed;
  auto variables = start_of(*p).variables;
  out.programs.push_back({std::move(p->program), std::move(variables)});
  return out;
}

// Writes programs into a trace, one after another.
class ProgramRecorder {
 public:
  ProgramRecorder(trace::Recorder& recorder, const RecordOptions& options) : recorder_(recorder), options_(options) {}

  // Schedules, and runs if asked, with everything reported to the recorder.
  Result<void> record(const Program& p, const StartValues& start);
  void finish(Store& store);
  // Kernels in the schedules, whether they ran or not.
  int64_t kernels_scheduled() const { return kernels_scheduled_; }

 private:
  Result<void> run(const schedule::Schedule& schedule, std::vector<trace::ScheduleRow>& items,
                   const StartValues& start);

  trace::Recorder& recorder_;
  const RecordOptions& options_;
  std::unique_ptr<runtime::Device> device_;
  Offsets rows_;
  UOps kernels_;
  int64_t kernels_scheduled_ = 0;
  std::optional<trace::RunRow> run_;  // all programs' times, as one run
};

// Runs the schedule and puts kernels, buffers and times into the trace.
Result<void> ProgramRecorder::run(const schedule::Schedule& schedule, std::vector<trace::ScheduleRow>& items,
                                  const StartValues& start) {
  const RunSettings& settings = options_.settings;
  if (!device_) {
    auto device = open_device(settings);
    if (!device) return tl::unexpected(device.error());
    device_ = std::move(*device);
  }
  std::vector<int64_t> sections;  // of the kernels, in the order in which they are generated
  const auto begin_kernel = [&](UOp ast) {
    const auto number = rows_.kernels + static_cast<int64_t>(sections.size()) + 1;
    sections.push_back(recorder_.begin_section("kernel", fmt::format("kernel {}", number), ast));
  };
  const auto e = execute(*device_, schedule, static_cast<uint32_t>(settings.warm_up),
                         static_cast<uint32_t>(settings.repeat), begin_kernel, start, settings);
  if (!e) return tl::unexpected(e.error());
  name_kernels(items, *e, rows_);
  post_execution(recorder_, *e, sections, rows_);
  add_run(run_, run_row(*e, *device_, rows_));
  rows_.kernels += static_cast<int64_t>(e->program.kernels.size());
  rows_.buffers += static_cast<int64_t>(e->program.buffers.size());
  return {};
}

Result<void> ProgramRecorder::record(const Program& p, const StartValues& start) {
  schedule::apply_settings(p, p.root.store());
  note_flags(recorder_, recorder_.begin_section("schedule", p.name, p.root), p.flags);
  const Result<UOp> graph = schedule::get_kernel_graph(p.root);
  if (!graph) return tl::unexpected(graph.error());
  kernels_.insert(kernels_.end(), graph->srcs().begin(), graph->srcs().end());
  const auto schedule = schedule::create_schedule(*graph);
  if (!schedule) return tl::unexpected(schedule.error());
  auto items = schedule_rows(recorder_, *schedule, rows_);
  const auto count = static_cast<int64_t>(items.size());
  kernels_scheduled_ += std::ranges::count(items, "kernel", &trace::ScheduleRow::kind);
  Result<void> ran = options_.run ? run(*schedule, items, start) : Result<void>();
  rows_.items += count;
  post_schedule(recorder_, std::move(items));
  return ran;
}

void ProgramRecorder::finish(Store& store) {
  if (!kernels_.empty()) recorder_.meta("kernel_graph", std::to_string(recorder_.node(store.sink(kernels_))));
  if (!run_) return;
  recorder_.flush();
  recorder_.writer().post([run = *run_](trace::Database& db) { return trace::insert_run(db, run); });
}

}  // namespace

int run_record(const RecordOptions& options) {
  const auto changes = read_changes(options.without, options.flags);
  if (!changes) return failed(changes.error());
  if (is_script(options.in.path)) return record_script(options);
  auto in = recorded_of(options.in);
  if (!in) return failed(in.error());
  for (const std::string& rule : changes->without)
    if (std::ranges::find(in->without, rule) == in->without.end()) in->without.push_back(rule);
  for (TraceProgram& p : in->programs) put_flags(p.program.flags, changes->flags);
  switch_off(*in->store, in->without);
  auto recorder = trace::Recorder::create(options.out, *in->store);
  if (!recorder) return failed(recorder.error());
  trace::Recorder& r = **recorder;
  r.meta("program", in->name);
  r.meta("suite", in->suite);
  r.meta("flags", flags_json(in->programs[0].program.flags));
  r.meta("engine", RANGESCOPE_VERSION);
  note_rules_off(r, in->without);
  Result<void> recorded;
  int64_t kernels = 0;
  {
    const ObserverScope scope(*in->store, r);
    ProgramRecorder programs(r, options);
    StartValues start;
    for (const auto& [slot, bytes] : in->contents) start.contents[slot] = bytes;
    start.seed = in->seed;
    for (size_t i = 0; i < in->programs.size() && recorded; ++i) {
      start.variables = in->programs[i].variables;
      start.sharded = eval::inputs_of(in->programs[i].program.root).sharded;
      recorded = programs.record(in->programs[i].program, start);
    }
    programs.finish(*in->store);
    kernels = programs.kernels_scheduled();
  }
  if (!recorded) r.error_if_new(recorded.error().message);
  using Replaced = trace::Writer::Replaced;
  const std::string replaced = r.writer().replaced();
  const Result<void> closed = r.finish(recorded ? Replaced::Remove : Replaced::Keep);
  if (!closed) return failed(closed.error());
  if (!recorded) {
    const std::string& why = recorded.error().message;
    print_error(fmt::format(
        "{}: {}{} {} holds everything up to there.{}", in->name, why, why.ends_with('.') ? "" : ".", options.out,
        replaced.empty() ? "" : fmt::format(" The trace that was there before is {} now.", replaced)));
    return kFailed;
  }
  fmt::print("{}: {} matches recorded in {}\n", in->name, r.match_count(), options.out);
  if (!options.run) {
    // names come with the optimisations that code generation chooses
    if (kernels > 0) fmt::print("{} kernels have no names, code and times: --run generates and runs them\n", kernels);
    return kOk;
  }
  auto reader = trace::Reader::open(options.out);
  const Result<void> printed = reader ? print_kernel_table(**reader) : tl::unexpected(reader.error());
  if (printed) return kOk;
  return failed(printed.error());
}

}  // namespace rangescope::app
