#include "engine/codegen/coalesce.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "engine/ir/error.h"
#include "engine/ir/traversal.h"
#include "engine/rewrite/driver.h"
#include "engine/symbolic/valid.h"

namespace rangescope::codegen {

namespace {

UOp simplify_valid_load(const Match& m) {
  const UOp start = m[captures::x], cond = m[captures::cond];
  const UOp idx = symbolic::uop_given_valid(cond, start);
  if (idx == start || idx == start.simplify()) return {};
  return m[captures::buf].index({idx.valid(cond)});
}

UOp declined(const Match&) {
  return {};
}

Pat invalid() {
  return var().with_arg(Arg(Scalar::invalid()));
}

// Accesses of one kind to one buffer, at a common base plus constants, under one condition.
struct Group {
  Op op;
  UOp buffer, base, valid;  // base null: the index is the constant itself, or the invalid value
  bool base_invalid;
  std::map<Int, UOps> at;
};

// The base and the constant that is added to it.
struct Offset {
  UOp base;
  Int add;
  bool invalid = false;
};
Offset offset_of(UOp idx) {
  if (idx.is(Op::ADD) && idx.src(1).is_const()) return {idx.src(0), idx.src(1).val().to_int()};
  if (idx.is(Op::ADD) && idx.src(0).is_const()) return {idx.src(1), idx.src(0).val().to_int()};
  if (idx.is_invalid()) return {{}, 0, true};
  if (idx.is_const()) return {{}, idx.val().to_int()};
  return {idx, 0};
}

std::vector<Group> collect(UOp sink) {
  std::vector<Group> groups;
  std::map<std::tuple<Op, uint32_t, uint32_t, uint32_t>, size_t> found;
  for (const UOp u : toposort(sink)) {
    if (!u.in(OpSet{Op::LOAD, Op::STORE})) continue;
    if (u.src_count() != (u.is(Op::STORE) ? 2U : 1U)) throw GraphError("a gated load or store cannot be coalesced");
    if (!u.src(0).is(Op::INDEX) || u.src(0).src_count() != 2)
      throw GraphError("a load or store to coalesce must be on an INDEX of one dimension");
    const UOp buf = u.src(0).src(0), idx = u.src(0).src(1).get_idx(), valid = u.src(0).src(1).get_valid();
    if (buf.addrspace() == AddrSpace::REG) continue;
    const Offset o = offset_of(idx);
    const uint32_t base_key = o.base ? o.base.id() + 2 : o.invalid ? 1 : 0;
    const auto [it, fresh] = found.try_emplace({u.op(), buf.id(), base_key, valid.id()}, groups.size());
    if (fresh) groups.push_back({u.op(), buf, o.base, valid, o.invalid, {}});
    groups[it->second].at[o.add].push_back(u);
  }
  return groups;
}

constexpr DTypeSet kWideDtypes = dtypes::fp8s | DTypeSet{DType::float32, DType::float16, DType::int32, DType::uint32};

void coalesce(const Group& g, const Target& target, NodeMap& replacements) {
  Store& store = g.buffer.store();
  std::vector<size_t> lengths;
  if (kWideDtypes.contains(g.buffer.dtype()) && target.supports_float4) lengths = {4, 2};
  lengths.push_back(1);
  std::vector<std::pair<Int, const UOps*>> all;
  for (const auto& [at, uops] : g.at) all.emplace_back(at, &uops);
  for (size_t pos = 0; pos < all.size();) {
    size_t run = 1;  // consecutive offsets from here on
    while (pos + run < all.size() && all[pos + run].first == all[pos].first + Int(static_cast<int64_t>(run))) ++run;
    UOp offset = g.base ? g.base + Scalar(all[pos].first) : store.constant(Scalar(all[pos].first));
    const size_t length = *std::ranges::find_if(
        lengths, [&](size_t l) { return l <= run && static_cast<bool>(offset.divides(Int(static_cast<int64_t>(l)))); });
    offset = offset.valid(g.valid);
    const UOp idx = length > 1
                        ? store.make(Op::SHRINK, {g.buffer, offset, store.constant(static_cast<int64_t>(length))})
                        : g.buffer.index({offset});
    if (g.op == Op::STORE) {
      UOps values;
      for (size_t i = 0; i < length; ++i) {
        if (all[pos + i].second->size() != 1) throw GraphError("two stores to one place of a buffer");
        values.push_back(all[pos + i].second->front().src(1));
      }
      const UOp wide = idx.store_value(length > 1 ? store.stack(values) : values.at(0));
      for (size_t i = 0; i < length; ++i) replacements.set(all[pos + i].second->front(), wide);
    } else {
      const UOp wide = idx.load();
      for (size_t i = 0; i < length; ++i)
        for (const UOp u : *all[pos + i].second)
          replacements.set(u, length > 1 ? wide.index({store.constant(static_cast<int64_t>(i))}) : wide);
    }
    pos += length;
  }
}

}  // namespace

const RuleSet& indexing_simplify() {
  using namespace captures;
  static const RuleSet rules(
      "indexing_simplify",
      {
          {"simplify-valid-index", "an index is written as simply as the condition it is valid under allows",
           "codegen/late/coalesce.py:59",
           pat(Op::INDEX,
               {var(buf), var(cond).where(var(x), pat(Op::CONST).with_arg(Arg(Scalar::invalid())).named(i))}),
           simplify_valid_load},
          {"simplify-valid-image-index", "the same for the two indices of an image; kernels here have no images",
           "codegen/late/coalesce.py:60",
           pat(Op::INDEX, {var(buf), var(valid).where(var(idx_y), invalid()), var(valid).where(var(idx_x), invalid())}),
           declined},
      });
  return rules;
}

const RuleSet& pm_simplify_add_image() {
  using namespace captures;
  static const RuleSet rules(
      "pm_simplify_add_image",
      {
          {"buffer-to-image", "a buffer read four at a time could be an image; kernels here have no images",
           "codegen/late/coalesce.py:96", pat(Op::SHRINK, {pat(Op::PARAM).named(buf), var(x), var().with_arg(Arg(4))}),
           declined},
          {"load-image-half", "an image is read as float32, then narrowed", "codegen/late/coalesce.py:98",
           pat(Op::INDEX).with_dtype(DType::float32).named(x).load().with_dtype(DType::float16),
           [](const Match& m) { return m[x].load().cast(DType::float16); }},
          {"store-image-half", "an image is written as float32", "codegen/late/coalesce.py:99",
           pat(Op::INDEX).with_dtype(DType::float32).named(x).store(var(d, DType::float16)),
           [](const Match& m) { return m[x].store_value(m[d].cast(DType::float32)); }},
          {"float-half-float", "float32 through half and back is taken as the float32 itself",
           "codegen/late/coalesce.py:100", var(x, DType::float32).cast(DType::float16).cast(DType::float32),
           [](const Match& m) { return m[x]; }},
      });
  return rules;
}

UOp memory_coalescing(UOp sink, const Target& target) {
  NodeMap replacements;
  for (const Group& g : collect(sink)) coalesce(g, target, replacements);
  return substitute(sink, replacements, {.name = "memory coalescing"});
}

}  // namespace rangescope::codegen
