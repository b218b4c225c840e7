#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "app/checks/reduce.h"
#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"
#include "app/programs.h"

namespace rangescope::app {

namespace {

namespace fs = std::filesystem;

// A directory of its own, gone with this object.
class TemporaryDirectory {
 public:
  static Result<TemporaryDirectory> create() {
    std::error_code error;
    std::string path = (fs::temp_directory_path(error) / "rangescope-reduce-XXXXXX").string();
    if (error || mkdtemp(path.data()) == nullptr) return refuse("cannot make a temporary directory: " + path);
    return TemporaryDirectory(std::move(path));
  }
  TemporaryDirectory(TemporaryDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// The user's check, asked about programs as files.
class Check {
 public:
  Check(std::string command, std::string file) : command_(std::move(command)), file_(std::move(file)) {
    const std::string quoted = "'" + file_ + "'";
    const size_t at = command_.find("{}");
    if (at == std::string::npos)
      command_ += " " + quoted;
    else
      command_.replace(at, 2, quoted);
    command_ = "(" + command_ + "\n) >/dev/null 2>&1 </dev/null";
  }

  // Whether the check fails on the program.
  Result<bool> fails(const Program& program) const {
    auto out = OutputFile::open(file_);
    if (!out) return tl::unexpected(out.error());
    if (const auto written = out->write(to_json(program) + "\n"); !written) return tl::unexpected(written.error());
    if (const auto closed = out->close(); !closed) return tl::unexpected(closed.error());
    const int status = std::system(command_.c_str());
    if (status == -1) return refuse("the check could not be started");
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGQUIT))
      return refuse("interrupted");
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    if (code == 126 || code == 127)
      return refuse(fmt::format("the check ended with {}: its command was not found or cannot be run", code));
    return code != 0;
  }

 private:
  std::string command_, file_;
};

Result<Reduced> reduce_with(Program program, const ReduceOptions& options) {
  auto directory = TemporaryDirectory::create();
  if (!directory) return tl::unexpected(directory.error());
  const Check check(options.check, directory->path() + "/candidate.jsonl");
  const UOp root = program.root;
  const Result<bool> at_first = check.fails(program);
  if (!at_first) return tl::unexpected(at_first.error());
  if (!*at_first) return refuse("the check passes on the whole program: there is nothing to reduce");
  Progress progress("reducing");
  std::optional<Error> broken;
  const auto fails = [&](UOp candidate) {
    if (broken) return false;
    program.root = candidate;
    const Result<bool> answer = check.fails(program);
    if (!answer) broken = answer.error();
    progress.step(program.name);
    return answer && *answer;
  };
  Reduced reduced = reduce(root, fails, {.checks = options.checks, .seconds = options.seconds});
  if (broken) return tl::unexpected(*broken);
  return reduced;
}

}  // namespace

int run_reduce(const ReduceOptions& options) {
  auto loaded = the_program(options.in);
  if (!loaded) return failed(loaded.error());
  Program program;
  program.name = loaded->program.name;
  program.flags = loaded->program.flags;
  program.root = loaded->program.root;
  auto out = OutputFile::open(options.out);
  if (!out) return failed(out.error());
  const auto reduced = reduce_with(program, options);
  if (!reduced) return failed({fmt::format("{}: {}.", program.name, reduced.error().message)});
  program.root = reduced->root;
  auto written = out->write(to_json(program) + "\n");
  if (written) written = out->close();
  if (!written) return failed(written.error());
  fmt::print(stderr, "{}: {} of {} nodes are left after {} checks{}\n", program.name, reduced->nodes_after,
             reduced->nodes_before, reduced->checks,
             reduced->limited ? "; a limit was reached, there may be less" : "");
  return kOk;
}

}  // namespace rangescope::app
