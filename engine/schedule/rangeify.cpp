#include "engine/schedule/rangeify.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/ir/text.h"
#include "engine/ir/traversal.h"
#include "engine/rewrite/decisions.h"
#include "engine/rewrite/driver.h"
#include "engine/schedule/apply_rangeify.h"
#include "engine/schedule/flags.h"
#include "engine/schedule/indexing_context.h"
#include "engine/schedule/movement_ops.h"
#include "engine/schedule/realize_map.h"
#include "engine/symbolic/symbolic.h"

namespace rangescope::schedule {

namespace {

// Who takes the value of a node, in topological order, each once. Flat: the consumers of node i stand at begin[i].
class Consumers {
 public:
  explicit Consumers(const UOps& order) {
    for (size_t i = 0; i < order.size(); ++i) position_[order[i]] = i;
    std::vector<std::pair<size_t, UOp>> edges;
    for (const UOp consumer : order) {
      const std::span<const UOp> srcs = consumer.srcs().subspan(0, data_source_count(consumer));
      for (size_t i = 0; i < srcs.size(); ++i) {
        const size_t* at = position_.find(srcs[i]);
        if (at != nullptr &&
            std::ranges::find(srcs.subspan(0, i), srcs[i]) == srcs.begin() + static_cast<std::ptrdiff_t>(i))
          edges.emplace_back(*at, consumer);
      }
    }
    begin_.assign(order.size() + 1, 0);
    for (const auto& [at, consumer] : edges) ++begin_[at + 1];
    for (size_t i = 0; i < order.size(); ++i) begin_[i + 1] += begin_[i];
    all_.resize(edges.size());
    std::vector<size_t> next(begin_.begin(), begin_.end() - 1);
    for (const auto& [at, consumer] : edges) all_[next[at]++] = consumer;
  }

  std::span<const UOp> of(size_t position) const {
    return std::span(all_).subspan(begin_[position], begin_[position + 1] - begin_[position]);
  }

 private:
  Facts<size_t> position_;
  std::vector<size_t> begin_;
  UOps all_;
};

class Rangeify {
 public:
  explicit Rangeify(UOp sink)
      : store_(sink.store()), pcontig_(flags(store_).pcontig), told_(static_cast<bool>(decisions(store_).realized)) {}

  void generate_realize_map(UOp sink) {
    graph_rewrite(sink, pm_generate_realize_map(), {.name = "get realize", .context = &ctx_});
  }
  void assign_ranges(UOp sink);
  IndexingContext& context() { return ctx_; }

 private:
  void visit(UOp x, std::span<const UOp> consumers);
  UOps broadcast_ending_ranges(UOp x, std::span<const UOp> consumers);
  UOps merged_ranges(UOp x, const std::vector<UOps>& consumer_ranges);
  void realize_ending(UOp x, UOps& out, UOps& ending);
  UOps input_ranges(UOp x, const UOps& out);
  void tell(UOp x, const UOps& out) const;

  Store& store_;
  int64_t pcontig_;
  bool told_;        // somebody wants to know the reasons
  std::string why_;  // the node that is visited is materialized
  IndexingContext ctx_;
  Facts<UOps> ending_;  // ranges that end at or after a node, without duplicates
};

void add_unique(UOps& list, std::span<const UOp> more) {
  for (const UOp r : more)
    if (std::ranges::find(list, r) == list.end()) list.push_back(r);
}

UOps open_ranges(std::span<const UOp> uops) {
  UOps out;
  for (const UOp u : uops) add_unique(out, u.ranges());
  return out;
}

bool is_kernel(UOp u) {
  return u.is(Op::LINEAR) || (u.is(Op::SINK) && u.arg().is<KernelInfo>());
}

void Rangeify::assign_ranges(UOp sink) {
  const UOps order = toposort(sink, [](UOp u) { return !is_kernel(u); });
  const Consumers consumers(order);
  // kernels have ranges of their own; AFTER, MSTACK and MSELECT pass values on as they are
  constexpr OpSet without_ranges{Op::CALL, Op::FUNCTION, Op::LINEAR, Op::AFTER, Op::MSTACK, Op::MSELECT};
  for (size_t i = order.size(); i-- > 0;)
    if (!order[i].in(without_ranges)) visit(order[i], consumers.of(i));
}

// Ranges the consumers iterate over while this value stays the same.
UOps Rangeify::broadcast_ending_ranges(UOp x, std::span<const UOp> consumers) {
  UOps ended;
  for (const UOp c : consumers) {
    if (!c.in(groups::Broadcastable)) continue;
    const NodeRanges* ranges = ctx_.range_map.find(c);
    if (ranges == nullptr) continue;
    for (const int64_t i : broadcast_axes(x.shape(), c.shape())) ended.push_back(ranges->in.at(static_cast<size_t>(i)));
  }
  return open_ranges(ended);
}

const RuleSet& minimum_valid_rules() {
  return symbolic::symbolic();
}

// Several consumers: where they agree on an axis, its range is theirs, valid where it is for any of them; where they do
// not, the axis is materialized over a new range.
UOps Rangeify::merged_ranges(UOp x, const std::vector<UOps>& consumer_ranges) {
  size_t axes = consumer_ranges[0].size();
  for (const UOps& ranges : consumer_ranges) axes = std::min(axes, ranges.size());
  std::vector<bool> agree(axes, true);
  for (size_t i = 0; i < axes; ++i)
    for (const UOps& ranges : consumer_ranges)
      if (ranges[i].get_idx() != consumer_ranges[0][i].get_idx()) agree[i] = false;
  const bool all_agree = std::ranges::find(agree, false) == agree.end();
  UOps out;
  Axes realized;
  for (size_t i = 0; i < axes; ++i) {
    if (all_agree || (pcontig_ != 0 && agree[i])) {
      UOps valids;
      for (const UOps& ranges : consumer_ranges) valids.push_back(ranges[i].get_valid());
      const UOp any_valid = store_.constant(Scalar(false)).usum(valids);
      out.push_back(graph_rewrite(consumer_ranges[0][i].get_idx().valid(any_valid), minimum_valid_rules(),
                                  {.name = "minimum_valid"}));
    } else {
      out.push_back(ctx_.new_range(store_, x.shape().at(i)));
      realized.push_back(static_cast<int64_t>(i));
    }
  }
  if (told_ && !realized.empty())
    why_ = fmt::format("its {} users read it over different ranges", consumer_ranges.size());
  if (!realized.empty()) ctx_.realize_map[x] = std::move(realized);
  return out;
}

// "r3, r4 and 2 more"
std::string names(const UOps& ranges) {
  constexpr size_t kMost = 3;
  std::string s;
  size_t n = 0;
  for (const UOp r : ranges) {
    if (!r.is(Op::RANGE)) continue;
    if (n++ < kMost) s += (s.empty() ? "r" : ", r") + range_str(r);
  }
  if (n > kMost) s += fmt::format(" and {} more", n - kMost);
  return s.empty() ? "a loop around it" : s;
}

// Computing below a range that ends here would repeat the work: axes are materialized.
void Rangeify::realize_ending(UOp x, UOps& out, UOps& ending) {
  Axes axes;
  if (const std::optional<Axes>* known = ctx_.realize_map.find(x); known != nullptr && *known) axes = **known;
  const auto opens_later = [&](UOp r) {
    return std::ranges::any_of(r.ranges(), [&](UOp open) {
      return std::ranges::any_of(ending, [&](UOp e) { return open.arg().compare(e.arg()) > 0; });
    });
  };
  for (size_t i = 0; i < out.size(); ++i) {
    const auto axis = static_cast<int64_t>(i);
    if (std::ranges::find(axes, axis) != axes.end()) continue;
    if (pcontig_ <= 1 || opens_later(out[i])) axes.push_back(axis);
  }
  if (told_ && !axes.empty()) {
    const std::string again = fmt::format("every turn of {} would compute it again", names(ending));
    why_ += (why_.empty() ? "" : ", and ") + again;
  }
  ending.clear();
  if (axes.empty()) return;
  for (size_t i = 0; i < out.size(); ++i)
    if (std::ranges::find(axes, static_cast<int64_t>(i)) != axes.end())
      out[i] = ctx_.new_range(store_, x.shape().at(i));
  ctx_.realize_map[x] = std::move(axes);
}

// Movement ops move them, STACK drops the one that selects, REDUCE brings those it reduces over.
UOps Rangeify::input_ranges(UOp x, const UOps& out) {
  if (x.in(groups::Movement)) return apply_movement_op(x, out);
  if (x.is(Op::STACK)) return out.empty() ? UOps{} : UOps(out.begin() + 1, out.end());
  if (!x.is(Op::REDUCE)) return out;
  const auto axes = static_cast<size_t>(x.arg().as_tuple().at(1).as_int64());
  UOps in;
  for (size_t i = 0; i < axes; ++i) in.push_back(ctx_.new_range(store_, x.src(0).shape().at(i), AxisType::REDUCE));
  in.insert(in.end(), out.begin(), out.end());
  return in;
}

bool injects_range(const Shape& shape) {
  return std::ranges::any_of(shape, [](const Dim& d) { return d.sym && d.sym.is(Op::RANGE); });
}

void Rangeify::tell(UOp x, const UOps& out) const {
  const std::optional<Axes>* axes = ctx_.realize_map.find(x);
  if (axes == nullptr || !*axes) return;
  UOps closed;
  for (size_t i = 0; i < out.size(); ++i)
    if (out[i].is(Op::RANGE) && std::ranges::find(**axes, static_cast<int64_t>(i)) != (*axes)->end())
      closed.push_back(out[i]);
  decisions(store_).realized(x, closed, why_);
}

void Rangeify::visit(UOp x, std::span<const UOp> consumers) {
  why_.clear();
  UOps ending;
  for (const UOp c : consumers)
    if (const UOps* theirs = ending_.find(c)) add_unique(ending, *theirs);
  const UOps broadcast = broadcast_ending_ranges(x, consumers);
  if (x.is(Op::REDUCE)) add_unique(ending, broadcast);

  std::vector<UOps> consumer_ranges;
  consumer_ranges.reserve(consumers.size());
  for (const UOp c : consumers)
    if (const NodeRanges* ranges = ctx_.range_map.find(c))
      consumer_ranges.push_back(broadcast_ranges(c, x, ranges->in));

  UOps out;
  if (std::optional<Axes>* realized = ctx_.realize_map.find(x)) {
    Axes all;
    for (const Dim& d : x.shape()) {
      out.push_back(ctx_.new_range(store_, d));
      all.push_back(static_cast<int64_t>(all.size()));
    }
    ending.clear();
    *realized = std::move(all);
    if (const char** reason = told_ ? ctx_.realize_reason.find(x) : nullptr) why_ = *reason;
  } else if (consumer_ranges.empty()) {
    ending_[x] = std::move(ending);  // nothing that has ranges uses it
    return;
  } else if (consumer_ranges.size() == 1) {
    out = std::move(consumer_ranges[0]);
  } else {
    out = merged_ranges(x, consumer_ranges);
  }

  if (!ending.empty() && x.in(groups::Elementwise | OpSet{Op::REDUCE})) realize_ending(x, out, ending);
  add_unique(ending, broadcast);

  if (told_) tell(x, out);
  UOps in = input_ranges(x, out);
  // an EXPAND that injects a range ends none
  if (x.is(Op::EXPAND) && !injects_range(x.shape()))
    add_unique(ending, open_ranges(std::span(out).subspan(0, std::min(out.size(), x.marg_shape().size()))));
  ending_[x] = std::move(ending);
  ctx_.range_map[x] = {std::move(in), std::move(out)};
}

}  // namespace

UOp run_rangeify(UOp sink) {
  const PassGroup group(sink.store(), "run_rangeify");
  Rangeify rangeify(sink);
  rangeify.generate_realize_map(sink);
  rangeify.assign_ranges(sink);
  const UOp indexed = graph_rewrite(sink, pm_apply_rangeify(),
                                    {.name = "apply rangeify", .context = &rangeify.context(), .bottom_up = true});
  Device device = indexed.device();
  return graph_rewrite(indexed, pm_fix_deviceless(), {.name = "add device to deviceless", .context = &device});
}

}  // namespace rangescope::schedule
