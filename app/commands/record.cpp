#include <fmt/format.h>

#include <unordered_map>

#include "app/commands.h"
#include "app/console.h"
#include "app/execution.h"
#include "app/exit_code.h"
#include "app/kernel_table.h"
#include "app/programs.h"
#include "engine/codegen/pipeline.h"
#include "engine/ir/json_reader.h"
#include "engine/runtime/spirv.h"
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

std::string size_json(const std::array<uint32_t, 3>& size) {
  return fmt::format("[{},{},{}]", size[0], size[1], size[2]);
}

std::vector<trace::ScheduleRow> schedule_rows(trace::Recorder& recorder, const schedule::Schedule& schedule) {
  std::vector<trace::ScheduleRow> rows;
  for (const schedule::ScheduledCall& call : schedule.calls) {
    trace::ScheduleRow row;
    row.id = static_cast<int64_t>(rows.size()) + 1;
    row.kind = call.ast.is(Op::SINK) ? "kernel" : call.ast.is(Op::COPY) ? "copy" : "call";
    row.ast = recorder.node(call.ast);
    for (const UOp b : call.buffers) row.buffers.push_back(recorder.node(b));
    rows.push_back(std::move(row));
  }
  return rows;
}

// What one launch of a kernel is: the sizes of its first dispatch.
std::array<uint32_t, 3> launch_groups(const Execution& e, size_t kernel) {
  for (const runtime::Dispatch& d : e.program.dispatches)
    if (const auto* k = std::get_if<runtime::KernelDispatch>(&d); k != nullptr && k->kernel == kernel && k->global_size)
      return *k->global_size;
  return e.program.kernels[kernel].source.global_size;
}

const runtime::Work* first_work(const Execution& e, size_t kernel) {
  for (size_t i = 0; i < e.program.dispatches.size(); ++i)
    if (const auto* k = std::get_if<runtime::KernelDispatch>(&e.program.dispatches[i]);
        k != nullptr && k->kernel == kernel)
      return &e.program.work[i];
  return nullptr;
}

// Which dispatch of its schedule item each dispatch is.
std::vector<int64_t> parts(const Execution& e) {
  std::vector<int64_t> r;
  for (size_t i = 0; i < e.program.calls.size(); ++i)
    r.push_back(i > 0 && e.program.calls[i] == e.program.calls[i - 1] ? r.back() + 1 : 0);
  return r;
}

std::vector<trace::LaunchRow> launch_rows(const Execution& e) {
  std::vector<trace::LaunchRow> rows;
  const std::vector<int64_t> part = parts(e);
  for (size_t i = 0; i < e.program.dispatches.size(); ++i) {
    const auto* k = std::get_if<runtime::KernelDispatch>(&e.program.dispatches[i]);
    const runtime::Work& work = e.program.work[i];
    rows.push_back({static_cast<int64_t>(e.program.calls[i]) + 1, part[i],
                    k != nullptr ? static_cast<int64_t>(k->kernel) + 1 : 0, work.ops, work.bytes, work.access_bytes});
  }
  return rows;
}

std::vector<trace::KernelRow> kernel_rows(trace::Recorder& recorder, const Execution& e,
                                          const std::vector<int64_t>& sections) {
  std::vector<trace::KernelRow> rows;
  for (size_t i = 0; i < e.program.kernels.size(); ++i) {
    const runtime::ProgramKernel& k = e.program.kernels[i];
    trace::KernelRow row;
    row.id = static_cast<int64_t>(i) + 1;
    row.ast = recorder.node(k.ast);
    row.section = i < sections.size() ? sections[i] : 0;
    row.sink = recorder.node(k.program.sink);
    row.name = codegen::plain_name(k.program.name);
    row.source = k.source.glsl;
    for (const UOp u : k.program.linear) row.linear.push_back(recorder.node(u));
    row.spirv = e.kernels[i].spirv;
    if (auto text = runtime::disassemble(row.spirv)) row.disassembly = std::move(*text);
    row.global_size = size_json(launch_groups(e, i));
    row.local_size = size_json(k.source.local_size);
    if (const runtime::Work* work = first_work(e, i)) row.ops = work->ops, row.bytes = work->bytes;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<trace::BufferRow> buffer_rows(trace::Recorder& recorder, const Execution& e) {
  std::vector<trace::BufferRow> rows;
  for (const runtime::ProgramBuffer& b : e.program.buffers) {
    const int64_t slot = b.node.arg().as<ParamArg>().slot;
    rows.push_back({static_cast<int64_t>(rows.size()) + 1, recorder.node(b.node),
                    fmt::format("{}{}", b.is_parameter() ? "p" : "b", slot), std::string(dtype_name(b.dtype)),
                    static_cast<int64_t>(b.bytes) / itemsize(b.dtype), static_cast<int64_t>(b.bytes)});
  }
  return rows;
}

trace::RunRow run_row(const Execution& e, const runtime::Device& device) {
  trace::RunRow run;
  run.device = device.info().name;
  run.driver = device.info().driver;
  run.timestamp_period_ns = device.info().timestamp_period_ns;
  run.warm_ups = static_cast<int64_t>(e.report.warmups.size()) + 1;  // the pass that gives the values is one too
  run.repeats = static_cast<int64_t>(e.report.repeats.size());
  for (const runtime::PassTimes& t : e.report.repeats) {
    run.submit_ns += static_cast<int64_t>(t.submit_ns);
    run.wait_ns += static_cast<int64_t>(t.wait_ns);
  }
  std::vector<int64_t> first(e.program.kernels.size(), 0);
  const std::vector<int64_t> part = parts(e);
  for (size_t i = 0; i < e.report.dispatches.size(); ++i) {
    const runtime::DispatchReport& d = e.report.dispatches[i];
    const auto item = static_cast<int64_t>(e.program.calls[i]) + 1;
    const auto row = [&](size_t repeat, uint64_t start, uint64_t ns, bool warm_up) {
      run.dispatches.push_back({item, part[i], static_cast<int64_t>(repeat), static_cast<int64_t>(ns), warm_up,
                                static_cast<int64_t>(start)});
    };
    row(0, d.first_start_ns, d.first_ns, true);
    for (size_t r = 0; r < d.samples_ns.size(); ++r) row(r, d.starts_ns[r], d.samples_ns[r], false);
    if (const auto* k = std::get_if<runtime::KernelDispatch>(&e.program.dispatches[i]);
        k != nullptr && first[k->kernel] == 0)
      first[k->kernel] = static_cast<int64_t>(d.first_ns);
  }
  for (size_t i = 0; i < e.kernels.size(); ++i)
    run.compiles.push_back({static_cast<int64_t>(i) + 1, static_cast<int64_t>(e.program.kernels[i].codegen_ns),
                            static_cast<int64_t>(e.kernels[i].glsl_to_spirv_ns),
                            static_cast<int64_t>(e.kernels[i].pipeline_ns), first[i]});
  return run;
}

// Runs the schedule and puts kernels, buffers and times into the trace.
Result<void> run_into(trace::Recorder& recorder, const schedule::Schedule& schedule,
                      std::vector<trace::ScheduleRow>& items, const RunSettings& settings) {
  auto device = open_device(settings);
  if (!device) return tl::unexpected(device.error());
  std::vector<int64_t> sections;  // of the kernels, in the order in which they are generated
  const auto begin_kernel = [&](UOp ast) {
    sections.push_back(recorder.begin_section("kernel", fmt::format("kernel {}", sections.size() + 1), ast));
  };
  const auto e = execute(**device, schedule, static_cast<uint32_t>(settings.warm_up),
                         static_cast<uint32_t>(settings.repeat), begin_kernel);
  if (!e) return tl::unexpected(e.error());
  for (size_t i = 0; i < e->program.dispatches.size(); ++i)
    if (const auto* k = std::get_if<runtime::KernelDispatch>(&e->program.dispatches[i]);
        k != nullptr && items[e->program.calls[i]].kernel == 0)
      items[e->program.calls[i]].kernel = static_cast<int64_t>(k->kernel) + 1;
  auto kernels = kernel_rows(recorder, *e, sections);
  auto buffers = buffer_rows(recorder, *e);
  auto launches = launch_rows(*e);
  recorder.flush();
  recorder.writer().post([kernels = std::move(kernels), buffers = std::move(buffers), launches = std::move(launches),
                          run = run_row(*e, **device)](trace::Database& db) -> Result<void> {
    if (auto r = trace::insert_kernels(db, kernels); !r) return r;
    if (auto r = trace::insert_buffers(db, buffers); !r) return r;
    if (auto r = trace::insert_launches(db, launches); !r) return r;
    return trace::insert_run(db, run);
  });
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
  auto items = schedule_rows(recorder, *schedule);
  Result<void> ran = options.run ? run_into(recorder, *schedule, items, options.settings) : Result<void>();
  recorder.flush();
  recorder.writer().post([items = std::move(items)](trace::Database& db) { return trace::insert_schedule(db, items); });
  return ran;
}

}  // namespace

int run_record(const RecordOptions& options) {
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
