// `rangescope record script.py`: the script runs in a Python of its own, with the module `rangescope` recording.
// Whatever it does, a crash or an endless loop, happens there.

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"

namespace rangescope::app {

namespace {

std::string from_environment(const char* name, std::string otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : std::move(otherwise);
}

// In front of what Python looks through: the module beside the program, as the build leaves it. An installed one is
// found without.
void show_module() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path folder = program.parent_path() / "python";
  if (error || !std::filesystem::exists(folder / "rangescope" / "__init__.py", error)) return;
  const std::string others = from_environment("PYTHONPATH", "");
  setenv("PYTHONPATH", others.empty() ? folder.c_str() : (folder.string() + ":" + others).c_str(), 1);
}

}  // namespace

bool is_script(const std::string& path) {
  return path.ends_with(".py");
}

int record_script(const RecordOptions& options) {
  show_module();
  if (!options.settings.device.empty()) setenv("RANGESCOPE_DEVICE", options.settings.device.c_str(), 1);
  std::string python = from_environment("RANGESCOPE_PYTHON", RANGESCOPE_PYTHON);
  std::vector<std::string> words = {
      python, "-m", "rangescope", "record", "--repeats", std::to_string(options.settings.repeat), "-o", options.out};
  const auto add = [&](const char* option, const std::vector<std::string>& values) {
    for (const std::string& value : values) words.insert(words.end(), {option, value});
  };
  add("--without", options.without);
  add("--flag", options.flags);
  words.push_back(options.in.path);
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  if (const int failure = posix_spawnp(&child, python.c_str(), nullptr, nullptr, argv.data(), environ); failure != 0) {
    print_error(
        fmt::format("cannot start {}: {}. RANGESCOPE_PYTHON names another Python.", python, std::strerror(failure)));
    return kFailed;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    print_error(
        fmt::format("{}: the script's process was ended by signal {} ({}); {} holds what was computed until then.",
                    options.in.path, WTERMSIG(status), strsignal(WTERMSIG(status)), options.out));
    return kFailed;
  }
  return WEXITSTATUS(status) == 0 ? kOk : kFailed;
}

}  // namespace rangescope::app
