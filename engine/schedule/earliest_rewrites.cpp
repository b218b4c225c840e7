#include "engine/schedule/earliest_rewrites.h"

#include <algorithm>

#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/ir/sharding.h"
#include "engine/schedule/allreduce.h"
#include "engine/schedule/bitcast.h"
#include "engine/schedule/contiguous_view.h"
#include "engine/schedule/resolve_function.h"
#include "engine/schedule/split_reduceop.h"
#include "engine/schedule/store_hazard.h"
#include "engine/symbolic/symbolic.h"

namespace rangescope::schedule {

using namespace captures;

namespace {

UOp sink_of_bases(const Match& m) {
  UOps bases;
  for (const UOp s : m[x].srcs()) bases.push_back(s.unsharded_base());
  return m[x].with_srcs(bases);
}

// COPY transfers a run of elements: what is resized or reordered is first made one.
UOp copy_of_contiguous(const Match& m) {
  const UOp moved = m[r];
  const bool resized = resolve_ne(moved.numel(), moved.base().numel(), false);
  if (!resized && contiguous_view(moved)) return {};
  return m[c].with_srcs({moved.contiguous()});
}

bool has_zero(const Shape& shape) {
  return std::ranges::find(shape, Dim(0)) != shape.end();
}

Scalar identity_element(Op op, DType dtype) {
  switch (op) {
    case Op::ADD:
      return dtype_const(dtype, Scalar(0));
    case Op::MUL:
      return dtype_const(dtype, Scalar(1));
    case Op::MAX:
      return dtype_const(dtype, dtype_min(dtype));
    default:
      throw GraphError(std::string(op_name(op)) + " has no identity element to fill an empty reduce with");
  }
}

UOp reduce_of_nothing(const Match& m) {
  const UOp red = m[reduce];
  if (!has_zero(m[x].shape()) || has_zero(red.shape())) return {};
  return red.const_like(identity_element(red.arg().as_tuple().at(0).as<Op>(), red.dtype()));
}

UOp nothing_is_zero(const Match& m) {
  const Shape* shape = m[x].shape_or_null();
  return shape != nullptr && has_zero(*shape) ? m[x].const_like(Scalar(0)).with_tag(m[x].tag()) : UOp{};
}

const RuleSet& function_rules() {
  static const RuleSet rules(
      "earliest_rewrites: functions",
      {
          {"inline-function", "a FUNCTION becomes its body, with arguments for parameters", "schedule/rangeify.py:129",
           pat(Op::FUNCTION).named(c), [](const Match& m) { return resolve_function(m[c]); }},
          {"get-from-tuple", "an element of a TUPLE is that source", "schedule/rangeify.py:132",
           pat(Op::GETTUPLE, {pat(Op::TUPLE).named(t)}).named(g),
           [](const Match& m) { return m[t].src(static_cast<size_t>(m[g].arg().as_int64())); }},
          {"resolve-allreduce", "a reduction across devices becomes copies and sums", "schedule/rangeify.py:135",
           pat(Op::ALLREDUCE, {var(buf)}).named(red),
           [](const Match& m) { return create_allreduce_function(m[buf], m[red]); }},
          {"split-reduce", "a large reduce to few elements becomes two", "schedule/rangeify.py:138",
           pat(Op::REDUCE, {var(x)}).named(reduce), [](const Match& m) { return split_reduceop(m[reduce], m[x]); }},
          {"drop-gradient-marker", "marks for the backward pass mean nothing here", "schedule/rangeify.py:141",
           pat({Op::DETACH, Op::CONTIGUOUS_BACKWARD}).named(x), [](const Match& m) { return m[x].src(0); }},
          {"sink-of-bases", "a SINK refers to what is computed, not to views of it", "schedule/rangeify.py:144",
           pat(Op::SINK).named(x), sink_of_bases},
      });
  return rules;
}

const RuleSet& copy_rules() {
  static const RuleSet rules(
      "earliest_rewrites: copies",
      {
          {"copy-needs-contiguous", "what is resized or reordered is made contiguous before it is copied",
           "schedule/rangeify.py:149", pat(Op::COPY, {pat(groups::Movement).named(r)}).named(c), copy_of_contiguous},
          {"copy-to-same-device", "a copy to where the value is already is nothing", "schedule/rangeify.py:153",
           pat(Op::COPY, {var(x)}).named(copy),
           [](const Match& m) { return m[x].device() == m[copy].device() ? m[x] : UOp{}; }},
          {"copy-before-reshape", "a copy of a reshape is a reshape of a copy", "schedule/rangeify.py:156",
           pat(Op::COPY, {pat(Op::RESHAPE).named(shp)}).named(cpy),
           [](const Match& m) { return copy_to_device(m[shp].src(0), m[cpy].device()).reshape(m[shp].shape()); }},
      });
  return rules;
}

const RuleSet& store_rules() {
  static const RuleSet rules(
      "earliest_rewrites: stores",
      {
          {"store-without-reshape", "reshaping both sides of a STORE alike changes nothing", "schedule/rangeify.py:159",
           pat(Op::STORE, {pat_any_length(Op::RESHAPE, {var(dst)}), pat_any_length(Op::RESHAPE, {var(src)})}),
           [](const Match& m) { return m[dst].shape() == m[src].shape() ? m[dst].store_value(m[src]) : UOp{}; }},
          {"store-hazard", "what is read out of place from the buffer that is overwritten is copied first",
           "schedule/rangeify.py:166", pat(Op::STORE, {var(target), var(src)}),
           [](const Match& m) { return fix_store_hazard(m[target], m[src]); }},
          {"store-twice", "storing the same value twice is storing it once", "schedule/rangeify.py:169",
           var(buf).after({var(buf).store(var(src))}).named(a1).after({var(a1).store(var(src))}),
           [](const Match& m) { return m[a1]; }},
          {"store-own-contents", "storing a buffer's own contents into it changes nothing", "schedule/rangeify.py:172",
           var(buf).after({var(buf).store(var(buf).after({var(buf).store(var(src))}).named(a1))}),
           [](const Match& m) { return m[a1]; }},
          {"store-bitcast", "the value is bitcast, not the place it is stored to", "schedule/rangeify.py:175",
           pat(Op::STORE, {pat(Op::BITCAST, {var(target)}), var(src)}),
           [](const Match& m) { return m[target].store_value(m[src].bitcast(m[target].dtype())); }},
          {"bitcast-by-shifts", "a bitcast that changes the element size is done with shifts",
           "schedule/rangeify.py:178", pat(Op::BITCAST).named(bc),
           [](const Match& m) { return expand_bitcast(m[bc]); }},
      });
  return rules;
}

const RuleSet& empty_rules() {
  static const RuleSet rules(
      "earliest_rewrites: size 0",
      {
          {"reduce-of-nothing", "a reduce of no elements is the op's identity element", "schedule/rangeify.py:183",
           pat(Op::REDUCE, {var(x)}).named(reduce), reduce_of_nothing},
          {"nothing-is-zero", "a value without elements may as well be 0", "schedule/rangeify.py:186",
           pat(groups::All - OpSet{Op::SINK}).named(x), nothing_is_zero},
      });
  return rules;
}

}  // namespace

const RuleSet& earliest_rewrites() {
  static const RuleSet rules("earliest_rewrites", {&symbolic::mop_cleanup(), &function_rules(), &copy_rules(),
                                                   &store_rules(), &empty_rules()});
  return rules;
}

}  // namespace rangescope::schedule
