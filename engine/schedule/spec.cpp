#include "engine/schedule/spec.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/error.h"
#include "engine/ir/traversal.h"
#include "engine/rewrite/matcher.h"
#include "engine/rewrite/observer.h"

namespace rangescope::schedule {

namespace {

const Arg& accepted_mark() {
  static const Arg mark("accepted");
  return mark;
}

}  // namespace

// A verdict is a node of its own, since a rule can only give nodes.
UOp verdict(const Match& m, bool accepted) {
  static const Arg refused("refused");
  return m.store().make(Op::NOOP, DType::void_, {}, accepted ? accepted_mark() : refused);
}

bool matches_dtype(UOp u, DType dtype) {
  return u.dtype() == dtype || u.base().is_invalid();
}

bool is_device_stack(UOp mstack) {
  const auto srcs = mstack.srcs();
  const auto on_one = [](UOp s) { return !s.device().is_tuple && !s.device().is_none(); };
  if (std::ranges::all_of(srcs, on_one)) return true;
  return std::ranges::all_of(srcs, [&](UOp s) { return s == srcs[0]; }) && srcs[0].device().is_none();
}

bool is_device_choice(UOp mselect) {
  const Device& devices = mselect.src(0).device();
  return devices.is_tuple && mselect.arg().as_int64() < static_cast<int64_t>(devices.names.size());
}

void type_verify(UOp root, const RuleSet& spec, bool enter_calls) {
  Store& store = root.store();
  const Untracked untracked(store);
  Matcher matcher(spec, nullptr, tracking(store));
  for (const UOp u : toposort(root, enter_calls)) {
    const UOp made = matcher.rewrite(u);
    if (made && made.is(Op::NOOP) && made.arg() == accepted_mark()) continue;
    std::string srcs;
    for (const UOp s : u.srcs()) srcs += fmt::format("{}{}", srcs.empty() ? "" : ", ", op_name(s.op()));
    throw GraphError(fmt::format("{} does not allow {} (node {}) of dtype {} with the sources ({})", spec.name(),
                                 op_name(u.op()), u.id(), dtype_name(u.dtype()), srcs));
  }
}

}  // namespace rangescope::schedule
