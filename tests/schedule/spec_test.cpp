#include "engine/schedule/spec.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "engine/ir/error.h"
#include "engine/rewrite/matcher.h"
#include "engine/schedule/kernel_spec.h"
#include "engine/schedule/tensor_spec.h"
#include "engine/symbolic/make_store.h"
#include "tests/schedule/cases.h"

namespace rangescope::schedule {
namespace {

// The rule whose verdict counts is the last one that fires.
class LastRule : public RewriteObserver {
 public:
  void pass_begin(const PassInfo&, UOp) override {}
  void pass_end(UOp) override {}
  void rule_matched(const Rule& rule, UOp, UOp, uint64_t) override { last = &rule; }
  void rule_raised(const Rule&, UOp, std::string_view) override {}
  const Rule* last = nullptr;
};

TEST(Spec, AcceptsWhatTheReferenceAccepts) {
  std::set<std::string_view> decides, silent;
  for (const Case& c : read_cases("spec.jsonl")) {
    const RuleSet& spec = c.text.at("set") == "spec_tensor" ? spec_tensor() : spec_kernel_graph();
    SCOPED_TRACE(c.text.at("set") + " " + c.name);
    const auto expected = c.number.find("accepted");
    const bool expect = expected != c.number.end() && expected->second != 0;
    const auto store = symbolic::make_store();
    UOps nodes;
    try {
      nodes = c.nodes(*store);
    } catch (const std::runtime_error&) {
      EXPECT_FALSE(expect) << "a graph that the spec accepts can be read";
      continue;  // the reader has refused it already
    }
    const UOp root = c.node(nodes, "root");
    LastRule seen;
    const ObserverScope scope(*store, seen);
    std::optional<bool> accepted;
    try {
      const UOp made = Matcher(spec, nullptr, tracking(*store)).rewrite(root);
      accepted = made && made.arg() == Arg("accepted");
    } catch (const GraphError&) {
    }
    EXPECT_EQ(accepted.value_or(false), expect);
    for (const auto& entry : spec.entries_for(root.op()))
      (entry.rule == seen.last ? decides : silent).insert(entry.rule->name);
  }
  for (const RuleSet* spec : {&spec_tensor(), &spec_kernel_graph()})
    for (const auto& entry : spec->entries())
      EXPECT_TRUE(decides.contains(entry.rule->name)) << entry.rule->name << " decides no case";
}

TEST(Spec, SaysWhatItRefuses) {
  const auto store = symbolic::make_store();
  const UOp bad = store->make(Op::BARRIER, std::span<const UOp>{});
  const UOp sink = store->sink(UOps{bad});
  try {
    verify_kernel_graph(sink);
    FAIL() << "a barrier is no part of a kernel graph";
  } catch (const GraphError& e) {
    EXPECT_NE(e.message().find("BARRIER"), std::string::npos) << e.message();
    EXPECT_NE(e.message().find("spec_kernel_graph"), std::string::npos) << e.message();
  }
  EXPECT_NO_THROW(type_verify(sink, spec_tensor(), true));
}

}  // namespace
}  // namespace rangescope::schedule
