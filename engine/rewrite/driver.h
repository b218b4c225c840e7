#pragma once
// Rewriting a graph with a rule set. Two drivers, as in the reference (uop/ops.py, RewriteContext): the worklist, which
// rewrites until nothing matches, and the walk, which visits every node once and never looks into what it has put in
// place.

#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/rewrite/observer.h"
#include "engine/rewrite/rule.h"

namespace rangescope {

struct RewriteOptions {
  std::string_view name = "graph_rewrite";
  void* context = nullptr;                   // what Match::context gives
  bool bottom_up = false;                    // rules see a node before its sources are rewritten
  const RuleSet* bottom_up_rules = nullptr;  // besides the top-down rules
  bool walk = false;
  bool enter_calls = false;  // also rewrite the bodies of calls
};

// The rewritten graph. Refuses (GraphError) a rewrite that does not end.
UOp graph_rewrite(UOp root, const RuleSet& rules, const RewriteOptions& options = {});

// An ordered map from node to node, as a Python dict. Most hold a few nodes, which are found by looking at all of them.
class NodeMap {
 public:
  void set(UOp key, UOp value) {
    const size_t at = find(key);
    if (at < items_.size()) {
      items_[at].second = value;
      return;
    }
    if (items_.size() >= kIndexFrom && index_.empty())
      for (size_t i = 0; i < items_.size(); ++i) index_.emplace(items_[i].first.id(), i);
    if (!index_.empty()) index_.emplace(key.id(), items_.size());
    items_.emplace_back(key, value);
  }
  UOp get(UOp key) const {  // null where there is none
    const size_t at = find(key);
    return at == items_.size() ? UOp{} : items_[at].second;
  }
  bool contains(UOp key) const { return find(key) != items_.size(); }
  bool empty() const { return items_.empty(); }
  size_t size() const { return items_.size(); }
  std::span<const std::pair<UOp, UOp>> items() const { return items_; }

 private:
  static constexpr size_t kIndexFrom = 8;
  size_t find(UOp key) const {
    if (index_.empty()) {
      size_t i = 0;
      while (i < items_.size() && items_[i].first != key) ++i;
      return i;
    }
    const auto it = index_.find(key.id());
    return it == index_.end() ? items_.size() : it->second;
  }

  SmallVector<std::pair<UOp, UOp>, 4> items_;
  std::unordered_map<uint32_t, size_t> index_;  // looked up, never iterated
};

struct SubstituteOptions {
  std::string_view name = {};            // a named substitute is a tracked pass
  const RuleSet* first_rules = nullptr;  // tried before the map
  bool walk = false;
  bool enter_calls = false;
};

// The rule of a substitution: a node is what the context, a NodeMap, says.
const RuleSet& substitute_rules();

// Replaces nodes by the map, and by what the map says of the replacements.
UOp substitute(UOp root, const NodeMap& map, const SubstituteOptions& options = {});
UOp substitute(UOp root, std::span<const std::pair<UOp, UOp>> map, const SubstituteOptions& options = {});

}  // namespace rangescope
