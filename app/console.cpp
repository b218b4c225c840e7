#include "app/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace rangescope::app {

void print_error(std::string_view message) {
  fmt::print(stderr, "rangescope: {}\n", message);
}

Progress::Progress(std::string what) : what_(std::move(what)), shown_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (shown_ && done_ > 0) fmt::print(stderr, "\r\x1b[K");
}

void Progress::step(std::string_view now) {
  ++done_;
  if (!shown_) return;
  fmt::print(stderr, "\r\x1b[K{} {}: {:.60}", what_, done_, now);
  std::fflush(stderr);
}

Result<OutputFile> OutputFile::open(const std::string& path) {
  if (path.empty() || path == "-") return OutputFile("the standard output", stdout, false);
  std::FILE* f = std::fopen(path.c_str(), "wb");
  if (f == nullptr) return tl::unexpected(Error{fmt::format("cannot write {}: {}.", path, std::strerror(errno))});
  return OutputFile(path, f, true);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, nullptr)), owned_(other.owned_) {}

OutputFile::~OutputFile() {
  if (file_ != nullptr && owned_) std::fclose(static_cast<std::FILE*>(file_));
}

Error OutputFile::failure() const {
  return Error{fmt::format("cannot write {}: {}.", path_, std::strerror(errno))};
}

Result<void> OutputFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), static_cast<std::FILE*>(file_)) != text.size())
    return tl::unexpected(failure());
  return {};
}

Result<void> OutputFile::close() {
  auto* f = static_cast<std::FILE*>(std::exchange(file_, nullptr));
  if (std::fflush(f) != 0) {
    const Error e = failure();
    if (owned_) std::fclose(f);
    return tl::unexpected(e);
  }
  if (owned_ && std::fclose(f) != 0) return tl::unexpected(failure());
  return {};
}

}  // namespace rangescope::app
