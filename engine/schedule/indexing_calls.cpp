#include "engine/schedule/indexing_calls.h"

#include <algorithm>

#include "engine/ir/dim.h"

namespace rangescope::schedule {

using namespace captures;

namespace {

UOp without_shrink_from_start(UOp u) {
  if (!u.is(Op::SHRINK)) return u;
  const auto arg = u.marg_pairs();
  return std::ranges::all_of(arg, [](const auto& a) { return a.first == Dim(0); }) ? u.src(0) : u;
}

UOp call_without_indexing(const Match& m) {
  UOps srcs;
  for (const UOp s : m[u].srcs()) {
    if (s.is(Op::INDEX)) {
      srcs.push_back(s.src(0));  // the argument has other users, which index it
    } else if (s.is(Op::MSTACK)) {
      UOps shards;
      for (const UOp shard : s.srcs()) shards.push_back(without_shrink_from_start(shard));
      srcs.push_back(s.with_srcs(shards));
    } else {
      srcs.push_back(without_shrink_from_start(s));
    }
  }
  return m[u].with_srcs(srcs);
}

}  // namespace

const RuleSet& pm_no_indexing_calls() {
  static const RuleSet rules("pm_no_indexing_calls",
                             {{"call-without-indexing", "a call takes whole buffers", "schedule/rangeify.py:351",
                               pat(Op::CALL).named(u), call_without_indexing}});
  return rules;
}

}  // namespace rangescope::schedule
