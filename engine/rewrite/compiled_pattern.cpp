#include "engine/rewrite/compiled_pattern.h"

#include <algorithm>
#include <numeric>

#include "engine/ir/error.h"

namespace rangescope {

namespace {

bool same_pattern(const Pat& a, const Pat& b) {
  return &a.node() == &b.node() || to_string(a) == to_string(b);
}

OpSet derived_early_reject(const PatternNode& n) {
  OpSet ops;
  if (n.sources == Sources::Any || n.sources == Sources::AnyOf) return ops;
  for (const Pat& s : n.src)
    if (s.node().ops.size() == 1) ops = ops | s.node().ops;
  return ops;
}

// The slot of a name. Slots are given in the order in which the pattern names them.
int8_t slot_for(CompiledPattern& out, CaptureId name) {
  int8_t& slot = out.slot_of[static_cast<size_t>(name)];
  if (slot < 0) slot = static_cast<int8_t>(std::ranges::max(out.slot_of) + 1);
  RS_CHECK(slot < kPatternCaptures, "a pattern has few names");
  return slot;
}

uint32_t add(CompiledPattern& out, const Pat& p) {
  const PatternNode& n = p.node();
  const auto at = static_cast<uint32_t>(out.nodes.size());
  out.nodes.emplace_back();
  CompiledNode c;
  c.ops = n.ops.empty() ? groups::All : n.ops;
  if (n.dtypes) c.dtypes = n.dtypes->bits();
  c.sources = n.sources;
  if (n.name) c.capture = slot_for(out, *n.name);
  if (n.arg) c.arg = &*n.arg;
  if (n.tags) c.tags = &*n.tags;
  std::vector<uint32_t> children;
  for (const Pat& s : n.src) {
    children.push_back(add(out, s));
    c.deterministic = c.deterministic && out.nodes[children.back()].deterministic;
  }
  if (n.sources == Sources::AnyOf) {
    c.ops = {};
    for (const uint32_t child : children) c.ops |= out.nodes[child].ops;
  }
  const bool permuted = n.sources == Sources::Permuted &&
                        !std::ranges::all_of(n.src, [&](const Pat& s) { return same_pattern(s, n.src[0]); });
  if (permuted || (n.sources == Sources::AnyOf && n.src.size() > 1)) c.deterministic = false;
  RS_CHECK(n.sources != Sources::Repeated || c.deterministic, "a repeated source pattern has no alternatives");
  c.required =
      n.sources == Sources::Exact || n.sources == Sources::Permuted ? static_cast<uint32_t>(children.size()) : 0;
  if (!n.any_length && (n.sources == Sources::Exact || n.sources == Sources::Permuted)) c.most = c.required;
  if (n.sources == Sources::AnyOf) c.alternatives = static_cast<uint32_t>(children.size());
  c.first_order = static_cast<uint32_t>(out.orders.size());
  std::vector<uint32_t> order(children.size());
  std::iota(order.begin(), order.end(), 0);
  do {
    for (const uint32_t i : order) out.orders.push_back(children[i]);
    ++c.order_count;
  } while (permuted && std::ranges::next_permutation(order).found);
  out.nodes[at] = c;
  return at;
}

}  // namespace

CompiledPattern compile(const Pat& pattern) {
  CompiledPattern out;
  out.slot_of.fill(-1);
  add(out, pattern);
  out.root_ops = pattern.node().ops;
  RS_CHECK(!out.root_ops.empty(), "the root of a rule's pattern names its ops");
  out.early_reject = pattern.node().early_reject.value_or(derived_early_reject(pattern.node()));
  return out;
}

}  // namespace rangescope
