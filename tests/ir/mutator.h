#pragma once
// Damages programs for fuzzing: texts of the corpus, one to three changes each. The seed decides all of it.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "engine/ir/line_reader.h"

namespace rangescope::testing {

// The seeds to go through: RANGESCOPE_SEED (else 0) is the first, RANGESCOPE_ROUNDS says how many (else `count`).
struct Rounds {
  explicit Rounds(uint32_t count) {
    if (const char* seed = std::getenv("RANGESCOPE_SEED"))
      first = static_cast<uint32_t>(std::strtoul(seed, nullptr, 10));
    if (const char* rounds = std::getenv("RANGESCOPE_ROUNDS"))
      count = static_cast<uint32_t>(std::strtoul(rounds, nullptr, 10));
    end = first + count;
  }
  uint32_t first = 0, end = 0;
};

// Up to `each` lines of every golden file, those that are short.
inline std::vector<std::string> short_programs(const std::vector<std::string>& files, int each) {
  std::vector<std::string> seeds;
  for (const std::string& file : files) {
    auto lines = LineReader::open(std::string(RANGESCOPE_GOLDEN_DIR "/") + file);
    if (!lines) continue;
    std::string line;
    for (int kept = 0; kept < each && lines->next(line).value_or(false);) {
      if (line.size() > 14000) continue;
      seeds.push_back(line);
      ++kept;
    }
  }
  return seeds;
}

class Mutator {
 public:
  explicit Mutator(uint32_t seed) : random_(seed) {}

  std::string mutate(std::string text, const std::string& donor) {
    for (size_t n = 1 + below(3); n > 0 && !text.empty(); --n) {
      const size_t at = below(text.size());
      switch (below(24)) {
        case 0:
          text[at] = static_cast<char>(below(256));
          break;
        case 1:
          text.erase(at, 1 + below(8));
          break;
        case 2:
          text.insert(at, text.substr(below(text.size()), below(40)));
          break;
        case 3:
          text.insert(at, donor.substr(below(donor.size()), below(60)));
          break;
        case 4:
          text.resize(at);
          break;
        default:
          replace_token(text, at);
      }
    }
    return text;
  }

 private:
  // A number, name or literal at or after `at` by another: mostly still JSON, so that the graph is what is damaged.
  void replace_token(std::string& text, size_t at) {
    static const char* const numbers[] = {"0",
                                          "1",
                                          "-1",
                                          "2",
                                          "7",
                                          "63",
                                          "4294967296",
                                          "9223372036854775807",
                                          "-9223372036854775808",
                                          "99999999999999999999999999",
                                          "1.5",
                                          "null",
                                          "true",
                                          "\"x\"",
                                          "[]",
                                          "[[1]]",
                                          "{\"invalid\":1}"};
    static const char* const names[] = {
        "CONST", "RANGE", "RESHAPE",  "PERMUTE",  "EXPAND",   "PAD",   "SHRINK",  "INDEX",  "STAGE",   "REDUCE",
        "ADD",   "MUL",   "FLOORDIV", "FLOORMOD", "CMOD",     "CDIV",  "SHL",     "SHR",    "WHERE",   "CAST",
        "STACK", "AFTER", "END",      "CALL",     "GETTUPLE", "TUPLE", "MSELECT", "MSTACK", "UNSHARD", "BITCAST",
        "WMMA",  "PARAM", "float32",  "weakint",  "void",     "bool",  "uint8",   "int64"};
    const auto word = [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '-';
    };
    while (at < text.size() && !word(text[at])) ++at;
    size_t end = at;
    while (end < text.size() && word(text[end])) ++end;
    if (end == at) return;
    const bool number = (text[at] >= '0' && text[at] <= '9') || text[at] == '-';
    text.replace(at, end - at, number ? numbers[below(std::size(numbers))] : names[below(std::size(names))]);
  }
  size_t below(size_t n) { return random_() % n; }
  std::mt19937 random_;
};

}  // namespace rangescope::testing
