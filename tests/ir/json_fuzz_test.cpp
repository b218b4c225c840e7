// Damaged programs: each is read or refused with a message, and what is read can be asked for all its properties and
// written again. Seeded; a failure prints the text.

#include <gtest/gtest.h>

#include <random>

#include "engine/ir/program.h"
#include "engine/ir/store.h"
#include "engine/ir/text.h"

namespace rangescope {
namespace {

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

template <class F>
void refuse_or_do(F f) {
  try {
    f();
  } catch (const GraphError& e) {
    EXPECT_FALSE(e.message().empty());
  }
}

void use(UOp u) {
  refuse_or_do([&] { u.shape_or_null(); });
  refuse_or_do([&] { u.ranges(); });
  refuse_or_do([&] { u.bounds(); });
  refuse_or_do([&] { u.device(); });
  refuse_or_do([&] { (void)u.addrspace(); });
  refuse_or_do([&] { (void)u.axis(); });
  refuse_or_do([&] { u.base(); });
  refuse_or_do([&] { u.buf_uop(); });
  refuse_or_do([&] { u.ended_ranges(); });
  refuse_or_do([&] { (void)u.const_factor(); });
  refuse_or_do([&] { u.divides(Int(4)); });
  refuse_or_do([&] { (void)u.max_numel(); });
  refuse_or_do([&] { (void)u.shard_shape(); });
  refuse_or_do([&] { (void)u.is_bound_var(); });
  refuse_or_do([&] { (void)u.has_buffer_identity(true); });
  refuse_or_do([&] { (void)render_as_is(u, 10000); });
  refuse_or_do([&] { (void)pretty_print(u, 10000); });
  EXPECT_LE(short_label(u).size(), 60u);
}

TEST(JsonFuzz, DamagedProgramsAreReadOrRefused) {
  std::vector<std::string> seeds;
  for (const char* file : {"/symbolic.jsonl.gz", "/schedule/rangeify.jsonl.gz", "/schedule/func.jsonl.gz",
                           "/schedule/multi_null.jsonl.gz", "/schedule/setitem.jsonl.gz"}) {
    auto lines = LineReader::open(std::string(RANGESCOPE_GOLDEN_DIR) + file);
    ASSERT_TRUE(lines);
    std::string line;
    for (int kept = 0; kept < 12 && *lines->next(line);) {
      if (line.size() > 14000) continue;
      seeds.push_back(line);
      ++kept;
    }
  }
  ASSERT_GE(seeds.size(), 20u);
  size_t read = 0, refused = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    Mutator m(seed);
    const std::string text = m.mutate(seeds[seed % seeds.size()], seeds[(seed * 7 + 1) % seeds.size()]);
    Store store;
    const auto p = read_program(text, store);
    if (!p) {
      ++refused;
      EXPECT_FALSE(p.error().message.empty());
      EXPECT_LT(p.error().message.size(), 2000u) << p.error().message;
      continue;
    }
    ++read;
    for (const UOp u : p->nodes) use(u);
    const std::string again = to_json(*p);
    const auto q = read_program(again, store);
    ASSERT_TRUE(q) << "seed " << seed << ": " << q.error().message << "\n" << text << "\n" << again;
    EXPECT_EQ(q->root, p->root) << "seed " << seed;
  }
  EXPECT_GT(read, 300u);
  EXPECT_GT(refused, 500u);
}

}  // namespace
}  // namespace rangescope
