#include "engine/frontend/graph_copy.h"

#include "engine/ir/traversal.h"

namespace rangescope::frontend {

void inherit_metadata(UOp from, UOp to) {
  if (from == to || to.store().metadata(to) != nullptr) return;
  if (const Metadata* m = from.store().metadata(from)) to.store().set_metadata(to, *m);
}

UOp on_made_sources(UOp u, const Made& made) {
  bool changed = false;
  UOps srcs;
  for (const UOp s : u.srcs()) {
    const auto it = made.find(s.id());
    srcs.push_back(it == made.end() ? s : it->second);
    changed = changed || srcs.back() != s;
  }
  return changed ? u.with_srcs(srcs) : u;
}

UOps substituted(std::span<const UOp> roots, const std::vector<std::pair<UOp, UOp>>& replacements) {
  if (roots.empty() || replacements.empty()) return {roots.begin(), roots.end()};
  Made made;
  for (const auto& [from, to] : replacements) made[from.id()] = to;
  const UOp sink = roots[0].store().sink(roots);
  for (const UOp u : toposort(sink, [&](UOp n) { return !made.contains(n.id()); })) {
    const UOp now = on_made_sources(u, made);
    if (now == u) continue;
    inherit_metadata(u, now);
    made[u.id()] = now;
  }
  UOps out;
  for (const UOp r : roots) {
    const auto it = made.find(r.id());
    out.push_back(it == made.end() ? r : it->second);
  }
  return out;
}

UOp copied_to(UOp root, Store& to) {
  Made made;
  for (const UOp u : toposort(root)) {
    UOps srcs;
    for (const UOp s : u.srcs()) srcs.push_back(made.at(s.id()));
    const UOp now = to.make(u.op(), u.dtype(), srcs, u.arg(), u.tag());
    inherit_metadata(u, now);
    made[u.id()] = now;
  }
  return made.at(root.id());
}

}  // namespace rangescope::frontend
