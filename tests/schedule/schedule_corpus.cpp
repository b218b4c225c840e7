// Schedules the programs of a corpus file and writes them in the same format, for tests/golden/compare.py.
//   schedule_corpus IN [-o OUT.jsonl] [--name PROGRAM] [--stats REPEAT] [--recorded-slots] [--clock]

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "engine/rewrite/observer.h"
#include "engine/schedule/pipeline.h"
#include "engine/schedule/program_run.h"
#include "engine/symbolic/make_store.h"

namespace {

// Time and new nodes of the passes of get_kernel_graph, by name.
class PassClock : public rangescope::RewriteObserver {
 public:
  explicit PassClock(rangescope::Store& store) : store_(store) {}
  void pass_begin(const rangescope::PassInfo& info, rangescope::UOp) override {
    open_.push_back({std::string(info.name), info.depth, store_.node_count(), 0, std::chrono::steady_clock::now()});
  }
  void rule_matched(const rangescope::Rule&, rangescope::UOp, rangescope::UOp, uint64_t) override {
    for (Open& o : open_) ++o.matches;
  }
  void rule_raised(const rangescope::Rule&, rangescope::UOp, std::string_view) override {}
  void pass_end(rangescope::UOp) override {
    const Open& o = open_.back();
    const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - o.start;
    if (o.depth <= 2)
      fmt::print("{:{}}{}: {:.3f} ms, {} nodes, {} matches\n", "", 2 * o.depth, o.name, ms.count(),
                 store_.node_count() - o.nodes, o.matches);
    open_.pop_back();
  }

 private:
  struct Open {
    std::string name;
    uint32_t depth;
    uint32_t nodes;
    int matches;
    std::chrono::steady_clock::time_point start;
  };
  rangescope::Store& store_;
  std::vector<Open> open_;
};

}  // namespace

int main(int argc, char** argv) {
  using namespace rangescope;
  std::string in, out, name;
  int stats = 0;
  bool recorded = false, clock = false;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "-o" && i + 1 < argc)
      out = argv[++i];
    else if (arg == "--name" && i + 1 < argc)
      name = argv[++i];
    else if (arg == "--stats" && i + 1 < argc)
      stats = std::atoi(argv[++i]);
    else if (arg == "--recorded-slots")
      recorded = true;
    else if (arg == "--clock")
      clock = true;
    else
      in = arg;
  }
  Result<ProgramReader> reader = ProgramReader::open(in);
  if (!reader) {
    fmt::print(stderr, "{}\n", reader.error().message);
    return 1;
  }
  std::ofstream file;
  if (!out.empty()) file.open(out);
  std::ostream& sink = out.empty() ? std::cout : file;
  std::string line;
  UniqueSlots slots;
  while (true) {
    const Result<bool> more = reader->next_line(line);
    if (!more) {
      fmt::print(stderr, "{}\n", more.error().message);
      return 1;
    }
    if (!*more) return 0;
    const std::unique_ptr<Store> store = symbolic::make_store();
    Result<Program> program = read_program(line, *store, recorded ? ReadWhat::Everything : ReadWhat::Input);
    if (!program) {
      fmt::print(stderr, "{}\n", reader->locate(program.error()).message);
      return 1;
    }
    if (!name.empty() && program->name != name) continue;
    if (clock) {
      PassClock passes(*store);
      const ObserverScope scope(*store, passes);
      schedule::apply_settings(*program, *store);
      (void)schedule::get_kernel_graph(program->root);
      continue;
    }
    if (stats > 0) {
      const Result<schedule::ScheduleTimes> times = schedule::time_schedule(line, stats);
      if (times)
        sink << fmt::format("{} nodes {} matches {} best {:.3f} ms median {:.3f} ms\n", program->name,
                            times->input_nodes, times->matches, times->best_ms, times->median_ms);
      else
        sink << fmt::format("{} error: {}\n", program->name, times.error().message);
      continue;
    }
    if (recorded) slots = schedule::recorded_slots(line, slots);
    schedule::schedule_program(*program, slots);
    sink << to_json(*program) << '\n';
  }
}
