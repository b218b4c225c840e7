// The corpus's expressions: simplified graph, bounds and text are the reference's.

#include <gtest/gtest.h>

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

TEST(Expressions, OfTheCorpusAgree) {
  auto file = ProgramReader::open(RANGESCOPE_GOLDEN_DIR "/symbolic.jsonl.gz");
  ASSERT_TRUE(file) << file.error().message;
  int count = 0;
  while (true) {
    const auto store = make_store();
    auto next = file->next(*store);
    ASSERT_TRUE(next) << next.error().message;
    if (!*next) break;
    const Program& wanted = **next;
    Program ours;
    ours.root = wanted.root;
    simplify_program(ours);
    ++count;
    const std::string where = wanted.name + ": " + text(wanted.render);
    ASSERT_FALSE(ours.error) << where << ": " << *ours.error;
    EXPECT_EQ(ours.simplified, wanted.simplified) << where << "\n"
                                                  << pretty_print(ours.simplified) << "\ninstead of\n"
                                                  << pretty_print(wanted.simplified);
    EXPECT_TRUE(same(ours.in_minmax, wanted.in_minmax))
        << where << " " << text(ours.in_minmax) << " instead of " << text(wanted.in_minmax);
    EXPECT_TRUE(same(ours.minmax, wanted.minmax))
        << where << " " << text(ours.minmax) << " instead of " << text(wanted.minmax);
    EXPECT_EQ(ours.render, wanted.render) << where << " is " << text(ours.render);
  }
  EXPECT_EQ(count, 998);
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
