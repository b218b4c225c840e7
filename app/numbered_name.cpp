#include "app/numbered_name.h"

#include <fmt/format.h>

#include <charconv>

#include "engine/trace/reader.h"

namespace rangescope::app {

namespace {

std::optional<uint64_t> number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

NumberedName split_number(std::string_view text) {
  const size_t at = text.rfind('#');
  if (at == std::string_view::npos) return {text, std::nullopt};
  if (const auto n = number(text.substr(at + 1))) return {text.substr(0, at), n};
  return {text, std::nullopt};
}

Result<int64_t> pass_number(const std::string& trace, const std::string& text) {
  if (const auto n = number(text); n && *n <= INT64_MAX) return static_cast<int64_t>(*n);
  auto reader = trace::Reader::open(trace);
  if (!reader) return tl::unexpected(reader.error());
  const NumberedName wanted = split_number(text);
  uint64_t seen = 0;
  for (const trace::Pass& pass : (*reader)->passes()) {
    if (pass.name == text && !wanted.number) return pass.id;
    if (pass.name == wanted.name && ++seen == wanted.number) return pass.id;
  }
  return tl::unexpected(
      Error{seen == 0 ? fmt::format("{} has no pass named {}: `rangescope info` lists them.", trace, wanted.name)
                      : fmt::format("{} has {} passes named {}, counted from 1.", trace, seen, wanted.name)});
}

}  // namespace rangescope::app
