// Buffers, stores and calls.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "engine/eval/elementwise.h"
#include "engine/eval/evaluator.h"
#include "engine/eval/shape_ops.h"
#include "engine/ir/corpus_numbers.h"
#include "engine/ir/error.h"
#include "engine/ir/traversal.h"

namespace rangescope::eval {

namespace {

constexpr int64_t kUnwritten = 1'000'003;  // slots of buffers that hold nothing yet: other numbers than a parameter's

const ParamArg& param_arg(UOp u) {
  return u.arg().as<ParamArg>();
}

// A parameter that stands for the shards of all its devices.
bool is_sharded(UOp u) {
  return u.is(Op::PARAM) && param_arg(u).axis && param_arg(u).device.is_tuple;
}

}  // namespace

// What a parameter or buffer holds before anything is written.
Value Evaluator::fill(UOp u, Buffer& b) {
  const ParamArg& p = param_arg(u);
  const int64_t slot = u.is(Op::PARAM) ? p.slot : p.slot + kUnwritten;
  Sizes dims{b.count};
  UOps ranges;
  if (b.devices > 0) {
    dims.insert(dims.begin(), b.devices);
    ranges.push_back(kDeviceAxis);
  }
  Made made = make_value(b.dtype, ranges, dims, meter_);
  if (const auto given = inputs_.contents.find(p.slot); u.is(Op::PARAM) && given != inputs_.contents.end()) {
    const size_t have = is_float(b.dtype) ? given->second->floats.size() : given->second->ints.size();
    if (static_cast<int64_t>(have) != product(dims))
      throw GraphError(fmt::format("parameter {} holds {} elements, {} are given", p.slot, product(dims), have));
    *made.array = *given->second;
    if (meter_.rounds(b.dtype))
      for (double& x : made.array->floats) x = machine_rounded(x, b.dtype);
    return made.value;
  }
  const bool apart = u.is(Op::PARAM) && (inputs_.sharded.contains(p.slot) || is_sharded(u));
  for (int64_t d = 0; d < std::max<int64_t>(b.devices, 1); ++d)
    for (int64_t i = 0; i < b.count; ++i) {
      const double x = corpus_fill_element(slot, b.dtype, static_cast<uint64_t>(apart ? d * b.count + i : i));
      const auto at = static_cast<size_t>(d * b.count + i);
      if (is_float(b.dtype))
        made.array->floats[at] = x;
      else
        made.array->ints[at] = static_cast<int64_t>(x);
    }
  return made.value;
}

// What the caller gives for a parameter of a body; null: nothing, or the parameter is a variable that the body shares
// with its caller.
const Value* Evaluator::argument_of(UOp u) const {
  const int64_t slot = param_arg(u).slot;
  if (!u.is(Op::PARAM) || arguments_ == nullptr || slot < 0 || static_cast<size_t>(slot) >= arguments_->size())
    return nullptr;
  const Value& v = (*arguments_)[static_cast<size_t>(slot)];
  if (!v) throw GraphError(fmt::format("argument {} of the call has no value", slot));
  const bool is_variable = param_arg(u).addrspace == AddrSpace::ALU;
  return is_variable && (is_float(v.dtype) || v.count() != 1) ? nullptr : &v;
}

// Flat, as many elements as the parameter has at most.
Value Evaluator::argument_content(const Value& v, DType dtype, int64_t count) {
  Value flat = v;
  if (v.dtype != dtype) flat = is_weak(v.dtype) || is_weak(dtype) ? cast(v, dtype, meter_) : bitcast(v, dtype, meter_);
  const std::array<int64_t, 1> all{product(flat.shape())}, most{count}, none{0};
  if (all[0] > count) throw GraphError(fmt::format("a parameter of {} elements is called with {}", count, all[0]));
  flat = reshaped(flat, all, meter_);
  return dense(all[0] < count ? padded(flat, none, most, false, meter_) : flat, meter_);
}

Buffer Evaluator::make_buffer(UOp u) {
  const ParamArg& p = param_arg(u);
  Buffer b;
  b.dtype = u.dtype();
  b.count = u.shape_or_null() == nullptr ? 1 : u.max_numel();
  if (const Value* v = argument_of(u)) {
    if (!v->ranges.empty() && v->ranges != UOps{kDeviceAxis})
      throw GraphError(fmt::format("argument {} of the call depends on a range", p.slot));
    b.devices = v->ranges.empty() ? 0 : v->dims[0];
    b.content = argument_content(*v, b.dtype, b.count);
    return b;
  }
  if (p.name == "_device_num") {
    b.devices = *u.vmax().to_int().to_int64() + 1;
    const std::array<int64_t, 2> dims{b.devices, 1};
    Made made = make_value(u.dtype(), {kDeviceAxis}, dims, meter_);
    std::iota(made.array->ints.begin(), made.array->ints.end(), int64_t{0});
    b.content = made.value;
    return b;
  }
  if (p.addrspace == AddrSpace::ALU && p.bounds) {
    const auto given = p.name ? inputs_.variables.find(*p.name) : inputs_.variables.end();
    const Int middle = floordiv(p.bounds->first.to_int() + p.bounds->second.to_int(), Int(2));
    const std::array<int64_t, 1> flat{1};
    b.content =
        reshaped(scalar_value(u.dtype(), given == inputs_.variables.end() ? Scalar(middle) : Scalar(given->second)),
                 flat, meter_);
    return b;
  }
  if (u.is(Op::PARAM) && arguments_ != nullptr)
    throw GraphError(fmt::format("the call has no argument {}, only {}", p.slot, arguments_->size()));
  if (p.device.is_tuple && p.device.names.size() > 1) b.devices = static_cast<int64_t>(p.device.names.size());
  if (is_sharded(u) && b.devices > 0) b.count /= b.devices;
  b.content = fill(u, b);
  return b;
}

// A stage that is stored to is a buffer that holds what was staged.
Buffer Evaluator::stage_buffer(UOp u) {
  const Value& v = value(u);
  if (!v.ranges.empty() && v.ranges != UOps{kDeviceAxis}) throw GraphError("it is stored to while a range is open");
  Buffer b;
  b.dtype = u.dtype();
  b.devices = v.ranges.empty() ? 0 : v.dims[0];
  b.count = product(v.shape());
  const std::array<int64_t, 1> flat{b.count};
  b.content = dense(reshaped(v, flat, meter_), meter_);
  return b;
}

size_t Evaluator::buffer(UOp u) {
  if (u.is(Op::STAGE)) return memory_.buffer_of(u, [&] { return stage_buffer(u); });

  return memory_.buffer_of(u, [&] { return make_buffer(u); });
}

// Flat content, or addresses, in the shape of the node.
Value Evaluator::view_of(UOp u, const Value& content, bool as_shards) {
  Sizes shape;
  const bool no_axes =
      u.src_count() == 0 || u.src(0).is(Op::NOOP) || (u.src(0).is(Op::STACK) && u.src(0).src_count() == 0);
  if (!no_axes) shape = as_sizes(value(u.src(0)), meter_);
  const int64_t devices = content.ranges.empty() ? 0 : content.dims[0];
  const bool join = is_sharded(u) && devices > 0;
  const std::array<int64_t, 1> axis{join ? *param_arg(u).axis : 0}, count{devices};
  if (join) shape.at(static_cast<size_t>(axis[0])) /= devices;
  // a shape of variables has no more elements than the buffer: they come first
  const std::array<int64_t, 1> from{0}, used{product(shape)};
  Value v = reshaped(shrunk(content, from, used), shape, meter_);
  if (!join || as_shards) return v;
  const std::array<int64_t, 1> dims{devices};
  Made number = make_value(DType::int64, {kDeviceAxis}, dims, meter_);
  std::iota(number.array->ints.begin(), number.array->ints.end(), int64_t{0});
  return joined(v, axis, {&number.value, 1}, count, meter_);
}

// The writes below a node, in order.
std::vector<const Writes*> Evaluator::writes_below(UOp u) const {
  std::vector<const Writes*> out;
  if (writes_.empty()) return out;
  Marks below(u.store());
  UOps stack{u};
  below.insert(u);
  while (!stack.empty()) {
    const UOp x = stack.back();
    stack.pop_back();
    for (const UOp s : x.srcs().subspan(x.in(kCallOps) && x.src_count() > 0 ? 1 : 0))
      if (below.insert(s)) stack.push_back(s);
  }
  for (size_t i = 0; i < writes_.size(); ++i)
    if (below.contains(writers_[i])) out.push_back(&writes_[i]);
  return out;
}

Value Evaluator::after(UOp u) {
  const UOp of = u.src(0);
  if (!known(of).views_buffer) return value(of);
  const Value& places = addresses(of);
  const std::vector<const Writes*> writes = writes_below(u);
  std::set<size_t> buffers;
  for (const int64_t address : places.data->ints) buffers.insert(memory_.buffer_at(address));
  std::map<size_t, Value> contents;
  for (const size_t b : buffers) contents[b] = memory_.written(b, memory_.buffers()[b].content, writes);
  Value v = memory_.read(places, contents);
  return v.dtype == u.dtype() ? v : bitcast(v, u.dtype(), meter_);
}

namespace {

// Whether a store writes to the same place in every step of a loop, and so hands its value on to the next step.
bool over_more_ranges(const Value& v, const Value& places) {
  return std::ranges::any_of(v.ranges, [&](UOp r) { return r != kDeviceAxis && places.axis_of(r) < 0; });
}

UOp buffer_of(UOp place) {
  while (place.in(groups::Movement | OpSet{Op::INDEX, Op::AFTER, Op::BITCAST})) place = place.src(0);
  return place;
}

}  // namespace

void Evaluator::store(UOp u) {
  const Value& places = addresses(u.src(0));
  Value v = value(u.src(1));
  if (over_more_ranges(v, places) && u.src(1).in_backward_slice(buffer_of(u.src(0))))
    throw GraphError("an accumulator, whose value goes from one step of a loop to the next, cannot be evaluated");
  if (places.axis_of(kDeviceAxis) < 0) v = at_range(v, kDeviceAxis, 0);
  const Value* gate = u.src_count() > 2 && u.src(2).dtype() == DType::bool_ ? &value(u.src(2)) : nullptr;
  writes_.push_back(memory_.store(places, v, gate, u.src(0).dtype()));
  writers_.push_back(u);
}

// The body on these arguments; what it writes to a parameter is written to where the argument lies.
std::vector<Value> Evaluator::run_body(UOp body, const std::vector<Value>& values, const std::vector<Value>& places) {
  if (depth_ >= meter_.limits().calls) throw GraphError("calls are nested too deeply");
  Evaluator inner(inputs_, meter_, &values, depth_ + 1);
  std::vector<Value> out;
  std::vector<Writes> done;
  if (body.is(Op::LINEAR)) {
    std::vector<std::pair<UOp, UOps>> calls;
    for (const UOp c : body.srcs()) {
      if (!c.is(Op::CALL)) throw GraphError(fmt::format("{} in a LINEAR cannot be evaluated", op_name(c.op())));
      calls.emplace_back(c.src(0), UOps(c.srcs().begin() + 1, c.srcs().end()));
    }
    inner.run_calls(calls);
  } else if (body.in({Op::SINK, Op::TUPLE})) {
    out = inner.run(body);
  } else {
    throw GraphError(fmt::format("a call of {} cannot be evaluated", op_name(body.op())));
  }
  std::vector<Value> flat_places(values.size());
  for (const Writes& w : inner.writes_) {
    Writes mine;
    mine.dtype = w.dtype;
    std::vector<bool> touched;
    for (size_t i = 0; i < w.addresses.size(); ++i) {
      const Buffer& b = inner.memory_.buffers()[inner.memory_.buffer_at(w.addresses[i])];
      const int64_t slot = b.node.is(Op::PARAM) ? param_arg(b.node).slot : -1;
      if (slot < 0) continue;  // a buffer of the body's own
      const auto k = static_cast<size_t>(slot);
      if (k >= places.size() || !places[k])
        throw GraphError(fmt::format("the call writes to its argument {}, which is no buffer", slot));
      if (!flat_places[k]) flat_places[k] = dense(places[k], meter_);
      const int64_t address = flat_places[k].data->ints.at(static_cast<size_t>(Memory::place(w.addresses[i])));
      const size_t buffer = memory_.buffer_at(address);
      if (memory_.buffers()[buffer].dtype != w.dtype)
        throw GraphError("a call writes to a buffer of another dtype than its parameter has");
      if (touched.size() <= buffer) touched.resize(buffer + 1, false);
      touched[buffer] = true;
      mine.addresses.push_back(address);
      if (is_float(w.dtype))
        mine.values.floats.push_back(w.values.floats[i]);
      else
        mine.values.ints.push_back(w.values.ints[i]);
    }
    for (size_t b = 0; b < touched.size(); ++b)
      if (touched[b]) mine.buffers.push_back(b);
    done.push_back(std::move(mine));
  }
  for (Writes& w : done) writes_.push_back(std::move(w));
  return out;
}

void Evaluator::call(UOp u) {
  const UOp body = u.src(0);
  std::vector<Value> values, places;
  for (UOp s : u.srcs().subspan(1)) {
    s = call_argument(u, s);
    if (u.is(Op::CALL) && s.is(Op::PARAM) && is_sharded(s)) {
      const size_t b = buffer(s);
      values.push_back(view_of(s, memory_.buffers()[b].content, true));
      places.push_back(view_of(s, memory_.addresses(b), true));
      continue;
    }
    values.push_back(value(s));
    places.push_back(known(s).views_buffer ? addresses(s) : Value{});
  }
  if (body.is(Op::COPY)) {
    if (values.size() != 2 || !places[0]) throw GraphError("a COPY is called on a buffer and a value");
    Value from = places[0].axis_of(kDeviceAxis) < 0 ? at_range(values[1], kDeviceAxis, 0) : values[1];
    writes_.push_back(memory_.store(places[0], reshaped(from, places[0].shape(), meter_), nullptr, u.src(1).dtype()));
  } else {
    std::vector<Value> out = run_body(body, values, places);
    if (u.is(Op::FUNCTION)) tuples_[u.id()] = std::move(out);
  }
  writers_.resize(writes_.size(), u);
}

void Evaluator::run_calls(const std::vector<std::pair<UOp, UOps>>& calls) {
  for (size_t c = 0; c < calls.size(); ++c) {
    const auto& [ast, args] = calls[c];
    try {
      std::vector<Value> values, places;
      UOps order;
      Marks seen(ast.store());
      for (const UOp a : args)
        for (const UOp x : toposort(
                 a, [&](UOp u) { return !seen.contains(u); }, false))
          if (seen.insert(x)) order.push_back(x);
      plan(order, {});
      for (const UOp a : args) {
        Known& k = known(a);
        ++k.users;
        (k.views_buffer ? k.needs_addresses : k.needs_value) = true;
      }
      for (size_t i = order.size(); i-- > 0;) need(order[i], Known(known(order[i])));
      walk(order);
      for (const UOp a : args) {
        const bool part = known(a).views_buffer;
        places.push_back(part ? addresses(a) : Value{});
        Value v = part ? memory_.read(addresses(a), {}) : value(a);
        if (part && v.dtype != a.dtype()) v = bitcast(v, a.dtype(), meter_);
        values.push_back(std::move(v));
      }
      const size_t from = writes_.size();
      if (ast.is(Op::COPY)) {
        if (values.size() != 2 || !places[0]) throw GraphError("a COPY is called on two buffers");
        writes_.push_back(
            memory_.store(places[0], reshaped(values[1], places[0].shape(), meter_), nullptr, args[0].dtype()));
      } else {
        run_body(ast, values, places);
      }
      for (size_t w = from; w < writes_.size(); ++w)
        for (const size_t b : writes_[w].buffers)
          memory_.set_content(b, memory_.written(b, memory_.buffers()[b].content, {&writes_[w]}));
    } catch (const GraphError& e) {
      throw GraphError(fmt::format("call {} of the schedule: {}", c, e.message()));
    }
  }
  writers_.resize(writes_.size());
}

}  // namespace rangescope::eval
