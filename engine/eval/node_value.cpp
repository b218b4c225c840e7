// What a node makes of its sources' values.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "engine/eval/elementwise.h"
#include "engine/eval/evaluator.h"
#include "engine/eval/shape_ops.h"
#include "engine/ir/error.h"
#include "engine/ir/store.h"

namespace rangescope::eval {

namespace {

int64_t steps_of(UOp range) {
  const std::optional<int64_t> last = range.vmax().to_int().to_int64();
  if (!last || *last == INT64_MAX) throw GraphError(fmt::format("range (node {}) has no end", range.id()));
  return *last + 1;
}

class Node {
 public:
  Node(UOp u, const std::vector<const Value*>& sources, bool as_addresses, Meter& meter)
      : u_(u), sources_(sources), as_addresses_(as_addresses), meter_(meter) {}
  Value value();

 private:
  const Value& source(size_t i) const {
    if (i >= sources_.size() || sources_[i] == nullptr || !*sources_[i])
      throw GraphError(fmt::format("source {} has no value", i));
    return *sources_[i];
  }
  std::vector<Value> rest(size_t from) const {
    std::vector<Value> out;
    for (size_t i = from; i < sources_.size(); ++i) out.push_back(source(i));
    return out;
  }
  // A shape or a list of offsets; a STACK of nothing is the empty one.
  Sizes sizes(size_t i) const {
    if (u_.src(i).is(Op::STACK) && u_.src(i).src_count() == 0) return {};
    return as_sizes(source(i), meter_);
  }
  Value range();
  Value shrink();
  Value stage();
  Value unshard();
  Value reduce();
  Value allreduce();
  Value movement();
  Value copy();

  UOp u_;
  const std::vector<const Value*>& sources_;
  bool as_addresses_;
  Meter& meter_;
};

Value Node::range() {
  const Value end = dense(source(0), meter_);
  if (end.count() != 1 || end.has_invalid() || is_float(end.dtype)) throw GraphError("its end is no one number");
  const int64_t n = std::max<int64_t>(end.data->ints[0], 0);
  const bool device = u_.arg().as_tuple().back() == Arg(AxisType::DEVICE);
  const std::array<int64_t, 1> dims{n};
  Made made = make_value(u_.dtype(), {device ? kDeviceAxis : u_}, dims, meter_);
  std::iota(made.array->ints.begin(), made.array->ints.end(), int64_t{0});
  return made.value;
}

Value Node::shrink() {
  const Sizes size = sizes(2);
  const Value& offset = source(1);
  if (offset.ranges != UOps{kDeviceAxis}) return shrunk(source(0), sizes(1), size);
  std::vector<Sizes> offsets;
  for (int64_t d = 0; d < offset.dims[0]; ++d) offsets.push_back(as_sizes(at_range(offset, kDeviceAxis, d), meter_));
  return shrunk_by_device(source(0), offsets, size, meter_);
}

Value Node::stage() {
  Sizes counts;
  for (const UOp r : u_.srcs().subspan(1)) counts.push_back(steps_of(r));
  return staged(source(0), rest(1), counts, meter_);
}

Value Node::unshard() {
  Sizes axes, counts;
  for (const Arg& a : u_.arg().as_tuple()) axes.push_back(a.as_int64());
  for (const UOp r : u_.srcs().subspan(1)) counts.push_back(steps_of(r));
  const std::vector<Value> at = rest(1);
  if (at.size() != axes.size()) throw GraphError("it needs a range an axis");
  return joined(source(0), axes, at, counts, meter_);
}

Value Node::reduce() {
  const Arg::Tuple& arg = u_.arg().as_tuple();
  const std::vector<Value> over = rest(1);
  return reduced(arg.at(0).as<Op>(), u_.dtype(), source(0), arg.at(1).as_int64(), open_ranges(over), meter_);
}

Value Node::allreduce() {
  const UOp from = u_.src(0);
  const Op op = u_.arg().as_tuple().at(0).as<Op>();
  const auto n = static_cast<int64_t>(std::max<size_t>(from.device().names.size(), 1));
  const Value& v = source(0);
  if (v.axis_of(kDeviceAxis) >= 0 || !from.op_in_backward_slice_with_self(Op::UNSHARD))
    return reduced(op, u_.dtype(), v, 0, OpenRanges{{kDeviceAxis}, {n}}, meter_);
  // Of a sharded value it adds up the shards, and the result is as sharded: every shard of it is the sum.
  if (!from.is(Op::UNSHARD) || from.src_count() != 2 || !from.src(1).is(Op::RANGE))
    throw GraphError("of a value that is sharded further below it cannot be evaluated");
  const auto axis = static_cast<size_t>(from.arg().as_tuple().at(0).as_int64());
  Sizes split(v.shape().begin(), v.shape().end());
  const int64_t shards = steps_of(from.src(1));
  split.at(axis) /= shards;
  split.insert(split.begin() + static_cast<std::ptrdiff_t>(axis), shards);
  std::vector<int64_t> order(split.size()), back(split.size());
  order[0] = static_cast<int64_t>(axis);
  for (size_t i = 0, k = 1; i < split.size(); ++i)
    if (i != axis) order[k++] = static_cast<int64_t>(i);
  for (size_t i = 0; i < order.size(); ++i) back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  const Value parts = permuted(reshaped(v, split, meter_), order);
  const Value sum = reduced(op, u_.dtype(), parts, 1, {}, meter_);
  const std::array<int64_t, 1> again{shards};
  return reshaped(permuted(expanded(sum, again), back), v.shape(), meter_);
}

Value Node::copy() {
  const Device to = u_.arg().as_device();
  return to.is_tuple ? source(0) : at_range(source(0), kDeviceAxis, 0);
}

Value Node::movement() {
  switch (u_.op()) {
    case Op::RESHAPE:
      return reshaped(source(0), sizes(1), meter_);
    case Op::EXPAND:
      return expanded(source(0), sizes(1));
    case Op::PERMUTE:
      return permuted(source(0), u_.marg_perm());
    case Op::FLIP:
      return flipped(source(0), u_.marg_flip());
    case Op::PAD:
      return padded(source(0), sizes(1), sizes(2), as_addresses_, meter_);
    default:
      return shrink();
  }
}

Value Node::value() {
  const Op op = u_.op();
  if (op == Op::PERMUTE || op == Op::FLIP || groups::Movement.contains(op)) return movement();
  if (as_addresses_ && op == Op::BITCAST) {
    if (itemsize(u_.dtype()) != itemsize(u_.src(0).dtype()))
      throw GraphError("a buffer cannot be written through elements of another size");
    return source(0);
  }
  if (groups::ALU.contains(op)) {
    const std::vector<Value> operands = rest(0);
    return elementwise(op, u_.dtype(), operands, meter_);
  }
  switch (op) {
    case Op::CONST:
      return scalar_value(u_.dtype(), u_.val());
    case Op::RANGE:
      return range();
    case Op::CAST:
      return cast(source(0), u_.dtype(), meter_);
    case Op::BITCAST:
      return bitcast(source(0), u_.dtype(), meter_);
    case Op::STACK:
      return stacked(u_.dtype(), rest(0), meter_);
    case Op::INDEX: {
      const std::vector<Value> indices = rest(1);
      return indexed(source(0), indices, as_addresses_, meter_);
    }
    case Op::REDUCE:
      return reduce();
    case Op::ALLREDUCE:
      return allreduce();
    case Op::STAGE:
      return stage();
    case Op::UNSHARD:
      return unshard();
    case Op::MSELECT:
      return at_range(source(0), kDeviceAxis, u_.arg().as_int64());
    case Op::MSTACK:
      return device_stack(rest(0), meter_);
    case Op::COPY:
      return copy();
    case Op::CONTIGUOUS:
    case Op::CONTIGUOUS_BACKWARD:
    case Op::DETACH:
    case Op::LOAD:
    case Op::END:
    case Op::NOOP:
      return source(0);
    default:
      throw GraphError("the evaluator does not know this op");
  }
}

}  // namespace

Value node_value(UOp u, const std::vector<const Value*>& sources, bool as_addresses, Meter& meter) {
  return Node(u, sources, as_addresses, meter).value();
}

}  // namespace rangescope::eval
