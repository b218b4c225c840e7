#pragma once
// What the command lines of the programs rangescope, rangescope-models and rangescope-window have in common.

#include <CLI/CLI.hpp>

#include <string>

#include "app/console.h"
#include "app/numbered_name.h"

namespace rangescope::app {

inline constexpr const char* kPassHelp =
    "the pass: its number, as `info` lists them, or its name (NAME#2: the second of that name)";

// Runs a command at the pass that the command line names.
template <class Options>
int at_pass(const std::string& trace, const std::string& named, Options& options, int (*run)(const Options&)) {
  if (!named.empty()) {
    const auto pass = pass_number(trace, named);
    if (!pass) return failed(pass.error());
    options.pass = *pass;
  }
  return run(options);
}

// Parses, whereby the command that is named runs and sets `code`; gives the exit code.
int parse_and_run(CLI::App& app, int argc, char** argv, int& code);

inline constexpr const char* kModelsProgram = "rangescope-models";
inline constexpr const char* kWindowProgram = "rangescope-window";

// Goes on as another program, which stands beside this one, with the same command line. Comes back only where that
// failed, with the exit code.
int become_program(const char* name, char** argv);

// The body of main.
int guarded(int (*run)(int argc, char** argv), int argc, char** argv);

}  // namespace rangescope::app
