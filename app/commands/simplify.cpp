#include "app/commands.h"
#include "app/console.h"
#include "app/programs.h"
#include "engine/symbolic/simplify_program.h"

namespace rangescope::app {

int run_simplify(const SimplifyOptions& options) {
  const std::string out = options.out.empty() ? "-" : options.out;
  return write_each_program(options.in, out, "simplifying", [](LoadedProgram& p) -> ProgramOutcome {
    symbolic::simplify_program(p.program);
    if (p.program.error) print_error(p.program.name + ": " + *p.program.error);
    return {!p.program.error, to_json(p.program) + "\n"};
  });
}

}  // namespace rangescope::app
