#include "tests/bench/programs.h"

#include <fmt/format.h>

#include <cstdlib>

#include "engine/ir/program.h"
#include "engine/symbolic/make_store.h"

namespace rangescope::bench {

namespace {

std::vector<BenchProgram> read_models() {
  std::vector<BenchProgram> programs;
  auto reader = ProgramReader::open(RANGESCOPE_GOLDEN_DIR "/schedule/models.jsonl.gz");
  while (reader) {
    const std::unique_ptr<Store> store = symbolic::make_store();
    const auto program = reader->next(*store, ReadWhat::Input);
    if (!program || !*program) break;
    if ((*program)->input_nodes >= 300)
      programs.push_back({fmt::format("{}/{}", (*program)->name, (*program)->input_nodes), to_json(**program)});
  }
  if (programs.empty()) {
    fmt::print(stderr, "rangescope_bench: the golden corpus cannot be read\n");
    std::exit(1);
  }
  return programs;
}

}  // namespace

const std::vector<BenchProgram>& models() {
  static const std::vector<BenchProgram> programs = read_models();
  return programs;
}

}  // namespace rangescope::bench
