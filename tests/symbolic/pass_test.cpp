// Passes of the reference that use this folder's rules alone, match by match: the same rules fire on the same nodes in
// the same order, and the pass ends with the same graph. data/passes.jsonl.gz is a small part of the corpus, cut by
// data/select_passes.py; RANGESCOPE_PASS_FILES names other files of the corpus, separated by colons, to try all of it.

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "engine/ir/program.h"
#include "engine/rewrite/driver.h"
#include "engine/symbolic/make_store.h"
#include "engine/symbolic/range.h"
#include "engine/symbolic/reduce.h"
#include "engine/symbolic/symbolic.h"
#include "engine/symbolic/weak.h"
#include "tests/symbolic/case_files.h"

namespace rangescope::symbolic {
namespace {

// Keeps the passes in the corpus's form.
class Recorder : public RewriteObserver {
 public:
  void pass_begin(const PassInfo& info, UOp root) override {
    open_.push_back(passes.size());
    passes.push_back({static_cast<int>(info.depth),
                      std::string(info.name),
                      info.bottom_up,
                      info.walk,
                      info.enter_calls,
                      root,
                      {},
                      {}});
  }
  void rule_matched(const Rule& rule, UOp before, UOp after, uint64_t) override {
    passes[open_.back()].matches.push_back({before, after, std::string(rule.ref)});
  }
  void rule_raised(const Rule& rule, UOp before, std::string_view) override {
    passes[open_.back()].matches.push_back({before, {}, std::string(rule.ref)});
  }
  void pass_end(UOp root) override {
    passes[open_.back()].output = root;
    open_.pop_back();
  }
  std::vector<PassRecord> passes;

 private:
  std::vector<size_t> open_;
};

const RuleSet& set_of(std::string_view name, std::initializer_list<const RuleSet*> parts) {
  static std::map<std::string_view, RuleSet> made;
  return made.try_emplace(name, name, parts).first->second;
}

// The rules of a pass of this name; null: it uses rules of other folders.
const RuleSet* rules_of(std::string_view name) {
  const RuleSet& flatten = pm_flatten_range();
  if (name == "load collapse") return &pm_load_collapse();
  if (name == "split ranges") return &set_of("split", {&pm_split_ranges(), &flatten});
  if (name == "initial symbolic") return &set_of("initial", {&sym(), &flatten});
  if (name == "simplify ranges") return &set_of("simplify", {&flatten, &pm_simplify_ranges()});
  if (name == "postopt symbolic")
    return &set_of("postopt", {&sym(), &pm_move_where_on_load(), &flatten, &pm_reduce_unparented()});
  if (name == "early symbolic") return &sym();
  if (name == "final symbolic") return &symbolic();
  if (name == "reduce_collapse") return &pm_reduce_collapse();
  if (name == "lower weak") return &pm_lower_weak();
  if (name == "flatten range") return &flatten;
  if (name == "reshape") return &set_of("reshape", {&symbolic(), &pm_simplify_valid(), &pm_drop_and_clauses()});
  if (name == "pad") return &set_of("pad", {&symbolic(), &pm_simplify_valid()});
  return nullptr;
}

struct PassTally {
  size_t passes = 0, matches = 0, wrong = 0;
};

std::string describe(const std::vector<PassRecord>& passes, size_t pass, size_t match) {
  std::ostringstream out;
  if (pass >= passes.size()) return "no pass";
  out << passes[pass].name;
  if (match >= passes[pass].matches.size()) return out.str() + ": no match " + std::to_string(match);
  const MatchRecord& m = passes[pass].matches[match];
  const auto text = [](UOp u) {
    if (!u) return std::string("raised");
    try {
      return u.render(false);
    } catch (const GraphError& e) {
      return std::string("?");
    }
  };
  out << " match " << match << ": " << m.rule << "\n      " << text(m.before) << "\n   -> " << text(m.after);
  return out.str();
}

// Where the two differ first; empty: nowhere.
std::string difference(const std::vector<PassRecord>& want, const std::vector<PassRecord>& got) {
  for (size_t p = 0; p < std::max(want.size(), got.size()); ++p) {
    if (p >= want.size() || p >= got.size() || want[p].name != got[p].name || want[p].input != got[p].input)
      return "pass " + std::to_string(p) + ": want " + describe(want, p, 0) + "\n  got " + describe(got, p, 0);
    const auto& a = want[p].matches;
    const auto& b = got[p].matches;
    for (size_t i = 0; i < std::max(a.size(), b.size()); ++i)
      if (i >= a.size() || i >= b.size() || a[i].before != b[i].before || a[i].after != b[i].after ||
          a[i].rule != b[i].rule)
        return "want " + describe(want, p, i) + "\n  got " + describe(got, p, i);
    if (want[p].output != got[p].output) return "the output of " + want[p].name + " differs";
  }
  return {};
}

// `want` begins with the pass, those nested in it follow.
std::string run(const std::vector<PassRecord>& want, const RuleSet& rules) {
  Store& store = want[0].input.store();
  tracking(store).depth = static_cast<uint32_t>(want[0].depth);
  Recorder recorder;
  const ObserverScope scope(store, recorder);
  NodeMap context;
  RewriteOptions options;
  options.name = want[0].name;
  options.context = &context;
  options.bottom_up = want[0].bottom_up;
  options.walk = want[0].walk;
  options.enter_calls = want[0].enter_calls;
  try {
    graph_rewrite(want[0].input, rules, options);
  } catch (const GraphError& e) {
    if (want[0].output) return std::string("refused: ") + e.what();
  }
  return difference(want, recorder.passes);
}

void check_program(const Program& program, std::map<std::string, PassTally>& tallies) {
  const std::vector<PassRecord>& passes = *program.passes;
  std::vector<std::string_view> outer;  // names of the passes under way
  for (size_t i = 0; i < passes.size();) {
    outer.resize(static_cast<size_t>(passes[i].depth));
    std::string_view name = passes[i].name;
    if (name == "graph_rewrite" && !outer.empty() && outer.back() == "lower all index dtypes") name = "lower weak";
    outer.push_back(passes[i].name);
    const RuleSet* rules = passes[i].input ? rules_of(name) : nullptr;
    size_t end = i + 1;
    if (rules != nullptr) {
      while (end < passes.size() && passes[end].depth > passes[i].depth) ++end;
      const std::vector<PassRecord> want(passes.begin() + static_cast<ptrdiff_t>(i),
                                         passes.begin() + static_cast<ptrdiff_t>(end));
      PassTally& tally = tallies[std::string(name)];
      ++tally.passes;
      for (const PassRecord& p : want) tally.matches += p.matches.size();
      const std::string wrong = run(want, *rules);
      if (!wrong.empty() && tally.wrong++ < 3)
        ADD_FAILURE() << program.name << ", pass " << i << " (" << name << ")\n  " << wrong;
    }
    i = end;
  }
}

TEST(Passes, MatchByMatch) {
  std::map<std::string, PassTally> tallies;
  for (const std::string& file :
       testing::case_files("RANGESCOPE_PASS_FILES", RANGESCOPE_SOURCE_DIR "/tests/symbolic/data/passes.jsonl.gz")) {
    Result<ProgramReader> reader = ProgramReader::open(file);
    ASSERT_TRUE(reader) << reader.error().message;
    while (true) {
      const auto store = make_store();
      const auto program = reader->next(*store);
      ASSERT_TRUE(program) << program.error().message;
      if (!*program) break;
      check_program(**program, tallies);
    }
  }
  EXPECT_FALSE(tallies.empty());
  for (const auto& [name, t] : tallies)
    std::printf("%-18s %6zu passes %8zu matches %6zu differ\n", name.c_str(), t.passes, t.matches, t.wrong);
}

}  // namespace
}  // namespace rangescope::symbolic
