// Evaluates the programs of a corpus file, graph and schedule: evaluate_corpus IN [-o OUT.jsonl] [--name P]
// [--elements N] [--work N] [--quiet]. OUT gets the numbers that the graph's parameters hold afterwards, as
// tests/golden/compare_numbers.py reads them. Fails where a schedule computes something else than its graph.

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "engine/eval/compare.h"
#include "engine/eval/evaluate.h"
#include "engine/ir/corpus_numbers.h"
#include "engine/ir/json_reader.h"
#include "engine/ir/program.h"
#include "engine/schedule/program_run.h"
#include "engine/symbolic/make_store.h"

using namespace rangescope;

namespace {

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

std::string numbers(const std::string& name, size_t ordinal, const Result<eval::Outcome>& outcome) {
  std::string s = "{\"name\":";
  append_json_string(s, name);
  s += fmt::format(",\"ordinal\":{}", ordinal);
  if (!outcome) {
    s += ",\"error\":";
    append_json_string(s, outcome.error().message);
    return s + "}\n";
  }
  s += ",\"buffers\":[";
  bool first = true;
  for (const eval::BufferResult& b : outcome->buffers) {
    s += first ? "" : ",";
    s += buffer_numbers(b.slot, b.dtype, static_cast<size_t>(b.count), b.changed(),
                        [&](size_t i) { return b.element(i); });
    first = false;
  }
  return s + "]}\n";
}

}  // namespace

int main(int argc, char** argv) {
  std::string in, out, only;
  eval::Limits limits;
  bool quiet = false;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    const bool more = i + 1 < argc;
    if (a == "-o" && more)
      out = argv[++i];
    else if (a == "--name" && more)
      only = argv[++i];
    else if (a == "--elements" && more)
      limits.elements = std::atoll(argv[++i]);
    else if (a == "--work" && more)
      limits.work = std::atoll(argv[++i]);
    else if (a == "--quiet")
      quiet = true;
    else
      in = a;
  }
  auto reader = ProgramReader::open(in);
  if (!reader) {
    fmt::print(stderr, "{}\n", reader.error().message);
    return 2;
  }
  std::FILE* file = out.empty() ? nullptr : std::fopen(out.c_str(), "w");
  std::map<std::string, size_t> ordinals;
  int programs = 0, evaluated = 0, scheduled = 0, same = 0;
  double graph_ms = 0, schedule_ms = 0;
  std::string line;
  while (reader->next_line(line).value_or(false)) {
    const auto store = symbolic::make_store();
    auto program = read_program(line, *store, ReadWhat::Input);
    if (!program) {
      fmt::print(stderr, "{}\n", program.error().message);
      return 2;
    }
    const size_t ordinal = ordinals[program->name]++;
    if (!only.empty() && program->name != only) continue;
    ++programs;
    eval::Inputs inputs = eval::inputs_of(program->root);
    inputs.limits = limits;
    auto start = std::chrono::steady_clock::now();
    const auto graph = eval::evaluate(program->root, inputs);
    const double g = ms_since(start);
    graph_ms += g;
    if (file != nullptr) std::fputs(numbers(program->name, ordinal, graph).c_str(), file);
    if (!graph) {
      if (!quiet) fmt::print("{}#{}: {}\n", program->name, ordinal, graph.error().message);
    } else {
      ++evaluated;
    }
    schedule::schedule_program(*program);
    if (!program->schedule) continue;
    start = std::chrono::steady_clock::now();
    const auto done = eval::evaluate_schedule(*program->schedule, inputs);
    const double s = ms_since(start);
    schedule_ms += s;
    if (!done) {
      if (!quiet) fmt::print("{}#{}: schedule: {}\n", program->name, ordinal, done.error().message);
      continue;
    }
    ++scheduled;
    if (!quiet && g + s > 2000) fmt::print("{}#{}: {:.0f} ms, its schedule {:.0f} ms\n", program->name, ordinal, g, s);
    if (!graph) continue;
    if (const auto d = eval::difference(*graph, *done))
      fmt::print("{}#{}: the schedule differs: {}\n", program->name, ordinal, d->text);
    else
      ++same;
  }
  if (file != nullptr && std::fclose(file) != 0) return 2;
  fmt::print("{}: programs {}  graphs {} in {:.1f} s  schedules {} in {:.1f} s  same {}\n", in, programs, evaluated,
             graph_ms / 1e3, scheduled, schedule_ms / 1e3, same);
  return same == std::min(evaluated, scheduled) ? 0 : 1;
}
