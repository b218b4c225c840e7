#include "engine/schedule/store_hazard.h"

#include "engine/ir/store.h"
#include "engine/ir/traversal.h"

namespace rangescope::schedule {

namespace {

// Sources are older than their users, and nodes know the ops below them: most of a graph is ruled out at once.
bool may_reach(UOp from, UOp to) {
  return from == to || (to.id() < from.id() && from.below_ops().contains(to.op()));
}

// Whether a path from `src` to `base` that meets no CONTIGUOUS leads through an unsafe op.
bool moved_on_the_way(UOp src, UOp base, UOp target, OpSet unsafe) {
  Marks plain(src.store()), moved(src.store());
  std::vector<std::pair<UOp, bool>> stack{{src, false}};
  while (!stack.empty()) {
    auto [u, is_moved] = stack.back();
    stack.pop_back();
    if (u.is(Op::CONTIGUOUS) || !may_reach(u, base)) continue;
    if (u.in(unsafe) && !(u == target && u.is(Op::SHRINK))) is_moved = true;
    if (!is_moved && !unsafe.intersects(u.below_ops())) continue;
    if (u == base) {
      if (is_moved) return true;
      continue;
    }
    if (moved.contains(u) || !(is_moved ? moved : plain).insert(u)) continue;
    for (size_t i = u.src_count(); i-- > 0;) stack.emplace_back(u.srcs()[i], is_moved);
  }
  return false;
}

}  // namespace

bool reaches(UOp root, UOp base) {
  if (root == base) return true;
  Marks seen(root.store());
  UOps stack{root};
  while (!stack.empty()) {
    const UOp u = stack.back();
    stack.pop_back();
    const std::span<const UOp> srcs = u.in(kCallOps) && u.src_count() > 0 ? u.srcs().subspan(1) : u.srcs();
    for (size_t i = srcs.size(); i-- > 0;) {
      if (srcs[i] == base) return true;
      if (may_reach(srcs[i], base) && seen.insert(srcs[i])) stack.push_back(srcs[i]);
    }
  }
  return false;
}

UOp fix_store_hazard(UOp target, UOp src) {
  const UOp base = target.base();
  if (!reaches(src, base)) return {};
  // PERMUTE and FLIP reorder elements; regions of SHRINKs can overlap where the target is shrunk too
  OpSet unsafe{Op::PERMUTE, Op::FLIP};
  if (target.op_in_backward_slice_with_self(Op::SHRINK)) unsafe.insert(Op::SHRINK);
  if (!moved_on_the_way(src, base, target, unsafe)) return {};
  return target.store_value(src.contiguous());
}

}  // namespace rangescope::schedule
