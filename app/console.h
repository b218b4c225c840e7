#pragma once
// What a person sees of the command line: errors on stderr, results on stdout, progress only on a terminal.

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/ir/error.h"

namespace rangescope::app {

void print_error(std::string_view message);
// Prints it; gives the exit code of a command that could not be done.
int failed(const Error& error);

// A line on stderr that is drawn over; nothing where stderr is no terminal.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void step(std::string_view now);

 private:
  std::string what_;
  int64_t done_ = 0;
  bool shown_;
};

// Text into a file or, for "-" and "", to stdout. A full disk or an unwritable path is an error that names it. What was
// in the file stays until close(): the text goes to PATH.partial, which then takes its place, or is removed.
class OutputFile {
 public:
  static Result<OutputFile> open(const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();
  Result<void> write(std::string_view text);
  // Flushes; what could not be written shows here at the latest.
  Result<void> close();

 private:
  OutputFile(std::string path, std::string partial, void* file)
      : path_(std::move(path)), partial_(std::move(partial)), file_(file) {}
  Error failure() const;
  std::string path_;
  std::string partial_;  // empty: written in place, as a pipe or a device is
  void* file_;           // a FILE
};

}  // namespace rangescope::app
