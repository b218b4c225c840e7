#include "app/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "app/exit_code.h"

namespace rangescope::app {

void print_error(std::string_view message) {
  fmt::print(stderr, "rangescope: {}\n", message);
}

int failed(const Error& error) {
  print_error(error.message);
  return kFailed;
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
  if (path.empty() || path == "-") return OutputFile("the standard output", "", stdout);
  std::error_code ignored;
  const auto kind = std::filesystem::status(path, ignored).type();
  const bool in_place = kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::regular;
  const std::string partial = in_place ? "" : path + ".partial";
  if (!in_place && kind == std::filesystem::file_type::regular && ::access(path.c_str(), W_OK) != 0)
    return tl::unexpected(Error{fmt::format("cannot write {}: {}.", path, std::strerror(errno))});
  std::FILE* f = std::fopen(in_place ? path.c_str() : partial.c_str(), "wb");
  if (f == nullptr) return tl::unexpected(Error{fmt::format("cannot write {}: {}.", path, std::strerror(errno))});
  return OutputFile(path, partial, f);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      partial_(std::exchange(other.partial_, {})),
      file_(std::exchange(other.file_, nullptr)) {}

OutputFile::~OutputFile() {
  if (file_ != nullptr && file_ != stdout) std::fclose(static_cast<std::FILE*>(file_));
  if (!partial_.empty()) std::remove(partial_.c_str());
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
    if (f != stdout) std::fclose(f);
    return tl::unexpected(e);
  }
  if (f != stdout && std::fclose(f) != 0) return tl::unexpected(failure());
  if (!partial_.empty() && std::rename(partial_.c_str(), path_.c_str()) != 0) return tl::unexpected(failure());
  partial_.clear();
  return {};
}

}  // namespace rangescope::app
