#include "app/session/execution_rows.h"

#include <fmt/format.h>

#include "engine/codegen/pipeline.h"
#include "engine/runtime/spirv.h"

namespace rangescope::app {

namespace {

std::string size_json(const std::array<uint32_t, 3>& size) {
  return fmt::format("[{},{},{}]", size[0], size[1], size[2]);
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

std::vector<trace::LaunchRow> launch_rows(const Execution& e, const Offsets& before) {
  std::vector<trace::LaunchRow> rows;
  const std::vector<int64_t> part = parts(e);
  for (size_t i = 0; i < e.program.dispatches.size(); ++i) {
    const auto* k = std::get_if<runtime::KernelDispatch>(&e.program.dispatches[i]);
    const runtime::Work& work = e.program.work[i];
    rows.push_back({before.items + static_cast<int64_t>(e.program.calls[i]) + 1, part[i],
                    k != nullptr ? before.kernels + static_cast<int64_t>(k->kernel) + 1 : 0, work.ops, work.bytes,
                    work.access_bytes});
  }
  return rows;
}

std::vector<trace::KernelRow> kernel_rows(trace::Recorder& recorder, const Execution& e,
                                          const std::vector<int64_t>& sections, const Offsets& before) {
  std::vector<trace::KernelRow> rows;
  for (size_t i = 0; i < e.program.kernels.size(); ++i) {
    const runtime::ProgramKernel& k = e.program.kernels[i];
    trace::KernelRow row;
    row.id = before.kernels + static_cast<int64_t>(i) + 1;
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

std::vector<trace::BufferRow> buffer_rows(trace::Recorder& recorder, const Execution& e, const Offsets& before) {
  std::vector<trace::BufferRow> rows;
  for (const runtime::ProgramBuffer& b : e.program.buffers) {
    const std::string on = b.devices > 1 ? "@" + b.node.device().names[b.device] : std::string();
    rows.push_back({before.buffers + static_cast<int64_t>(rows.size()) + 1, recorder.node(b.node),
                    fmt::format("{}{}{}", b.is_parameter() ? "p" : "b", b.slot(), on), std::string(dtype_name(b.dtype)),
                    static_cast<int64_t>(b.bytes) / itemsize(b.dtype), static_cast<int64_t>(b.bytes)});
  }
  return rows;
}

}  // namespace

std::vector<trace::ScheduleRow> schedule_rows(trace::Recorder& recorder, const schedule::Schedule& schedule,
                                              const Offsets& before) {
  std::vector<trace::ScheduleRow> rows;
  for (const schedule::ScheduledCall& call : schedule.calls) {
    trace::ScheduleRow row;
    row.id = before.items + static_cast<int64_t>(rows.size()) + 1;
    row.kind = call.ast.is(Op::SINK) ? "kernel" : call.ast.is(Op::COPY) ? "copy" : "call";
    row.ast = recorder.node(call.ast);
    for (const UOp b : call.buffers) row.buffers.push_back(recorder.node(b));
    rows.push_back(std::move(row));
  }
  return rows;
}

void add_run(std::optional<trace::RunRow>& all, trace::RunRow run) {
  if (!all) {
    all = std::move(run);
    return;
  }
  all->submit_ns += run.submit_ns;
  all->wait_ns += run.wait_ns;
  all->compiles.insert(all->compiles.end(), run.compiles.begin(), run.compiles.end());
  all->dispatches.insert(all->dispatches.end(), run.dispatches.begin(), run.dispatches.end());
}

trace::RunRow run_row(const Execution& e, const runtime::Device& device, const Offsets& before) {
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
    const auto item = before.items + static_cast<int64_t>(e.program.calls[i]) + 1;
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
    run.compiles.push_back({before.kernels + static_cast<int64_t>(i) + 1,
                            static_cast<int64_t>(e.program.kernels[i].codegen_ns),
                            static_cast<int64_t>(e.kernels[i].glsl_to_spirv_ns),
                            static_cast<int64_t>(e.kernels[i].pipeline_ns), first[i]});
  return run;
}

void name_kernels(std::vector<trace::ScheduleRow>& items, const Execution& e, const Offsets& before) {
  for (size_t i = 0; i < e.program.dispatches.size(); ++i)
    if (const auto* k = std::get_if<runtime::KernelDispatch>(&e.program.dispatches[i]);
        k != nullptr && items[e.program.calls[i]].kernel == 0)
      items[e.program.calls[i]].kernel = before.kernels + static_cast<int64_t>(k->kernel) + 1;
}

void post_schedule(trace::Recorder& recorder, std::vector<trace::ScheduleRow> items) {
  recorder.flush();
  recorder.writer().post([items = std::move(items)](trace::Database& db) { return trace::insert_schedule(db, items); });
}

void post_execution(trace::Recorder& recorder, const Execution& e, const std::vector<int64_t>& sections,
                    const Offsets& before) {
  auto kernels = kernel_rows(recorder, e, sections, before);
  auto buffers = buffer_rows(recorder, e, before);
  auto launches = launch_rows(e, before);
  recorder.flush();
  recorder.writer().post([kernels = std::move(kernels), buffers = std::move(buffers),
                          launches = std::move(launches)](trace::Database& db) -> Result<void> {
    if (auto r = trace::insert_kernels(db, kernels); !r) return r;
    if (auto r = trace::insert_buffers(db, buffers); !r) return r;
    return trace::insert_launches(db, launches);
  });
}

}  // namespace rangescope::app
