// The corpus's expressions: simplified graph, bounds and text are the reference's.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "engine/ir/program.h"
#include "engine/ir/text.h"
#include "engine/symbolic/make_store.h"
#include "engine/symbolic/simplify_program.h"

namespace rangescope::symbolic::testing {
namespace {

std::string text(const std::optional<Bounds>& b) {
  return b ? b->min.str() + ".." + b->max.str() : "none";
}
bool same(const std::optional<Bounds>& a, const std::optional<Bounds>& b) {
  return a.has_value() == b.has_value() && (!a || (a->min == b->min && a->max == b->max));
}
std::string text(const std::optional<std::pair<std::string, std::string>>& r) {
  return r ? r->first + " -> " + r->second : "none";
}

void expect_agreement(const Program& wanted) {
  Program ours;
  ours.root = wanted.root;
  simplify_program(ours);
  const std::string where = wanted.name + ": " + text(wanted.render);
  EXPECT_EQ(ours.error.has_value(), wanted.error.has_value()) << where << ": " << ours.error.value_or("not refused");
  if (ours.error || wanted.error) return;
  EXPECT_EQ(ours.simplified, wanted.simplified) << where << "\n"
                                                << pretty_print(ours.simplified) << "\ninstead of\n"
                                                << pretty_print(wanted.simplified);
  EXPECT_TRUE(same(ours.in_minmax, wanted.in_minmax))
      << where << " " << text(ours.in_minmax) << " instead of " << text(wanted.in_minmax);
  EXPECT_TRUE(same(ours.minmax, wanted.minmax))
      << where << " " << text(ours.minmax) << " instead of " << text(wanted.minmax);
  EXPECT_EQ(ours.render, wanted.render) << where << " is " << text(ours.render);
}

// The number of expressions in the file.
int expect_agreement(const std::string& path) {
  auto file = ProgramReader::open(path);
  if (!file) {
    ADD_FAILURE() << file.error().message;
    return 0;
  }
  for (int count = 0;; ++count) {
    const auto store = make_store();
    const auto next = file->next(*store);
    if (!next) ADD_FAILURE() << next.error().message;
    if (!next || !*next) return count;
    expect_agreement(**next);
  }
}

TEST(Expressions, OfTheCorpusAgree) {
  EXPECT_EQ(expect_agreement(RANGESCOPE_GOLDEN_DIR "/symbolic.jsonl.gz"), 998);
}

// data/generate_expressions.py writes more of them, for RANGESCOPE_EXPRESSIONS.
TEST(Expressions, OfARandomKindAgree) {
  EXPECT_EQ(expect_agreement(RANGESCOPE_SOURCE_DIR "/tests/symbolic/data/random_expressions.jsonl.gz"), 800);
  if (const char* path = std::getenv("RANGESCOPE_EXPRESSIONS")) expect_agreement(std::string(path));
}

TEST(Expressions, ReadAndWriteOneLine) {
  const auto line = simplify_line(
      R"({"name":"x","nodes":[["CONST","weakint",[],2,null],["ADD","weakint",[0,0],null,null]],"root":1})");
  ASSERT_TRUE(line) << line.error().message;
  const std::string fields = R"~("simplified":2,"in_minmax":[4,4],"minmax":[4,4],"render":["(2+2)","4"])~";
  EXPECT_NE(line->find(fields), std::string::npos) << *line;
  EXPECT_FALSE(simplify_line("{}"));
}

}  // namespace
}  // namespace rangescope::symbolic::testing
