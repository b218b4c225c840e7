#pragma once
// Lines of a text file, plain or gzip'd, one at a time: a file of many programs is never held whole.

#include <cstddef>
#include <memory>
#include <string>

#include "engine/ir/error.h"

namespace rangescope {

class LineReader {
 public:
  static constexpr size_t kMaxLine = size_t{1} << 30;

  // A path that ends in .gz must be gzip'd; any other may be.
  static Result<LineReader> open(const std::string& path, size_t max_line = kMaxLine);

  // The next line that is not blank, without its newline; false at the end of the file.
  Result<bool> next(std::string& line);
  size_t line_number() const { return line_number_; }  // of the line read last, from 1
  const std::string& path() const { return path_; }

 private:
  struct CloseFile {
    void operator()(void* file) const;
  };
  LineReader(std::string path, void* file, size_t max_line);
  bool fill();  // false at the end; throws nothing, sets error_
  Error error(const std::string& what) const;

  std::string path_;
  std::unique_ptr<void, CloseFile> file_;  // a gzFile
  size_t max_line_;
  size_t line_number_ = 0;
  std::string buffer_;
  size_t pos_ = 0;
  std::string error_;
};

}  // namespace rangescope
