#include "engine/codegen/expander.h"

#include <algorithm>
#include <numeric>

#include "engine/codegen/axis.h"
#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/ir/traversal.h"
#include "engine/symbolic/range.h"
#include "engine/symbolic/symbolic.h"

namespace rangescope::codegen {

RangeMap build_range_map(UOp sink) {
  RangeMap map;
  for (const UOp u : toposort(sink)) {
    if (!u.is(Op::RANGE) || !second_is(u, {AxisType::UNROLL, AxisType::UPCAST})) continue;
    const auto next = static_cast<int64_t>(map.size());
    map[axis_id(u)] = next;
  }
  return map;
}

namespace {

// The dimensions that a reduce runs over come to the front and are counted; what stays is a loop.
UOp expand_reduce(const Match& m) {
  const UOp r = m[captures::r];
  UOps srcs{UOp{}};
  std::vector<int64_t> axes;
  for (const UOp u : r.srcs().subspan(1)) {
    if (u.is(Op::RANGE)) {
      srcs.push_back(u);
      continue;
    }
    const Shape& s = u.shape();
    for (size_t i = 0; i < s.size(); ++i)
      if (s[i].is_int() ? s[i].value > 1 : resolve_lt(Dim(1), s[i])) axes.push_back(static_cast<int64_t>(i));
  }
  if (axes.empty()) return {};
  const Arg::Tuple& arg = r.arg().as_tuple();
  if (arg.at(1).as_int64() != 0) throw GraphError("a reduce over ranges reduces dimensions already");
  const Shape& shape = r.src(0).shape();
  const auto reduced = [&](size_t i) { return std::ranges::find(axes, static_cast<int64_t>(i)) != axes.end(); };
  std::vector<int64_t> perm = axes;
  Shape out;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!reduced(i)) perm.push_back(static_cast<int64_t>(i));
    out.push_back(reduced(i) ? Dim(1) : shape[i]);
  }
  srcs[0] = r.src(0).permute(perm);
  return m.store()
      .make(Op::REDUCE, srcs, Arg(Arg::Tuple{arg.at(0), Arg(static_cast<int64_t>(axes.size()))}))
      .reshape(out);
}

UOp expand_range(const Match& m) {
  const auto& map = m.context<RangeMap>();
  const UOp r = m[captures::r];
  const auto it = map.find(axis_id(r));
  if (it == map.end()) return {};
  const int64_t n = axis_size(r);
  UOps values;
  for (int64_t i = 0; i < n; ++i) values.push_back(m.store().constant(Scalar(i), r.dtype()));
  Shape shape(map.size(), Dim(1));
  shape[static_cast<size_t>(it->second)] = n;
  return m.store().stack(values).reshape(shape);
}

// (range id, size) pairs of a WMMA's operand.
std::vector<std::pair<int64_t, int64_t>> wmma_axes(const Arg& arg) {
  std::vector<std::pair<int64_t, int64_t>> r;
  for (const Arg& a : arg.as_tuple()) r.emplace_back(a.as_tuple().at(0).as_int64(), a.as_tuple().at(1).as_int64());
  return r;
}
int64_t dimension_of(const RangeMap& map, int64_t id) {
  const auto it = map.find(id);
  if (it == map.end()) throw GraphError("a tensor core's axis is no unrolled range");
  return it->second;
}

UOp contract_axis(const RangeMap& map, UOp u, const Arg& arg) {
  std::vector<int64_t> tail, perm;
  for (const auto& [id, size] : wmma_axes(arg)) tail.push_back(dimension_of(map, id));
  for (size_t i = 0; i < u.ndim(); ++i)
    if (std::ranges::find(tail, static_cast<int64_t>(i)) == tail.end()) perm.push_back(static_cast<int64_t>(i));
  const size_t head = perm.size();
  perm.insert(perm.end(), tail.begin(), tail.end());
  const UOp out = u.permute(perm);
  Shape shape(out.shape().begin(), out.shape().begin() + static_cast<std::ptrdiff_t>(head));
  shape.emplace_back(-1);
  return out.reshape(shape);
}

UOp unroll_axis(const RangeMap& map, UOp u, const Arg& arg) {
  std::vector<int64_t> tail, order;
  Shape shape(u.shape().begin(), u.shape().end() - 1);
  for (const auto& [id, size] : wmma_axes(arg)) {
    tail.push_back(dimension_of(map, id));
    shape.emplace_back(size);
  }
  const UOp out = u.reshape(shape);
  for (size_t i = 0; i < out.ndim(); ++i)
    if (std::ranges::find(tail, static_cast<int64_t>(i)) == tail.end()) order.push_back(static_cast<int64_t>(i));
  order.insert(order.end(), tail.begin(), tail.end());
  std::vector<int64_t> inverse(order.size());
  std::iota(inverse.begin(), inverse.end(), 0);
  std::ranges::stable_sort(inverse, {}, [&](int64_t i) { return order[static_cast<size_t>(i)]; });
  return out.permute(inverse);
}

UOp expand_wmma(const Match& m) {
  const auto& map = m.context<RangeMap>();
  const UOp u = m[captures::u];
  const Arg::Tuple& arg = u.arg().as_tuple();
  if (arg.at(4).is_none()) return {};
  const Arg::Tuple& axes = arg.at(4).as_tuple();
  Arg::Tuple done(arg.begin(), arg.begin() + 4);
  done.emplace_back();
  const UOp wmma =
      m.store().make(Op::WMMA, u.dtype(),
                     {contract_axis(map, u.src(0), axes.at(0)), contract_axis(map, u.src(1), axes.at(1)), u.src(2)},
                     Arg(std::move(done)), u.tag());
  return unroll_axis(map, wmma, axes.at(2));
}

const RuleSet& own_rules() {
  using namespace captures;
  static const RuleSet rules(
      "expander", {
                      {"reduce-expanded-dimensions", "a reduce over an unrolled range reduces a dimension instead",
                       "codegen/__init__.py:85", pat(Op::REDUCE).named(r), expand_reduce},
                      {"expand-range", "an unrolled or upcast range becomes the vector of its values",
                       "codegen/__init__.py:86", pat(Op::RANGE).named(r), expand_range},
                      {"expand-wmma", "the axes of a tensor core's operands become their last dimension",
                       "codegen/__init__.py:89", pat(Op::WMMA).named(u), expand_wmma},
                  });
  return rules;
}

}  // namespace

const RuleSet& expander2() {
  static const RuleSet rules("expander2", {&own_rules(), &symbolic::pm_flatten_range(), &symbolic::mop_cleanup()});
  return rules;
}

}  // namespace rangescope::codegen
