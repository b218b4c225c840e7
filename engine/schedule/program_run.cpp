#include "engine/schedule/program_run.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "engine/ir/json.h"
#include "engine/ir/json_reader.h"
#include "engine/rewrite/pass_recorder.h"
#include "engine/schedule/flag_table.h"
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
  const Result<UOp> graph = get_kernel_graph_alone(program->root);
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
  if (!graph) return tl::unexpected(graph.error());
  return elapsed.count();
}

}  // namespace

void apply_settings(const Program& program, Store& store) {
  Flags& f = flags(store);
  f = Flags{};
  for (const FlagRow& row : flag_table()) f.*row.value = program.flag(row.name, f.*row.value);
}

Result<Schedule> scheduled(const Program& program, UOp* kernel_graph) {
  apply_settings(program, program.root.store());
  const Result<UOp> graph = get_kernel_graph(program.root);
  if (!graph) return tl::unexpected(graph.error());
  if (kernel_graph != nullptr) *kernel_graph = *graph;
  return create_schedule(*graph);
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

UniqueSlots recorded_slots(std::string_view line, UniqueSlots otherwise) {
  // Only this rule makes buffers that no one named, and it makes the first buffers that are not in the input.
  if (line.find("\"schedule/rangeify.py:135\"") == std::string_view::npos) return otherwise;
  std::optional<int64_t> first;
  try {
    std::string_view nodes;
    int64_t input_nodes = 0;
    JsonReader program(line);
    program.object([&](std::string_view key) {
      if (key == "nodes")
        nodes = program.skip();
      else if (key == "counts")
        program.object([&](std::string_view count) {
          if (count == "input_nodes")
            input_nodes = program.integer(0, INT64_MAX);
          else
            program.skip();
        });
      else
        program.skip();
    });
    JsonReader table(nodes);
    table.array([&](size_t i) {
      if (first || static_cast<int64_t>(i) < input_nodes) {
        table.skip();
        return;
      }
      bool is_buffer = false;
      table.array([&](size_t field) {
        if (field == 0)
          is_buffer = table.string() == "BUFFER";
        else if (field == 3 && is_buffer)
          first = read_arg(table).as<ParamArg>().slot;
        else
          table.skip();
      });
    });
  } catch (const GraphError&) {
    return otherwise;  // whoever reads the program says what is wrong with it
  }
  return first ? UniqueSlots{*first} : otherwise;
}

Result<ScheduleTimes> time_schedule(std::string line, int repeat) {
  ScheduleTimes times;
  MatchCounter counter;
  {
    // The input alone: a recording's thousands of passes are not to be read, and pushed through the caches, every time.
    const std::unique_ptr<Store> store = symbolic::make_store();
    const Result<Program> program = read_program(line, *store, ReadWhat::Input);
    if (!program) return tl::unexpected(program.error());
    line = to_json(*program);
    line.shrink_to_fit();
  }
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
