#include "engine/schedule/copy_kernels.h"

#include "engine/ir/error.h"
#include "engine/ir/traversal.h"
#include "engine/rewrite/driver.h"
#include "engine/schedule/movement_ops.h"
#include "engine/symbolic/range.h"
#include "engine/symbolic/symbolic.h"

namespace rangescope::schedule {

namespace {

using namespace captures;

// A kernel inside one device is no transfer, unless that is a disk.
bool stays_on_device(UOp dst, UOp src) {
  const Device& d = dst.device();
  return d == src.device() && (d.is_tuple || d.is_none() || !d.names[0].starts_with("DISK"));
}

UOp with_body(UOp call, UOp body) {
  UOps srcs(call.srcs().begin(), call.srcs().end());
  srcs[0] = body;
  return call.with_srcs(srcs);
}

UOp simplify_copy_kernel(const Match& m) {
  if (stays_on_device(m[dst], m[src])) return {};
  static const RuleSet rules(
      "simplify_copy", {&symbolic::sym(), &pm_mops(), &symbolic::pm_flatten_range(), &symbolic::pm_simplify_ranges()});
  NodeMap sizes;
  return with_body(m[call], graph_rewrite(m[ast], rules, {.name = "simplify ranges in copy", .context = &sizes}));
}

UOp copy_kernel_to_copy_uop(const Match& m) {
  if (stays_on_device(m[dst], m[src])) return {};
  return with_body(m[call], m.store().make(Op::COPY, {m[src]}, Arg(m[dst].device())));
}

UOp assert_all_same_devices(const Match& m) {
  UOp first;
  for (const UOp u : toposort(m[ast])) {
    if (!u.is(Op::PARAM) || u.device().is_none()) continue;
    if (first && !(u.device() == first.device()))
      throw GraphError("a kernel has buffers on different devices, and is no copy from one to the other");
    first = u;
  }
  return {};
}

}  // namespace

const RuleSet& pm_copy_from_store() {
  const Pat zero = cnst(Scalar(0));
  const Pat step = pat(Op::RANGE).named(r);
  const Pat to = pat(Op::PARAM).named(dst);
  const Pat from = pat(Op::PARAM).named(src);
  static const RuleSet rules(
      "pm_copy_from_store",
      {
          {"simplify-copy-kernel",
           "a kernel that moves one buffer to another device is simplified, to see whether it copies",
           "schedule/__init__.py:166", pat(Op::CALL, {pat(Op::SINK).named(ast), var(dst), var(src)}).named(call),
           simplify_copy_kernel},
          {"copy-of-element", "a kernel that stores one element on another device is a copy",
           "schedule/__init__.py:169",
           pat_any_length(Op::CALL, {pat(Op::SINK, {to.index({zero}).store(from.index({zero}))})}).named(call),
           copy_kernel_to_copy_uop},
          {"copy-of-buffer", "a kernel that stores every element in order on another device is a copy",
           "schedule/__init__.py:172",
           pat_any_length(Op::CALL, {pat(Op::SINK, {pat(Op::END, {to.index({step}).store(from.index({step})), step})})})
               .named(call),
           copy_kernel_to_copy_uop},
          {"same-device", "any other kernel must have all its buffers on one device", "schedule/__init__.py:177",
           pat_any_length(Op::CALL, {pat(Op::SINK).named(ast)}), assert_all_same_devices},
      });
  return rules;
}

}  // namespace rangescope::schedule
