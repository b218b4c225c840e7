#include "engine/rewrite/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/text.h"

namespace rangescope {

namespace {

std::string alternatives(OpSet ops) {
  std::string s;
  for (const Op op : ops) s += (s.empty() ? "" : " or ") + std::string(op_name(op));
  return s;
}

// Tries a pattern as the matcher does, alternatives in the same order, and remembers the attempt that satisfied most
// constraints before it failed. Recursion is over the pattern, whose depth the rule's author chose.
class Explainer {
 public:
  Explanation run(const Pat& pattern, UOp u) {
    const Goal root{&pattern, u, {}, nullptr};
    Explanation out;
    out.matches = solve(&root);
    if (out.matches) {
      out.captures = bound_;
      std::ranges::stable_sort(out.captures, {}, [](const auto& c) { return c.first; });
      return out;
    }
    out.place = best_.place;
    out.reason = best_.reason;
    out.node = best_.node;
    return out;
  }

 private:
  struct Goal {
    const Pat* pattern;
    UOp node;
    std::vector<size_t> path;  // sources from the root to the node
    const Goal* next;
  };

  bool fail(const Goal& g, std::string reason) {
    if (satisfied_ < best_satisfied_) return false;
    best_satisfied_ = satisfied_ + 1;  // of equals the first attempt is told
    std::string place;
    for (size_t i = g.path.size(); i-- > 0;)
      place += fmt::format("{}source {}", place.empty() ? "" : " of ", g.path[i]);
    best_ = {.matches = false,
             .captures = {},
             .place = place.empty() ? "the node itself" : place,
             .reason = std::move(reason),
             .node = g.node};
    return false;
  }

  bool head(const Goal& g) {
    const PatternNode& p = g.pattern->node();
    const UOp u = g.node;
    if (!p.ops.empty() && !p.ops.contains(u.op()))
      return fail(g, fmt::format("is {}, not {}", op_name(u.op()), alternatives(p.ops)));
    ++satisfied_;
    if (p.dtypes && !p.dtypes->contains(u.dtype())) {
      std::string wanted;
      for (const DType d : *p.dtypes) wanted += (wanted.empty() ? "" : " or ") + std::string(dtype_name(d));
      return fail(g, fmt::format("has the dtype {}, not {}", dtype_name(u.dtype()), wanted));
    }
    ++satisfied_;
    if (p.arg && !p.arg->python_equal(u.arg()))
      return fail(g, fmt::format("has the argument {}, not {}", to_string(u.arg()), to_string(*p.arg)));
    ++satisfied_;
    if (p.tags && std::ranges::none_of(*p.tags, [&](const Arg& t) { return t.python_equal(u.tag()); }))
      return fail(g, fmt::format("has the tag {}", to_string(u.tag())));
    ++satisfied_;
    const size_t listed = p.src.size();
    const bool lists = p.sources == Sources::Exact || p.sources == Sources::Permuted;
    if (lists && (u.src_count() < listed || (!p.any_length && u.src_count() != listed)))
      return fail(g, fmt::format("has {} sources, not {}{}", u.src_count(), listed, p.any_length ? " or more" : ""));
    ++satisfied_;
    if (!p.name) return true;
    for (const auto& [name, node] : bound_)
      if (name == *p.name)
        return node == u || fail(g, fmt::format("is not the same node as the other {}", capture_name(name)));
    bound_.emplace_back(*p.name, u);
    return true;
  }

  // Tries `pattern` on the listed sources in this order, then what follows.
  bool sources(const Goal& g, const std::vector<size_t>& order) {
    std::vector<Goal> goals(order.size());
    const Goal* rest = g.next;
    for (size_t i = order.size(); i-- > 0;) {
      std::vector<size_t> path = g.path;
      path.push_back(i);
      goals[i] = {&g.pattern->node().src[order[i]], g.node.src(i), std::move(path), rest};
      rest = &goals[i];
    }
    return solve(rest);
  }

  bool solve(const Goal* goal) {
    if (goal == nullptr) return true;
    const Goal& g = *goal;
    const PatternNode& p = g.pattern->node();
    const size_t bound = bound_.size(), satisfied = satisfied_;
    const auto back = [&] {
      bound_.resize(bound);
      satisfied_ = satisfied;
    };
    if (p.sources == Sources::AnyOf) {
      for (const Pat& alternative : p.src) {
        const Goal one{&alternative, g.node, g.path, g.next};
        if (solve(&one)) return true;
        back();
      }
      return false;
    }
    if (!head(g)) {
      back();
      return false;
    }
    bool found = false;
    if (p.sources == Sources::Any) {
      found = solve(g.next);
    } else if (p.sources == Sources::Repeated) {
      std::vector<Goal> goals(g.node.src_count());
      const Goal* rest = g.next;
      for (size_t i = goals.size(); i-- > 0;) {
        std::vector<size_t> path = g.path;
        path.push_back(i);
        goals[i] = {p.src.data(), g.node.src(i), std::move(path), rest};
        rest = &goals[i];
      }
      found = solve(rest);
    } else {
      std::vector<size_t> order(p.src.size());
      for (size_t i = 0; i < order.size(); ++i) order[i] = i;
      const size_t head_bound = bound_.size(), head_satisfied = satisfied_;
      do {
        found = sources(g, order);
        if (found) break;
        bound_.resize(head_bound);
        satisfied_ = head_satisfied;
      } while (p.sources == Sources::Permuted && std::ranges::next_permutation(order).found);
    }
    if (!found) back();
    return found;
  }

  std::vector<std::pair<CaptureId, UOp>> bound_;
  size_t satisfied_ = 0, best_satisfied_ = 0;
  Explanation best_;
};

}  // namespace

Explanation explain(const Pat& pattern, UOp u) {
  return Explainer().run(pattern, u);
}

std::string to_string(const Explanation& e) {
  if (!e.matches) return fmt::format("fails at {}: it {}", e.place, e.reason);
  std::string s = "matches";
  for (size_t i = 0; i < e.captures.size(); ++i)
    s += fmt::format("{} {} = {}", i == 0 ? ":" : ",", capture_name(e.captures[i].first),
                     short_label(e.captures[i].second));
  return s;
}

}  // namespace rangescope
