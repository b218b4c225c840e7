// Open ranges of nodes (reference: uop/ops.py, UOp._ranges and ended_ranges).

#include <algorithm>

#include "engine/ir/hash_index.h"
#include "engine/ir/pool.h"
#include "engine/ir/postorder.h"
#include "engine/ir/small_vector.h"
#include "engine/ir/store.h"
#include "engine/ir/uop.h"

namespace rangescope {

namespace {

// First source that is a range which the op ends; npos where the op ends none.
size_t range_start(Op op) {
  switch (op) {
    case Op::STAGE:
    case Op::REDUCE:
    case Op::END:
    case Op::CALL:
    case Op::FUNCTION:
      return 1;
    case Op::WMMA:
      return 3;
    case Op::LINEAR:
      return 0;
    default:
      return static_cast<size_t>(-1);
  }
}

const Ranges& empty_ranges() {
  static const Ranges empty;
  return empty;
}

void erase(SmallVector<UOp>& ranges, UOp r) {
  const auto it = std::ranges::find(ranges, r);
  if (it != ranges.end()) ranges.erase(it);
}

// The lists of a store, each once: equal ones are many.
struct RangeLists {
  Pool<Ranges> lists;
  HashIndex index;

  const Ranges* intern(std::span<const UOp> ranges) {
    uint64_t h = ranges.size();
    for (const UOp r : ranges) h = (h ^ (r.id() + 1)) * 0x9e3779b97f4a7c15ULL;
    const uint32_t known = index.find(h, [&](uint32_t i) { return std::ranges::equal(lists[i], ranges); });
    if (known != HashIndex::kNone) return &lists[known];
    index.insert(h, static_cast<uint32_t>(lists.size()));
    return &lists.emplace_back(ranges.begin(), ranges.end());
  }
};

bool ends_ranges(Op op) {
  return range_start(op) != static_cast<size_t>(-1) || op == Op::AFTER || op == Op::UNSHARD;
}

void compute_ranges(UOp u) {
  NodeCache& out = u.cache();
  // Most nodes have the ranges of one of their sources: share that list.
  const Ranges* first = nullptr;
  bool shared = true;
  for (const UOp s : u.srcs()) {
    const Ranges* r = s.cache().ranges;
    if (r->empty() || r == first) continue;
    if (first == nullptr) {
      first = r;
    } else if (*first != *r) {
      shared = false;
      break;
    }
  }
  const bool is_range = u.is(Op::RANGE);
  if (shared && !is_range && (first == nullptr || !ends_ranges(u.op()))) {
    out.ranges = first == nullptr ? &empty_ranges() : first;
    return;
  }
  SmallVector<UOp> ret;
  if (u.src_count() <= 8) {
    for (const UOp s : u.srcs())
      for (const UOp r : *s.cache().ranges)
        if (std::ranges::find(ret, r) == ret.end()) ret.push_back(r);
  } else {
    Marks seen(u.store());
    for (const UOp s : u.srcs())
      for (const UOp r : *s.cache().ranges)
        if (seen.insert(r)) ret.push_back(r);
  }
  if (ends_ranges(u.op()) && !ret.empty()) {
    for (const UOp e : u.ended_ranges()) {
      if (e.is(Op::RANGE)) {
        erase(ret, e);  // a RANGE itself: what its own sources range over stays
      } else {
        for (const UOp r : e.ranges()) erase(ret, r);
      }
    }
  }
  if (is_range) {
    erase(ret, u);
    ret.insert(ret.begin(), u);
  }
  out.ranges = ret.empty() ? &empty_ranges() : u.store().extension<RangeLists>().intern(ret);
}

}  // namespace

UOps UOp::ended_ranges() const {
  // AFTER ends what its dependencies end. Chains of AFTER are short in depth but nothing bounds them, hence the stack.
  UOps out, stack{*this};
  while (!stack.empty()) {
    const UOp u = stack.back();
    stack.pop_back();
    if (const size_t start = range_start(u.op()); start != static_cast<size_t>(-1)) {
      if (start < u.src_count())
        out.insert(out.end(), u.srcs().begin() + static_cast<std::ptrdiff_t>(start), u.srcs().end());
    } else if (u.is(Op::AFTER)) {
      if (u.src_count() > 1) stack.insert(stack.end(), u.srcs().rbegin(), u.srcs().rend() - 1);
    } else if (u.is(Op::UNSHARD)) {
      if (u.src_count() > 1) out.insert(out.end(), u.srcs().begin() + 1, u.srcs().end());
    }
  }
  return out;
}

const Ranges& UOp::ranges() const {
  if (cache().ranges == nullptr)
    compute_postorder(
        *this, [](UOp u) { return u.cache().ranges != nullptr; }, [](UOp u) { return u.srcs(); }, compute_ranges);
  return *cache().ranges;
}

bool UOp::has_range(UOp range) const {
  return std::ranges::find(ranges(), range) != ranges().end();
}

}  // namespace rangescope
