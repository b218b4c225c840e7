#include "engine/ir/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "engine/ir/error.h"

namespace rangescope {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Length of the well-formed UTF-8 sequence at the front, 0 where there is none (overlong forms and surrogates are
// none).
size_t utf8_length(std::string_view s) {
  const auto at = [&](size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0U; };
  const auto tail = [&](size_t i) { return (at(i) & 0xC0U) == 0x80U; };
  const unsigned c = at(0);
  if (c < 0x80) return 1;
  if (c >= 0xC2 && c <= 0xDF) return tail(1) ? 2 : 0;
  if (c >= 0xE0 && c <= 0xEF) {
    if ((c == 0xE0 && at(1) < 0xA0) || (c == 0xED && at(1) > 0x9F)) return 0;
    return tail(1) && tail(2) ? 3 : 0;
  }
  if (c >= 0xF0 && c <= 0xF4) {
    if ((c == 0xF0 && at(1) < 0x90) || (c == 0xF4 && at(1) > 0x8F)) return 0;
    return tail(1) && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

void append_utf8(std::string& out, uint32_t c) {
  const auto put = [&](uint32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | c >> 6);
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3F));
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

// What stands at the front, for a message: never long, never a control character.
std::string excerpt(std::string_view rest) {
  if (rest.empty()) return "the end of the text";
  std::string shown;
  for (size_t i = 0; i < rest.size() && i < 20;) {
    const size_t n = utf8_length(rest.substr(i));
    if (n == 0 || static_cast<unsigned char>(rest[i]) < 0x20) {
      shown += '?';
      ++i;
    } else {
      shown += rest.substr(i, n);
      i += n;
    }
  }
  return "'" + shown + (rest.size() > 20 ? "...'" : "'");
}

}  // namespace

void JsonReader::refuse(const std::string& what) const {
  throw GraphError(fmt::format("at byte {}: {}", pos_ + 1, what));
}

void JsonReader::unexpected(const char* wanted) {
  space();
  refuse(fmt::format("expected {}, found {}", wanted, excerpt(text_.substr(std::min(pos_, text_.size())))));
}

JsonReader::Kind JsonReader::peek() {
  space();
  switch (pos_ < text_.size() ? text_[pos_] : '\0') {
    case 'n':
      return Kind::Null;
    case 't':
    case 'f':
      return Kind::Bool;
    case '"':
      return Kind::String;
    case '[':
      return Kind::Array;
    case '{':
      return Kind::Object;
    default:
      if (pos_ < text_.size() && (is_digit(text_[pos_]) || text_[pos_] == '-')) return Kind::Number;
      unexpected("a value");
  }
}

bool JsonReader::literal(std::string_view word) {
  if (text_.substr(pos_, word.size()) != word) return false;
  pos_ += word.size();
  return true;
}

bool JsonReader::try_null() {
  if (peek() != Kind::Null) return false;
  if (!literal("null")) unexpected("null");
  return true;
}

bool JsonReader::boolean() {
  space();
  if (literal("true")) return true;
  if (literal("false")) return false;
  unexpected("true or false");
}

void JsonReader::enter(char open, const char* what) {
  space();
  if (pos_ == text_.size() || text_[pos_] != open) unexpected(what);
  if (++depth_ > kMaxDepth) refuse(fmt::format("arrays and objects are nested more than {} deep", kMaxDepth));
  ++pos_;
}

bool JsonReader::next(char close, bool first) {
  space();
  if (pos_ < text_.size() && text_[pos_] == close) {
    ++pos_;
    return false;
  }
  if (first) return true;
  if (pos_ == text_.size() || text_[pos_] != ',') unexpected(close == ']' ? "',' or ']'" : "',' or '}'");
  ++pos_;
  return true;
}

std::string_view JsonReader::key(std::string& unescaped) {
  space();
  if (pos_ == text_.size() || text_[pos_] != '"') unexpected("a key in quotes");
  const std::string_view k = quoted(unescaped);
  space();
  if (pos_ == text_.size() || text_[pos_] != ':') unexpected("':'");
  ++pos_;
  return k;
}

std::string_view JsonReader::string() {
  space();
  if (pos_ == text_.size() || text_[pos_] != '"') unexpected("a string");
  return quoted(unescaped_);
}

std::string_view JsonReader::quoted(std::string& unescaped) {
  const size_t start = ++pos_;
  bool plain = true;  // no escape so far
  while (true) {
    if (pos_ == text_.size()) refuse("the text ends inside a string");
    const auto c = static_cast<unsigned char>(text_[pos_]);
    if (c == '"') break;
    if (c == '\\') {
      if (plain) unescaped.assign(text_, start, pos_ - start);
      plain = false;
      ++pos_;
      unescape(unescaped);
      continue;
    }
    if (c < 0x20) refuse("a control character inside a string: write it as \\u00xx");
    const size_t n = c < 0x80 ? 1 : utf8_length(text_.substr(pos_));
    if (n == 0) refuse("a string that is not UTF-8");
    if (!plain) unescaped.append(text_, pos_, n);
    pos_ += n;
  }
  const std::string_view r = plain ? text_.substr(start, pos_ - start) : unescaped;
  ++pos_;
  return r;
}

uint32_t JsonReader::hex4() {
  uint32_t c = 0;
  const char* from = text_.data() + pos_;
  if (text_.size() - pos_ < 4 || std::from_chars(from, from + 4, c, 16).ptr != from + 4)
    refuse("\\u needs four hexadecimal digits");
  pos_ += 4;
  return c;
}

void JsonReader::unescape(std::string& out) {
  if (pos_ == text_.size()) refuse("the text ends inside a string");
  constexpr std::string_view kNames = "\"\\/bfnrt", kValues = "\"\\/\b\f\n\r\t";
  const char c = text_[pos_];
  if (const size_t i = kNames.find(c); i != std::string_view::npos) {
    out += kValues[i];
    ++pos_;
    return;
  }
  if (c != 'u') refuse("an unknown escape in a string");
  ++pos_;
  uint32_t code = hex4();
  if (code >= 0xD800 && code <= 0xDFFF) {
    const uint32_t low = code <= 0xDBFF && literal("\\u") ? hex4() : 0;
    if (low < 0xDC00 || low > 0xDFFF) refuse("half of a surrogate pair in a string");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  append_utf8(out, code);
}

void JsonReader::digits() {
  if (pos_ == text_.size() || !is_digit(text_[pos_])) unexpected("a digit");
  while (pos_ < text_.size() && is_digit(text_[pos_])) ++pos_;
}

JsonReader::NumberText JsonReader::number_text() {
  space();
  const size_t start = pos_;
  const auto at = [&](char c) { return pos_ < text_.size() && text_[pos_] == c; };
  if (at('-')) ++pos_;
  if (pos_ == text_.size() || !is_digit(text_[pos_])) {
    pos_ = start;
    unexpected(R"(a number (nan and infinities are written {"float": "nan"}, "inf", "-inf"))");
  }
  if (at('0')) {
    ++pos_;
    if (pos_ < text_.size() && is_digit(text_[pos_])) refuse("a number with a leading zero");
  } else {
    digits();
  }
  bool is_int = true;
  if (at('.')) {
    is_int = false;
    ++pos_;
    digits();
  }
  if (at('e') || at('E')) {
    is_int = false;
    ++pos_;
    if (at('+') || at('-')) ++pos_;
    digits();
  }
  return {text_.substr(start, pos_ - start), is_int};
}

Scalar JsonReader::number() {
  const auto [text, is_int] = number_text();
  if (is_int) {
    int64_t small = 0;
    if (const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), small);
        ec == std::errc{} && end == text.data() + text.size())
      return small;
    if (const std::optional<Int> big = Int::from_string(text)) return *big;
    refuse(fmt::format("an integer of more than {} bits", Int::kMaxBits));
  }
  double value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec == std::errc::result_out_of_range) {
    // Too small is zero, as Python reads it.
    const size_t e = text.find_first_of("eE");
    const bool tiny =
        e == std::string_view::npos ? text.find_first_of("123456789") > text.find('.') : text[e + 1] == '-';
    value = text[0] == '-' ? -0.0 : 0.0;
    if (!tiny) value = HUGE_VAL;
  }
  if (!std::isfinite(value))
    refuse(R"(a number beyond the range of float64: infinity is written {"float": "inf"} or {"float": "-inf"})");
  return value;
}

int64_t JsonReader::integer(int64_t least, int64_t most) {
  space();
  const size_t start = pos_;
  const auto [text, is_int] = number_text();
  int64_t value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!is_int || ec != std::errc{} || value < least || value > most) {
    pos_ = start;
    refuse(fmt::format("expected an integer from {} to {}, found {}", least, most, excerpt(text)));
  }
  return value;
}

// NOLINTNEXTLINE(misc-no-recursion): at most kMaxDepth deep
std::string_view JsonReader::skip() {
  const Kind kind = peek();
  const size_t start = pos_;
  switch (kind) {
    case Kind::Null:
      try_null();
      break;
    case Kind::Bool:
      boolean();
      break;
    case Kind::Number:
      number_text();
      break;
    case Kind::String:
      string();
      break;
    case Kind::Array:
      array([this](size_t) { skip(); });
      break;
    case Kind::Object:
      object([this](std::string_view) { skip(); });
      break;
  }
  return text_.substr(start, pos_ - start);
}

void JsonReader::finish() {
  space();
  if (pos_ != text_.size()) unexpected("the end of the text");
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_json(std::string& out, const Scalar& value) {
  if (value.is_invalid()) {
    out += R"({"invalid":1})";
  } else if (value.is_bool()) {
    out += value.truthy() ? "true" : "false";
  } else if (value.is_float() && !std::isfinite(value.as_double())) {
    out += R"({"float":")" + value.str() + "\"}";
  } else {
    out += value.str();
  }
}

}  // namespace rangescope
