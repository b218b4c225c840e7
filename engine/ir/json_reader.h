#pragma once
// A pull reader of JSON text: the caller says what it expects next. It exists beside the JSON library because numbers
// must stay exact: an integer of 800 bits is no double, and 1 differs from 1.0. Nothing is copied but strings with
// escapes. Text that is not as expected is refused with GraphError, with the offset where it stands.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/ir/scalar.h"

namespace rangescope {

class JsonReader {
 public:
  enum class Kind : uint8_t { Null, Bool, Number, String, Array, Object };
  static constexpr int kMaxDepth = 64;  // of nested arrays and objects: whoever reads them may recurse

  explicit JsonReader(std::string_view text) : text_(text) {}

  Kind peek();  // of the next value
  bool try_null();
  bool boolean();
  // Unescaped, checked to be UTF-8. Valid until the next string is read.
  std::string_view string();
  Scalar number();  // an int where the text has neither point nor exponent, else a float
  int64_t integer(int64_t least, int64_t most);
  std::string_view skip();  // any value, checked; its text
  void finish();            // nothing but white space may follow

  // each(index) or each(key) must read exactly one value.
  template <class F>
  void array(F each) {
    enter('[', "an array");
    for (size_t i = 0; next(']', i == 0); ++i) each(i);
    --depth_;
  }
  template <class F>
  void object(F each) {
    enter('{', "an object");
    std::string unescaped;
    for (bool first = true; next('}', first); first = false) each(key(unescaped));
    --depth_;
  }

  [[noreturn]] void refuse(const std::string& what) const;

 private:
  void space() {
    while (pos_ < text_.size() &&
           (text_[pos_] == ' ' || text_[pos_] == '\n' || text_[pos_] == '\r' || text_[pos_] == '\t'))
      ++pos_;
  }
  void enter(char open, const char* what);
  bool next(char close, bool first);
  std::string_view key(std::string& unescaped);
  std::string_view quoted(std::string& unescaped);
  void unescape(std::string& out);
  uint32_t hex4();
  struct NumberText {
    std::string_view text;
    bool is_int;
  };
  NumberText number_text();
  void digits();
  bool literal(std::string_view word);
  [[noreturn]] void unexpected(const char* wanted);

  std::string_view text_;
  size_t pos_ = 0;
  int depth_ = 0;
  std::string unescaped_;
};

// The text with the quotes and escapes of JSON, appended.
void append_json_string(std::string& out, std::string_view text);
// As the corpus writes constants: true, 12, 1.5, -0.0, {"float":"nan"}, {"invalid":1}. Floats read back bit by bit.
void append_json(std::string& out, const Scalar& value);

}  // namespace rangescope
