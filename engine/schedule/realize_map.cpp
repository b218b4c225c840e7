#include "engine/schedule/realize_map.h"

#include "engine/schedule/indexing_context.h"
#include "engine/schedule/store_hazard.h"

namespace rangescope::schedule {

using namespace captures;

namespace {

void realize(const Match& m, UOp u, const char* reason) {
  m.context<IndexingContext>().realize_map[u] = std::nullopt;
  m.context<IndexingContext>().realize_reason[u] = reason;
}

UOp realize_custom_kernel_sources(const Match& m) {
  for (UOp s : m[c].srcs().subspan(1)) {
    while (s.is(Op::RESHAPE)) s = s.src(0);
    if (s.in(kAlwaysContiguous)) continue;
    realize(m, s, "a custom kernel reads it from a buffer");
    m.context<IndexingContext>().non_removable[s] = true;
  }
  return {};
}

UOp realize_self(const Match& m) {
  realize(m, m[tr], m[tr].is(Op::STORE) ? "it is stored" : "CONTIGUOUS asks for it");
  return {};
}

UOp realize_sources(const Match& m) {
  for (const UOp s : m[rb].srcs())
    if (!s.base().in(kAlwaysContiguous)) realize(m, s, "it is stacked or selected across devices");
  return {};
}

// Writing to what is still read: the value is computed before.
UOp realize_stored_value(const Match& m) {
  if (reaches(m[src], m[dest].base())) realize(m, m[src], "it reads the buffer that it overwrites");
  return {};
}

}  // namespace

const RuleSet& pm_generate_realize_map() {
  static const RuleSet rules(
      "pm_generate_realize_map",
      {
          {"realize-custom-kernel-inputs", "a custom kernel reads its inputs from buffers", "schedule/indexing.py:47",
           pat_any_length(Op::CALL, {pat({Op::SINK, Op::PROGRAM})}).named(c), realize_custom_kernel_sources},
          {"realize-contiguous", "CONTIGUOUS and STORE are always materialized", "schedule/indexing.py:49",
           pat({Op::CONTIGUOUS, Op::STORE}).named(tr), realize_self},
          {"realize-shards", "what is stacked or selected across devices is materialized", "schedule/indexing.py:51",
           pat({Op::MSELECT, Op::MSTACK}).named(rb), realize_sources},
          {"realize-self-store", "a value computed from the buffer it overwrites is materialized",
           "schedule/indexing.py:53", pat(Op::STORE, {var(dest), var(src)}), realize_stored_value},
      });
  return rules;
}

}  // namespace rangescope::schedule
