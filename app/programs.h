#pragma once
// Going through the programs of a command's input.

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/session/execution.h"
#include "engine/ir/program.h"
#include "engine/ir/store.h"

namespace rangescope::app {

// A program in a store that can compile it, and the line that it came from.
struct LoadedProgram {
  std::unique_ptr<Store> store;
  Program program;
  std::string line;
  size_t ordinal = 0;  // among the programs of this name in the file
  // The bytes of parameters by slot, those of a model all; and what the others hold (StartValues::seed).
  std::map<int64_t, std::vector<std::byte>> contents;
  int64_t seed = 0;
};

// What the program starts from.
StartValues start_of(const LoadedProgram& p);

// Calls `each` for every program that the input names. A line that is no program is reported and counted as failed;
// `each` says whether its program went well. Gives the exit code.
int for_each_program(const Input& in, const std::string& doing, const std::function<bool(LoadedProgram&)>& each);

// What a command made of a program: whether it went well, and its line for the output file.
struct ProgramOutcome {
  bool well = false;
  std::string line;
};

// The same with a file for the lines; no path: no file. A file that cannot be written fails the whole.
int write_each_program(const Input& in, const std::string& out_path, const std::string& doing,
                       const std::function<ProgramOutcome(LoadedProgram&)>& each);

// The one program that the input names; several are an error that lists them.
Result<LoadedProgram> the_program(const Input& in);

}  // namespace rangescope::app
