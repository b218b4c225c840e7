#include "app/command_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <system_error>

#include "app/exit_code.h"
#include "app/keep_memory.h"

namespace rangescope::app {

int parse_and_run(CLI::App& app, int argc, char** argv, int& code) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const int rc = app.exit(e);
    return rc == 0 ? kOk : kUsage;
  }
  // what the last buffer holds is written here, and a full disk shows only now
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    print_error(std::string("cannot write the standard output: ") + std::strerror(errno) + ".");
    if (code == kOk) code = kFailed;
  }
  return code;
}

int become_program(const char* name, char** argv) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string program = (self.parent_path() / name).string();
  ::execv(program.c_str(), argv);
  return failed(Error{fmt::format("cannot start {}: {}. `./dev build` makes it.", program, std::strerror(errno))});
}

int guarded(int (*run)(int argc, char** argv), int argc, char** argv) {
  keep_memory();
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    // a fault of ours, or a stdout that takes no more: an exit code and a message, not an abort
    print_error(e.what());
    return kFailed;
  }
}

}  // namespace rangescope::app
