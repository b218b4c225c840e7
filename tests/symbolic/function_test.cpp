// Functions and rule sets against the reference's answers: data/functions.jsonl.gz, written by
// data/generate_functions.py. RANGESCOPE_FUNCTION_FILES names other such files, separated by colons.

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "engine/ir/json_reader.h"
#include "engine/ir/program.h"
#include "engine/rewrite/driver.h"
#include "engine/symbolic/div_mod.h"
#include "engine/symbolic/make_store.h"
#include "engine/symbolic/range.h"
#include "engine/symbolic/reduce.h"
#include "engine/symbolic/symbolic.h"
#include "engine/symbolic/transcendental.h"
#include "engine/symbolic/valid.h"
#include "engine/symbolic/weak.h"
#include "tests/symbolic/case_files.h"

namespace rangescope::symbolic {
namespace {

struct Case {
  std::string function;
  UOps arguments;
  UOp result;                                  // null: none
  std::map<std::string, std::string> options;  // as JSON text
};

std::vector<Case> cases_of(const Program& program) {
  std::vector<Case> cases;
  for (const auto& [key, text] : program.rest) {
    if (key != "cases") continue;
    JsonReader in(text);
    const auto node = [&] { return program.nodes.at(static_cast<size_t>(in.integer(0, INT32_MAX))); };
    in.array([&](size_t) {
      Case c;
      in.array([&](size_t field) {
        if (field == 0) c.function = in.string();
        if (field == 1) in.array([&](size_t) { c.arguments.push_back(node()); });
        if (field == 2 && !in.try_null()) c.result = node();
        if (field == 3)
          in.object([&](std::string_view name) {
            const std::string option(name);
            c.options[option] = in.skip();
          });
      });
      cases.push_back(std::move(c));
    });
  }
  return cases;
}

bool flag(const Case& c, const char* name, bool otherwise) {
  const auto it = c.options.find(name);
  return it == c.options.end() ? otherwise : it->second == "true";
}

UOp rewrite(UOp u, std::initializer_list<const RuleSet*> parts) {
  const RuleSet rules("together", parts);
  NodeMap context;
  RewriteOptions options;
  options.context = &context;
  return graph_rewrite(u, rules, options);
}

UOp call(const Case& c) {
  const UOp a = c.arguments[0];
  const std::string& f = c.function;
  if (f == "xexp2") return xexp2(a);
  if (f == "xlog2") return xlog2(a);
  if (f == "xsin") {
    const auto at = c.options.find("switch_over");
    return xsin(a, flag(c, "fast", false), at == c.options.end() ? 30.0 : std::stod(at->second));
  }
  if (f == "xpow") return xpow(a, c.arguments[1]);
  if (f == "simplify") return a.simplify();
  if (f == "fold_divmod_general") return fold_divmod_general(a);
  if (f == "uop_given_valid") return uop_given_valid(a, c.arguments[1], flag(c, "try_simplex", true));
  if (f == "simplify_valid") return simplify_valid(a);
  if (f == "pm_lower_index_dtype") return rewrite(a, {&pm_lower_index_dtype()});
  if (f == "pm_commit_weak") return rewrite(a, {&pm_commit_weak()});
  if (f == "pm_cast_weak") return rewrite(a, {&pm_cast_weak(), &pm_commit_weak()});
  if (f == "pm_reduce_simplify") return rewrite(a, {&symbolic(), &pm_reduce_simplify()});
  if (f == "sym") return rewrite(a, {&sym()});
  if (f == "simplify_ranges_in_copy") return rewrite(a, {&sym(), &pm_flatten_range(), &pm_simplify_ranges()});
  throw std::invalid_argument(f);
}

std::string text(UOp u) {
  if (!u) return "none";
  try {
    return u.render(false);
  } catch (const GraphError&) {
    return std::string(op_name(u.op()));
  }
}

struct CaseTally {
  size_t cases = 0, wrong = 0;
};

void check(const std::string& where, const Case& c, CaseTally& tally) {
  ++tally.cases;
  const bool refuses = c.options.contains("raises");
  UOp got;
  std::string refused;
  try {
    got = call(c);
  } catch (const GraphError& e) {
    refused = e.what();
  }
  if (refused.empty() != refuses && got == c.result) return;
  if (tally.wrong++ >= 3) return;
  std::string arguments;
  for (const UOp a : c.arguments) arguments += "\n    of   " + text(a);
  ADD_FAILURE() << where << ": " << c.function << arguments << "\n    want "
                << (refuses ? "refused: " + c.options.at("raises") : text(c.result)) << "\n    got  "
                << (refused.empty() ? text(got) : "refused: " + refused);
}

TEST(Functions, AnswerAsTheReference) {
  std::map<std::string, CaseTally> tallies;
  for (const std::string& file : testing::case_files("RANGESCOPE_FUNCTION_FILES",
                                                     RANGESCOPE_SOURCE_DIR "/tests/symbolic/data/functions.jsonl.gz")) {
    Result<ProgramReader> reader = ProgramReader::open(file);
    ASSERT_TRUE(reader) << reader.error().message;
    while (true) {
      const auto store = make_store();
      const auto program = reader->next(*store);
      ASSERT_TRUE(program) << program.error().message;
      if (!*program) break;
      for (const Case& c : cases_of(**program)) check((*program)->name, c, tallies[c.function]);
    }
  }
  EXPECT_FALSE(tallies.empty());
  for (const auto& [name, t] : tallies) std::printf("%-24s %6zu cases %6zu differ\n", name.c_str(), t.cases, t.wrong);
}

}  // namespace
}  // namespace rangescope::symbolic
