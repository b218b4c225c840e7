#include "engine/ir/line_reader.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace rangescope {

namespace {

constexpr size_t kChunk = size_t{1} << 16;

gzFile file_of(void* p) {
  return static_cast<gzFile>(p);
}

}  // namespace

void LineReader::CloseFile::operator()(void* file) const {
  gzclose(file_of(file));
}

LineReader::LineReader(std::string path, void* file, size_t max_line)
    : path_(std::move(path)), file_(file), max_line_(max_line) {}

Result<LineReader> LineReader::open(const std::string& path, size_t max_line) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return tl::unexpected(Error{fmt::format("{}: this is a folder, a file is needed", path)});
  errno = 0;
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr)
    return tl::unexpected(
        Error{fmt::format("{}: cannot open the file: {}", path, errno != 0 ? std::strerror(errno) : "out of memory")});
  LineReader reader(path, file, max_line);
  gzbuffer(file, kChunk);
  if (path.ends_with(".gz") && gzdirect(file) != 0)
    return tl::unexpected(
        Error{fmt::format("{}: the name ends in .gz but this is no gzip file: rename it, or copy it again", path)});
  return reader;
}

Error LineReader::error(const std::string& what) const {
  return Error{fmt::format("{} line {}: {}", path_, line_number_, what)};
}

bool LineReader::fill() {
  buffer_.erase(0, pos_);
  pos_ = 0;
  const size_t size = buffer_.size();
  buffer_.resize(size + kChunk);
  errno = 0;
  const int n = gzread(file_of(file_.get()), buffer_.data() + size, kChunk);
  buffer_.resize(size + static_cast<size_t>(std::max(n, 0)));
  int code = Z_OK;
  const char* message = gzerror(file_of(file_.get()), &code);
  if (n < 0 || code == Z_BUF_ERROR) {
    if (code == Z_BUF_ERROR)
      error_ = "the gzip file ends too early, it was cut off: copy it again";
    else if (code == Z_ERRNO)
      error_ = fmt::format("the file cannot be read: {}", std::strerror(errno));
    else
      error_ = fmt::format("the gzip file is damaged ({}): copy it again", message);
  }
  return n > 0;
}

Result<bool> LineReader::next(std::string& line) {
  while (true) {
    ++line_number_;
    size_t searched = pos_;
    size_t end = 0;
    while ((end = buffer_.find('\n', searched)) == std::string::npos) {
      const size_t unfinished = buffer_.size() - pos_;
      if (unfinished > max_line_)
        return tl::unexpected(
            error(fmt::format("the line is longer than {} bytes: one program a line is expected", max_line_)));
      // whole lines that came before the damage have been given by now
      if (!error_.empty()) return tl::unexpected(error(error_));
      if (!fill() && error_.empty()) {
        end = buffer_.size();
        break;
      }
      searched = unfinished;  // fill() moved the unfinished line to the front
    }
    if (end == buffer_.size() && end == pos_) return false;
    line.assign(buffer_, pos_, end - pos_);
    pos_ = std::min(end + 1, buffer_.size());
    if (pos_ == buffer_.size()) {  // what a long line took is free again
      std::string().swap(buffer_);
      pos_ = 0;
    }
    if (line.size() > max_line_)
      return tl::unexpected(
          error(fmt::format("the line is longer than {} bytes: one program a line is expected", max_line_)));
    if (line.find_first_not_of(" \t\r") != std::string::npos) return true;
  }
}

}  // namespace rangescope
