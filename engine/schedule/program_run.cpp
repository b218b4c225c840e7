#include "engine/schedule/program_run.h"

#include <algorithm>
#include <chrono>

#include "engine/rewrite/pass_recorder.h"
#include "engine/schedule/flags.h"
#include "engine/schedule/pipeline.h"
#include "engine/symbolic/make_store.h"

namespace rangescope::schedule {

namespace {

class MatchCounter : public RewriteObserver {
 public:
  void pass_begin(const PassInfo&, UOp) override {}
  void rule_matched(const Rule&, UOp, UOp, uint64_t) override { ++matches; }
  void rule_raised(const Rule&, UOp, std::string_view) override {}
  void pass_end(UOp) override {}
  size_t matches = 0;
};

// Milliseconds of one run in a fresh store.
Result<double> run_once(std::string_view line, RewriteObserver* observer, size_t* input_nodes) {
  const std::unique_ptr<Store> store = symbolic::make_store();
  Result<Program> program = read_program(line, *store, ReadWhat::Input);
  if (!program) return tl::unexpected(program.error());
  apply_settings(*program, *store);
  *input_nodes = program->input_nodes;
  std::optional<ObserverScope> scope;
  if (observer != nullptr) scope.emplace(*store, *observer);
  const auto start = std::chrono::steady_clock::now();
  const Result<UOp> graph = get_kernel_graph(program->root);
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
  if (!graph) return tl::unexpected(graph.error());
  return elapsed.count();
}

}  // namespace

void apply_settings(const Program& program, Store& store) {
  Flags& f = flags(store);
  f = Flags{};
  f.split_reduceop = program.flag("SPLIT_REDUCEOP", f.split_reduceop);
  f.pcontig = program.flag("PCONTIG", f.pcontig);
  f.float16 = program.flag("FLOAT16", f.float16);
  f.openpilot_hacks = program.flag("OPENPILOT_HACKS", f.openpilot_hacks);
  f.max_kernel_buffers = program.flag("MAX_KERNEL_BUFFERS", f.max_kernel_buffers);
  f.ring = program.flag("RING", f.ring);
  f.all2all = program.flag("ALL2ALL", f.all2all);
  f.allreduce_cast = program.flag("ALLREDUCE_CAST", f.allreduce_cast);
  f.late_allreduce = program.flag("LATE_ALLREDUCE", f.late_allreduce);
  f.spec = program.flag("SPEC", f.spec);
}

void schedule_program(Program& program, UniqueSlots& slots) {
  program.kernel_graph = {};
  program.schedule = std::nullopt;
  program.error = program.schedule_error = std::nullopt;
  Store& store = program.root.store();
  apply_settings(program, store);
  PassRecorder recorder;
  Result<UOp> graph;
  {
    const ObserverScope scope(store, recorder);
    store.extension<UniqueSlots>() = slots;
    graph = get_kernel_graph(program.root);
    slots = store.extension<UniqueSlots>();
  }
  program.passes = std::move(recorder.passes);
  if (!graph) {
    program.error = graph.error().message;
    return;
  }
  program.kernel_graph = *graph;
  const Result<Schedule> schedule = create_schedule(*graph);
  if (!schedule) {
    program.schedule_error = schedule.error().message;
    return;
  }
  program.schedule.emplace();
  for (const ScheduledCall& call : schedule->calls) program.schedule->push_back({call.ast, call.buffers});
}

Result<ScheduleTimes> time_schedule(std::string_view line, int repeat) {
  ScheduleTimes times;
  MatchCounter counter;
  if (const Result<double> observed = run_once(line, &counter, &times.input_nodes); !observed)
    return tl::unexpected(observed.error());
  times.matches = counter.matches;
  std::vector<double> runs;
  for (int i = 0; i < std::max(1, repeat); ++i) {
    const Result<double> ms = run_once(line, nullptr, &times.input_nodes);
    if (!ms) return tl::unexpected(ms.error());
    runs.push_back(*ms);
  }
  std::ranges::sort(runs);
  times.best_ms = runs.front();
  times.median_ms = (runs[(runs.size() - 1) / 2] + runs[runs.size() / 2]) / 2;
  return times;
}

}  // namespace rangescope::schedule
