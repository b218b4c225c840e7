#include "engine/eval/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "engine/ir/error.h"
#include "engine/ir/traversal.h"

namespace rangescope::eval {

namespace {

// A part of the buffer that the first source is a part of.
constexpr OpSet kViews =
    groups::Movement | OpSet{Op::INDEX, Op::DETACH, Op::UNSHARD, Op::MSELECT, Op::BITCAST, Op::AFTER, Op::LOAD};
// Only order others.
constexpr OpSet kNoValue{Op::SINK, Op::GROUP, Op::BARRIER, Op::LINEAR, Op::STORE, Op::CALL, Op::FUNCTION, Op::TUPLE};

}  // namespace

const Value& Evaluator::value(UOp u) const {
  const auto it = known_.find(u.id());
  if (it == known_.end() || !it->second.value)
    throw GraphError(fmt::format("{} (node {}) has no value", op_name(u.op()), u.id()));
  return it->second.value;
}

const Value& Evaluator::addresses(UOp u) const {
  const auto it = known_.find(u.id());
  if (it == known_.end() || !it->second.addresses)
    throw GraphError(fmt::format("{} (node {}) is no part of a buffer", op_name(u.op()), u.id()));
  return it->second.addresses;
}

// What a node that is needed as `k` says needs of its sources.
void Evaluator::need(UOp u, const Known& k) {
  const auto want_from = [&](size_t from) {
    for (size_t i = from; i < u.src_count(); ++i) known(u.src(i)).needs_value = true;
  };
  const auto want_addresses = [&](UOp s) { known(s).needs_addresses = true; };
  if (u.is(Op::STORE)) {
    want_addresses(u.src(0));
    want_from(1);
    return;
  }
  if (u.in(kCallOps)) {
    for (UOp s : u.srcs().subspan(1)) {
      s = call_argument(u, s);
      known(s).needs_value = true;
      if (known(s).views_buffer) want_addresses(s);
    }
    return;
  }
  if (u.is(Op::TUPLE)) return want_from(0);
  if (!k.needs_value && !k.needs_addresses) return;
  if (u.is(Op::AFTER) || u.is(Op::END)) {
    if (u.src_count() == 0) return;
    Known& of = known(u.src(0));
    if (k.needs_addresses || (k.needs_value && u.is(Op::AFTER) && of.views_buffer)) of.needs_addresses = true;
    if (k.needs_value && !(u.is(Op::AFTER) && of.views_buffer)) of.needs_value = true;
    return;
  }
  if (u.is(Op::GETTUPLE)) return;
  if (k.needs_value || u.is(Op::STAGE)) want_from(0);
  if (!k.needs_addresses || u.is(Op::STAGE)) return;
  if (u.is(Op::MSTACK)) {
    for (const UOp s : u.srcs()) want_addresses(s);
  } else if (u.in(groups::Defines)) {
    want_from(0);
  } else if (u.src_count() > 0) {
    want_addresses(u.src(0));
    want_from(1);
  }
}

void Evaluator::plan(const UOps& order, const UOps& wanted) {
  std::unordered_set<uint32_t> stored_stages;
  for (const UOp u : order) {
    if (!u.is(Op::STORE) || u.src_count() == 0) continue;
    UOp target = u.src(0);
    while (target.in(kViews) && target.src_count() > 0) target = target.src(0);
    if (target.is(Op::STAGE)) stored_stages.insert(target.id());
  }
  for (const UOp u : order) {
    Known& k = known(u);
    k = {};
    if (u.in(groups::Defines) || stored_stages.contains(u.id()))
      k.views_buffer = true;
    else if (u.is(Op::MSTACK))
      k.views_buffer = std::ranges::all_of(u.srcs(), [&](UOp s) { return known(s).views_buffer; });
    else if (u.in(kViews) && u.src_count() > 0)
      k.views_buffer = known(u.src(0)).views_buffer;
    for (const UOp s : u.srcs()) {
      if (const auto it = known_.find(s.id()); it != known_.end()) ++it->second.users;
      if (const UOp a = call_argument(u, s); a != s) ++known(a).users;
    }
  }
  for (const UOp u : wanted) {
    ++known(u).users;  // stays
    known(u).needs_value = true;
  }
  for (size_t i = order.size(); i-- > 0;) need(order[i], Known(known(order[i])));
}

void Evaluator::release(UOp u) {
  const auto it = known_.find(u.id());
  if (it == known_.end() || it->second.users == 0 || --it->second.users > 0) return;
  if (groups::Defines.contains(u.op()) || u.in({Op::CONST, Op::STACK})) return;  // small, or shared with the buffer
  it->second.value = {};
  it->second.addresses = {};
  tuples_.erase(u.id());
}

void Evaluator::walk(const UOps& order) {
  for (const UOp u : order) {
    try {
      visit(u);
    } catch (const GraphError& e) {
      throw GraphError(fmt::format("{} (node {}): {}", op_name(u.op()), u.id(), e.message()));
    }
    for (const UOp s : u.srcs()) {
      release(s);
      if (const UOp a = call_argument(u, s); a != s) release(a);
    }
  }
}

std::vector<Value> Evaluator::run(UOp root) {
  const UOps order = toposort(root, false);
  const bool stores = std::ranges::any_of(order, [](UOp u) { return u.is(Op::STORE) || u.in(kCallOps); });
  UOps wanted;
  if (root.is(Op::TUPLE) || (root.is(Op::SINK) && !stores))
    wanted.assign(root.srcs().begin(), root.srcs().end());
  else if (!root.in(kNoValue))
    wanted.push_back(root);
  plan(order, wanted);
  walk(order);
  std::vector<Value> out;
  for (const UOp u : wanted) out.push_back(value(u));
  return out;
}

void Evaluator::visit(UOp u) {
  if (u.is(Op::STORE)) return store(u);
  if (u.in(kCallOps)) return call(u);
  if (u.is(Op::TUPLE)) {
    std::vector<Value>& t = tuples_[u.id()];
    for (const UOp s : u.srcs()) t.push_back(value(s));
    return;
  }
  Known& k = known(u);
  if (!k.needs_value && !k.needs_addresses) return;
  if (k.needs_addresses && !k.views_buffer) throw GraphError("it is stored to, and is no part of a buffer");
  if (u.in(groups::Defines)) {
    const size_t b = buffer(u);
    if (k.needs_value) k.value = view_of(u, memory_.buffers()[b].content);
    if (k.needs_addresses) k.addresses = view_of(u, memory_.addresses(b));
    return;
  }
  if (u.is(Op::AFTER)) {
    if (k.needs_addresses) k.addresses = addresses(u.src(0));
    if (k.needs_value) k.value = after(u);
    return;
  }
  if (u.is(Op::GETTUPLE)) {
    const auto tuple = tuples_.find(u.src(0).id());
    const auto i = static_cast<size_t>(u.arg().as_int64());
    if (tuple == tuples_.end() || i >= tuple->second.size()) throw GraphError("an element of no tuple");
    k.value = tuple->second[i];
    return;
  }
  const auto sources = [&](bool as_addresses) {
    std::vector<const Value*> out;
    for (size_t i = 0; i < u.src_count(); ++i) {
      const auto it = known_.find(u.src(i).id());
      const bool place = as_addresses && (i == 0 || u.is(Op::MSTACK));
      out.push_back(it == known_.end() ? nullptr : place ? &it->second.addresses : &it->second.value);
    }
    return out;
  };
  if (k.needs_value || u.is(Op::STAGE)) k.value = node_value(u, sources(false), false, meter_);
  if (u.is(Op::STAGE) && k.needs_addresses)
    known(u).addresses = reshaped(memory_.addresses(buffer(u)), k.value.shape(), meter_);
  else if (k.needs_addresses)
    known(u).addresses = node_value(u, sources(true), true, meter_);
}

}  // namespace rangescope::eval
