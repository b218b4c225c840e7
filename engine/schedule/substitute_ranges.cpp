#include "engine/schedule/substitute_ranges.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/ir/call.h"
#include "engine/ir/dtype_rules.h"
#include "engine/ir/small_vector.h"
#include "engine/ir/store.h"
#include "engine/rewrite/driver.h"
#include "engine/schedule/indexing_context.h"
#include "engine/schedule/remove_bufferize.h"

namespace rangescope::schedule {

namespace {

using Pairs = std::span<const std::pair<UOp, UOp>>;

bool depends_on_keys(UOp u, Pairs map) {
  const Ranges& open = u.ranges();
  return std::ranges::any_of(map, [&](const auto& kv) { return std::ranges::find(open, kv.first) != open.end(); });
}

// What is called is no part of the graph.
bool is_opaque_call(UOp u) {
  return u.is(Op::FUNCTION) || (u.is(Op::CALL) && u.src(0).in(kOpaqueBodies));
}

// Room that is used again by the next substitution.
struct Results {
  std::vector<uint32_t> by_id;
};

enum class Look : uint8_t { BelowOpenKeys, Everywhere };

class Substitution {
 public:
  Substitution(Store& store, Pairs map, Look look)
      : store_(store), map_(map), look_(look), done_(store), results_(store.extension<Results>().by_id) {}

  UOp run(UOp root) {
    SmallVector<std::pair<UOp, bool>, 32> stack;
    stack.emplace_back(root, false);
    while (!stack.empty()) {
      const UOp u = stack.back().first;
      const bool visited = stack.back().second;
      stack.pop_back();
      if (visited) {
        finish(u, rebuilt(u));
        continue;
      }
      if (done_.contains(u)) continue;
      if (!may_change(u)) {
        finish(u, u);
      } else if (const auto it = std::ranges::find(map_, u, &std::pair<UOp, UOp>::first); it != map_.end()) {
        finish(u, it->second);
      } else {
        stack.emplace_back(u, true);
        for (size_t i = u.src_count(); i-- > (is_opaque_call(u) ? 1U : 0U);)
          if (!done_.contains(u.srcs()[i])) stack.emplace_back(u.srcs()[i], false);
      }
    }
    return result_of(root);
  }

 private:
  bool may_change(UOp u) const {
    if (look_ == Look::BelowOpenKeys) return depends_on_keys(u, map_);
    return u.is(Op::RANGE) || u.below_ops().contains(Op::RANGE);
  }
  void finish(UOp u, UOp result) {
    done_.insert(u);
    if (u.id() >= results_.size()) results_.resize(store_.node_count() * size_t{5} / 4 + 64);
    results_[u.id()] = result.id();
  }
  UOp result_of(UOp u) const { return store_.at(results_[u.id()]); }
  UOp rebuilt(UOp u) {
    srcs_.clear();
    for (const UOp s : u.srcs()) srcs_.push_back(srcs_.empty() && is_opaque_call(u) ? s : result_of(s));
    if (std::ranges::equal(srcs_, u.srcs())) return u;
    return store_.make_interned(u.op(), rebuilt_dtype(u, srcs_), srcs_, u.node()->arg, u.node()->tag);
  }

  Store& store_;
  Pairs map_;
  Look look_;
  Marks done_;                      // whose result is known
  std::vector<uint32_t>& results_;  // ids by id
  UOps srcs_;
};

}  // namespace

UOp substitute_ranges(UOp value, Pairs map) {
  SmallVector<std::pair<UOp, UOp>, 6> changing;
  for (const auto& kv : map)
    if (kv.first != kv.second) changing.push_back(kv);
  if (changing.empty()) return value;
  if (std::ranges::any_of(changing, [&](const auto& kv) { return depends_on_keys(kv.second, changing); }))
    return substitute(value, map, {.first_rules = &pm_gate_substitute()});
  return Substitution(value.store(), changing, Look::BelowOpenKeys).run(value);
}

UOp replace_ranges(UOp value, Pairs map) {
  // Replacements that are no keys, and have no ranges below them, are final.
  const auto simple = [](UOp r) { return r.is(Op::RANGE) && r.src(0).is_const(); };
  const bool final = std::ranges::all_of(map, [&](const auto& kv) {
    return simple(kv.first) && simple(kv.second) &&
           std::ranges::find(map, kv.second, &std::pair<UOp, UOp>::first) == map.end();
  });
  if (!final) return substitute(value, map);
  return map.empty() ? value : Substitution(value.store(), map, Look::Everywhere).run(value);
}

}  // namespace rangescope::schedule
