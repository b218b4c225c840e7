// Schedules the programs of a corpus file and writes them in the same format, for tests/golden/compare.py.
//   schedule_corpus IN [-o OUT.jsonl] [--name PROGRAM] [--stats REPEAT] [--recorded-slots]

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "engine/schedule/program_run.h"
#include "engine/symbolic/make_store.h"
#include "tests/schedule/recorded_slots.h"

int main(int argc, char** argv) {
  using namespace rangescope;
  std::string in, out, name;
  int stats = 0;
  bool recorded = false;
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
    if (stats > 0) {
      const Result<schedule::ScheduleTimes> times = schedule::time_schedule(line, stats);
      if (times)
        sink << fmt::format("{} nodes {} matches {} best {:.3f} ms median {:.3f} ms\n", program->name,
                            times->input_nodes, times->matches, times->best_ms, times->median_ms);
      else
        sink << fmt::format("{} error: {}\n", program->name, times.error().message);
      continue;
    }
    if (recorded) slots = schedule::recorded_slots(*program, slots);
    schedule::schedule_program(*program, slots);
    sink << to_json(*program) << '\n';
  }
}
