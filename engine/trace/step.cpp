#include "engine/trace/step.h"

#include <vector>

#include <tsl/robin_map.h>

#include "engine/ir/dtype_rules.h"
#include "engine/ir/store.h"

namespace rangescope::trace {

namespace {

// By node id. They stay with the store, for they are as long as it has nodes, and a step touches few of them.
struct Arrays {
  std::vector<UOp> done;
  std::vector<bool> open;  // on the stack
};

class Rebuilder {
 public:
  Rebuilder(Store& store, std::span<const std::pair<UOp, UOp>> matches, const PassRules& rules)
      : store_(store), rules_(rules), done_(store.extension<Arrays>().done), open_(store.extension<Arrays>().open) {
    map_.reserve(matches.size());
    for (const auto& [before, after] : matches)
      if (after) map_[before.id()] = after;
  }
  ~Rebuilder() {
    for (const uint32_t id : touched_) {
      if (id < done_.size()) done_[id] = {};
      if (id < open_.size()) open_[id] = false;
    }
  }
  Rebuilder(const Rebuilder&) = delete;
  Rebuilder& operator=(const Rebuilder&) = delete;

  Result<UOp> run(UOp root);
  std::vector<std::pair<UOp, UOp>> rebuilt;

 private:
  struct Frame {
    UOp key;
    UOp current;
    size_t next = 0;
    size_t restarts = 0;
  };

  UOp mapped(UOp u) const {
    const auto it = map_.find(u.id());
    return it == map_.end() ? UOp{} : it->second;
  }
  UOp done(UOp u) const { return u.id() < done_.size() ? done_[u.id()] : UOp{}; }
  void set_done(UOp u, UOp result) {
    if (u.id() >= done_.size()) done_.resize(std::max<size_t>(store_.node_count(), u.id() + 1) * 5 / 4);
    if (!done_[u.id()]) touched_.push_back(u.id());
    done_[u.id()] = result;
  }
  bool is_open(UOp u) const { return u.id() < open_.size() && open_[u.id()]; }
  void set_open(UOp u) {
    if (u.id() >= open_.size()) open_.resize(std::max<size_t>(store_.node_count(), u.id() + 1) * 5 / 4, false);
    touched_.push_back(u.id());
    open_[u.id()] = true;
  }
  // Follows the map; null: it runs in a circle.
  UOp follow(UOp u) const {
    for (size_t steps = 0; steps <= map_.size(); ++steps) {
      const UOp next = mapped(u);
      if (!next) return u;
      u = next;
    }
    return {};
  }
  bool is_opaque_call(UOp u) const {
    if (rules_.enter_calls || u.src_count() == 0) return false;
    return u.is(Op::FUNCTION) ||
           (u.is(Op::CALL) && u.src(0).in({Op::SINK, Op::PROGRAM, Op::LINEAR, Op::COPY, Op::CUSTOM_FUNCTION}));
  }
  UOp rebuild(UOp u);

  Store& store_;
  const PassRules& rules_;
  tsl::robin_map<uint32_t, UOp> map_;  // by node id; looked up, never iterated
  std::vector<UOp>& done_;
  std::vector<bool>& open_;
  std::vector<uint32_t> touched_;  // of both
  UOps srcs_;
};

UOp Rebuilder::rebuild(UOp u) {
  srcs_.clear();
  bool same = true;
  for (const UOp s : u.srcs()) {
    const UOp r = done(s);
    srcs_.push_back(r ? r : s);
    same = same && srcs_.back() == s;
  }
  if (same) return u;
  DType dtype = u.dtype();
  try {
    dtype = rebuilt_dtype(u, srcs_);
  } catch (const GraphError&) {
    // between two matches a node may have sources that no rule of dtypes allows; it keeps the dtype that it had
  }
  const UOp made = store_.make_interned(u.op(), dtype, srcs_, u.node()->arg, u.node()->tag);
  rebuilt.emplace_back(made, u);
  return made;
}

Result<UOp> Rebuilder::run(UOp root) {
  const Error circle{
      "the matches of this pass replace nodes in a circle: the trace is of a rewrite that does not end, or it is "
      "damaged."};
  std::vector<Frame> stack;
  const auto enter = [&](UOp key) -> bool {  // false: a circle
    if (done(key)) return true;
    UOp current = key;
    if (rules_.walk) {
      if (rules_.bottom_up)
        if (const UOp made = mapped(key)) {
          set_done(key, made);
          return true;
        }
    } else {
      current = follow(key);
      if (!current) return false;
      if (const UOp known = done(current)) {
        set_done(key, known);
        return true;
      }
    }
    if (is_open(current)) return false;
    set_open(current);
    stack.push_back({key, current});
    return true;
  };
  if (!enter(root)) return tl::unexpected(circle);
  while (!stack.empty()) {
    Frame& f = stack.back();
    if (f.next < f.current.src_count()) {
      const size_t i = f.next++;
      const UOp s = f.current.srcs()[i];
      if (i == 0 && is_opaque_call(f.current)) {
        if (!done(s)) set_done(s, s);
        continue;
      }
      if (!done(s) && !enter(s)) return tl::unexpected(circle);
      continue;
    }
    const UOp made = rebuild(f.current);
    UOp result = made;
    if (rules_.walk) {
      if (const UOp after = rules_.bottom_up ? UOp{} : mapped(made)) result = after;
    } else if (made != f.current) {
      const UOp known = done(made);
      if (known) {
        result = known;
      } else if (const UOp next = follow(made); next != made || mapped(made)) {
        if (!next || ++f.restarts > map_.size() + 1) return tl::unexpected(circle);
        if (const UOp finished = done(next)) {
          result = finished;
        } else {
          open_[f.current.id()] = false;
          f.current = next;
          f.next = 0;
          if (is_open(next)) return tl::unexpected(circle);
          set_open(next);
          continue;
        }
      }
    }
    const Frame closed = f;
    stack.pop_back();
    open_[closed.current.id()] = false;
    set_done(closed.current, result);
    set_done(closed.key, result);
  }
  return done(root);
}

}  // namespace

Result<UOp> graph_after(UOp input, std::span<const std::pair<UOp, UOp>> matches, const PassRules& rules,
                        std::vector<std::pair<UOp, UOp>>* rebuilt) {
  try {
    Rebuilder rebuilder(input.store(), matches, rules);
    auto result = rebuilder.run(input);
    if (rebuilt != nullptr) *rebuilt = std::move(rebuilder.rebuilt);
    return result;
  } catch (const GraphError& e) {
    return tl::unexpected(Error{e.message()});
  }
}

}  // namespace rangescope::trace
