// Making nodes: new ones, and ones that are there already.

#include <benchmark/benchmark.h>

#include "engine/ir/store.h"

namespace rangescope {
namespace {

UOp chain(Store& store, UOp leaf, int64_t length) {
  for (int64_t i = 0; i < length; ++i) leaf = store.make(Op::ADD, {leaf, store.constant(1)});
  return leaf;
}

void make_new_nodes(benchmark::State& state) {
  for (auto _ : state) {
    Store store;
    benchmark::DoNotOptimize(chain(store, store.variable("n", 0, 9), state.range(0)));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(make_new_nodes)->Arg(1000)->Arg(100000);

void find_known_nodes(benchmark::State& state) {
  Store store;
  const UOp leaf = store.variable("n", 0, 9);
  chain(store, leaf, state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(chain(store, leaf, state.range(0)));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(find_known_nodes)->Arg(1000)->Arg(100000);

}  // namespace
}  // namespace rangescope
