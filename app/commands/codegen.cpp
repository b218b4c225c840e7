#include "app/commands.h"
#include "app/console.h"
#include "app/programs.h"
#include "engine/codegen/program_run.h"

namespace rangescope::app {

int run_codegen(const CodegenOptions& options) {
  const std::string out = options.out.empty() ? "-" : options.out;
  return write_each_program(options.in, out, "generating", [](LoadedProgram& p) -> ProgramOutcome {
    codegen::generate_program(p.program);
    if (p.program.error) print_error(p.program.name + ": " + *p.program.error);
    return {!p.program.error, to_json(p.program) + "\n"};
  });
}

}  // namespace rangescope::app
