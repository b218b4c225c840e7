#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"
#include "app/programs.h"
#include "engine/codegen/program_run.h"

namespace rangescope::app {

int run_codegen(const CodegenOptions& options) {
  auto out = OutputFile::open(options.out);
  if (!out) {
    print_error(out.error().message);
    return kFailed;
  }
  Result<void> written;
  const int code = for_each_program(options.in, "generating", [&](LoadedProgram& p) {
    codegen::generate_program(p.program);
    if (p.program.error) print_error(p.program.name + ": " + *p.program.error);
    if (written) written = out->write(to_json(p.program) + "\n");
    return !p.program.error && written.has_value();
  });
  if (written) written = out->close();
  if (!written) {
    print_error(written.error().message);
    return kFailed;
  }
  return code;
}

}  // namespace rangescope::app
