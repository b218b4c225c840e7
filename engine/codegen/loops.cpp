#include "engine/codegen/loops.h"

#include <algorithm>
#include <vector>

#include "engine/ir/op.h"

namespace rangescope::codegen {

namespace {

constexpr uint64_t kMany = INT64_MAX;
// Copies of a loop's body, and ops of all copies together, that a shader compiler takes in its stride.
constexpr uint64_t kMostCopies = 256;
constexpr uint64_t kMostOps = 8192;

uint64_t times(uint64_t a, uint64_t b) {
  return b != 0 && a > kMany / b ? kMany : a * b;
}
uint64_t plus(uint64_t a, uint64_t b) {
  return a > kMany - b ? kMany : a + b;
}

struct Loop {
  UOp range;
  size_t parent = SIZE_MAX;
  uint64_t steps = 0, entered = 1;  // of one invocation
  uint64_t ops = 0;                 // in its body, without loops inside
  uint64_t copies = 1;
  bool all_unrolled() const { return copies >= steps; }
  uint64_t iterations() const {
    return all_unrolled() && copies > 1 ? 0 : times(entered, (steps + copies - 1) / copies);
  }
};

std::vector<Loop> loops_of(const UOps& linear) {
  std::vector<Loop> loops;
  std::vector<size_t> open;
  for (const UOp u : linear) {
    if (u.is(Op::RANGE)) {
      Loop loop{.range = u, .steps = most_steps(u)};
      if (!open.empty()) {
        loop.parent = open.back();
        loop.entered = times(loops[open.back()].entered, loops[open.back()].steps);
      }
      open.push_back(loops.size());
      loops.push_back(loop);
    } else if (u.is(Op::END)) {
      if (!open.empty()) open.pop_back();
    } else if (!open.empty()) {
      ++loops[open.back()].ops;
    }
  }
  return loops;
}

uint64_t total(const std::vector<Loop>& loops) {
  uint64_t sum = 0;
  for (const Loop& l : loops) sum = plus(sum, l.iterations());
  return sum;
}

// Ops of each loop's body as it will stand in the shader; kMany where a loop inside is left, so that it is no body to
// copy.
std::vector<uint64_t> body_sizes(const std::vector<Loop>& loops) {
  std::vector<uint64_t> sizes;
  sizes.reserve(loops.size());
  for (const Loop& l : loops) sizes.push_back(l.ops);
  for (size_t i = loops.size(); i-- > 0;)  // inner loops stand behind outer ones
    if (const Loop& l = loops[i]; l.parent != SIZE_MAX)
      sizes[l.parent] = plus(sizes[l.parent], l.all_unrolled() ? times(sizes[i], l.copies) : kMany);
  return sizes;
}

// The next larger number of copies: twice as many, or a few more where that divides the steps, so that none is left
// over.
uint64_t more_copies(const Loop& l) {
  const uint64_t from = std::min({l.copies * 2, kMostCopies, l.steps});
  for (uint64_t n = from; n < std::min(2 * from, kMostCopies + 1); ++n)
    if (l.steps % n == 0) return n;
  return from;
}

}  // namespace

uint64_t most_steps(UOp range) {
  if (range.dtype() == DType::void_) return kMany;
  const int64_t last = range.vmax().to_int().to_int64().value_or(INT64_MAX - 1);
  return last < 0 ? 0 : static_cast<uint64_t>(last) + 1;
}

LoopPlan plan_loops(const UOps& linear, uint64_t most_iterations) {
  std::vector<Loop> loops = loops_of(linear);
  while (most_iterations != 0 && total(loops) > most_iterations) {
    const std::vector<uint64_t> sizes = body_sizes(loops);
    Loop* best = nullptr;
    for (size_t i = 0; i < loops.size(); ++i) {
      Loop& l = loops[i];
      if (l.all_unrolled() || l.copies >= kMostCopies || times(sizes[i], more_copies(l)) > kMostOps) continue;
      if (best == nullptr || l.iterations() > best->iterations()) best = &l;
    }
    if (best == nullptr) break;
    best->copies = more_copies(*best);
  }
  LoopPlan plan;
  plan.iterations = total(loops);
  for (const Loop& l : loops)
    if (l.copies > 1) plan.unroll.emplace(l.range.id(), static_cast<int64_t>(l.copies));
  return plan;
}

}  // namespace rangescope::codegen
