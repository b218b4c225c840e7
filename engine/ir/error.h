#pragma once

#include <exception>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace rangescope {

// What a user is told when something they asked for cannot be done: what went wrong, where, and what to do about it.
struct Error {
  std::string message;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> refuse(std::string message) {
  return tl::unexpected(Error{std::move(message)});
}

// Unwinds the compiler core when a graph is refused. The public entry functions catch it and return an Error; it never
// crosses a library's boundary.
class GraphError : public std::exception {
 public:
  explicit GraphError(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }
  const std::string& message() const noexcept { return message_; }

 private:
  std::string message_;
};

[[noreturn]] void check_failed(const char* condition, const char* message, const char* file, int line);

}  // namespace rangescope

// A broken invariant of ours, never a user's mistake: names itself on stderr and aborts, in every build type.
#define RS_CHECK(condition, message)                                       \
  do {                                                                     \
    if (!(condition)) [[unlikely]]                                         \
      ::rangescope::check_failed(#condition, message, __FILE__, __LINE__); \
  } while (false)
