// An attempt to match, by op: all rules of the index simplifier for the op, on a node that none of them changes.

#include <benchmark/benchmark.h>

#include "engine/rewrite/matcher.h"
#include "engine/symbolic/make_store.h"
#include "engine/symbolic/symbolic.h"

namespace rangescope {
namespace {

void attempt(benchmark::State& state, Op op) {
  const std::unique_ptr<Store> store = symbolic::make_store();
  const UOp a = store->range(16, 0), b = store->range(24, 1);
  const UOp node = store->make(op, {a, op == Op::FLOORDIV || op == Op::FLOORMOD ? store->constant(5) : b});
  const RuleSet& rules = symbolic::symbolic();
  Matcher matcher(rules, nullptr, tracking(*store));
  if (matcher.rewrite(node)) state.SkipWithError("a rule changes the node");
  for (auto _ : state) benchmark::DoNotOptimize(matcher.rewrite(node));
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(rules.entries_for(op).size()));
}
BENCHMARK_CAPTURE(attempt, ADD, Op::ADD);
BENCHMARK_CAPTURE(attempt, MUL, Op::MUL);
BENCHMARK_CAPTURE(attempt, CMPLT, Op::CMPLT);
BENCHMARK_CAPTURE(attempt, FLOORDIV, Op::FLOORDIV);
BENCHMARK_CAPTURE(attempt, FLOORMOD, Op::FLOORMOD);

}  // namespace
}  // namespace rangescope
