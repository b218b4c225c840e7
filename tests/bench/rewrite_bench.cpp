// A rewrite of each kind over a chain in which one rule fires at every other node.

#include <benchmark/benchmark.h>

#include "engine/rewrite/driver.h"
#include "engine/symbolic/make_store.h"

namespace rangescope {
namespace {

using namespace captures;

const RuleSet& drop_zero() {
  static const RuleSet rules("drop-zero",
                             {{"add-zero", "x + 0 is x", "", var(x) + 0, [](const Match& m) { return m[x]; }}});
  return rules;
}

UOp chain(Store& store, int64_t length) {
  UOp u = store.variable("n", 0, 9);
  for (int64_t i = 0; i < length; ++i) u = store.make(Op::ADD, {u, store.constant(i % 2)});
  return u;
}

// Each in a fresh store, so that nothing is known from the run before.
template <class Run>
void measure(benchmark::State& state, Run run) {
  for (auto _ : state) {
    state.PauseTiming();
    std::unique_ptr<Store> store = symbolic::make_store();
    const UOp root = chain(*store, state.range(0));
    state.ResumeTiming();
    benchmark::DoNotOptimize(run(root));
    state.PauseTiming();
    store.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void top_down(benchmark::State& state) {
  measure(state, [](UOp root) { return graph_rewrite(root, drop_zero()); });
}
void bottom_up(benchmark::State& state) {
  measure(state, [](UOp root) { return graph_rewrite(root, drop_zero(), {.bottom_up = true}); });
}
void walk(benchmark::State& state) {
  measure(state, [](UOp root) { return graph_rewrite(root, drop_zero(), {.walk = true}); });
}
void replace_leaf(benchmark::State& state) {
  measure(state, [](UOp root) {
    UOp leaf = root;
    while (leaf.is(Op::ADD)) leaf = leaf.src(0);
    const std::pair<UOp, UOp> map[] = {{leaf, leaf.store().variable("m", 0, 5)}};
    return substitute(root, map);
  });
}
BENCHMARK(top_down)->Arg(1000)->Arg(100000);
BENCHMARK(bottom_up)->Arg(1000)->Arg(100000);
BENCHMARK(walk)->Arg(1000)->Arg(100000);
BENCHMARK(replace_leaf)->Arg(1000)->Arg(100000);

}  // namespace
}  // namespace rangescope
