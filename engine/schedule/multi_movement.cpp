// Movement of sharded values.

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/ir/sharding.h"
#include "engine/schedule/multi_rules.h"

namespace rangescope::schedule {

using namespace captures;

namespace {

using Pairs = std::vector<std::pair<Dim, Dim>>;

bool is_sharded(UOp multi, size_t axis) {
  return std::ranges::any_of(sharded_axes(multi), [&](int64_t a) { return a == static_cast<int64_t>(axis); });
}

int64_t shard_count(UOp range) {
  return max_of(Dim(range)) + 1;
}

UOp padded_or_shrunk(UOp value, Op op, const Pairs& arg) {
  return value.mop(op, std::span<const std::pair<Dim, Dim>>(arg));
}

}  // namespace

UOp reshape_multi(const Match& m) {
  const UOp value = m[multi];
  const Shape& from = value.shape();
  Shape to = m[root].marg_shape();
  if (!must_be_equal(product(from), product(to)))
    throw GraphError(
        fmt::format("the reshape {} -> {} changes the number of elements", to_string(from), to_string(to)));
  const auto moved = [&] {
    return GraphError(fmt::format("the reshape {} -> {} moves items between shards", to_string(from), to_string(to)));
  };
  // Each sharded axis begins at the same place before and after, and still divides into its shards.
  Shape before{Dim(1)};
  for (const Dim& d : to) before.push_back(simplified(before.back() * d));
  std::vector<int64_t> axes;
  UOps ranges;
  for (const auto& [ax, range] : value.sharding()) {
    const Dim begin = simplified(product(std::span(from).subspan(0, static_cast<size_t>(ax))));
    const auto it = std::find(before.rbegin(), before.rend(), begin);
    if (it == before.rend()) throw moved();
    const auto axis = static_cast<size_t>(before.rend() - it - 1);
    if (axis >= to.size() || !must_be_equal(floormod(to[axis], Dim(shard_count(range))), Dim(0))) throw moved();
    axes.push_back(static_cast<int64_t>(axis));
    ranges.push_back(range);
  }
  // The reference divides every sharded axis by the count of the last one.
  for (size_t a = 0; a < to.size(); ++a)
    if (std::ranges::find(axes, static_cast<int64_t>(a)) != axes.end())
      to[a] = floordiv(to[a], Dim(shard_count(ranges.back())));
  return unshard(value.src(0).reshape(to), axes, ranges);
}

UOp expand_multi(const Match& m) {
  const Shape& added = m[root].marg_shape();
  std::vector<int64_t> axes = sharded_axes(m[multi]);
  for (int64_t& a : axes) a += static_cast<int64_t>(added.size());
  return unshard(m[multi].src(0).mop(Op::EXPAND, std::span<const Dim>(added)), axes, m[multi].srcs().subspan(1));
}

UOp pad_multi(const Match& m) {
  Pairs arg = m[root].marg_pairs();
  for (const int64_t ax : sharded_axes(m[multi])) {
    const auto axis = static_cast<size_t>(ax);
    if (axis >= arg.size() || arg[axis] != std::pair{Dim(0), m[multi].shape()[axis]})
      throw GraphError(fmt::format("PAD (node {}) of the sharded axis {} is not supported", m[root].id(), ax));
    arg[axis] = {Dim(0), m[multi].src(0).shape()[axis]};
  }
  return unshard_like(padded_or_shrunk(m[multi].src(0), Op::PAD, arg), m[multi]);
}

UOp permute_multi(const Match& m) {
  const AxisList order = m[root].marg_perm();
  std::vector<int64_t> axes;
  for (const int64_t a : sharded_axes(m[multi])) axes.push_back(std::ranges::find(order, a) - order.begin());
  return unshard(m[multi].src(0).permute(order), axes, m[multi].srcs().subspan(1));
}

UOp shrink_multi(const Match& m) {
  const UOp whole = m[multi];
  const UOp value = whole.src(0);
  const Pairs arg = m[root].marg_pairs();
  const auto sharding = whole.sharding();
  Pairs local = arg;
  std::vector<int64_t> kept;
  UOps kept_ranges;
  for (const auto& [ax, range] : sharding) {
    const auto axis = static_cast<size_t>(ax);
    const Dim block = value.shape().at(axis);
    const auto& [begin, size] = arg.at(axis);
    // exactly this range's own shard: the axis is resolved, nothing is copied
    if (simplified(size) == block && simplified(Dim(m.store().dim(begin)) - Dim(range) * block) == Dim(0)) {
      local[axis] = {Dim(0), block};
      continue;
    }
    kept.push_back(ax);
    kept_ranges.push_back(range);
    if (arg[axis] == std::pair{Dim(0), whole.shape()[axis]}) {
      local[axis] = {Dim(0), block};  // the axis stays sharded
      continue;
    }
    // otherwise one device's shard, which is copied to all of them
    std::optional<int64_t> part;
    for (int64_t i = 0; i < shard_count(range) && !part; ++i)
      if (arg[axis] == std::pair{Dim(i) * block, block}) part = i;
    if (sharding.size() != 1 || !whole.device().is_tuple || !part)
      throw GraphError(fmt::format("SHRINK (node {}) cuts across the shards of axis {}", m[root].id(), ax));
    Pairs rest = arg;
    rest[axis] = {Dim(0), block};
    return padded_or_shrunk(copy_to_device(value, whole.device(), part), Op::SHRINK, rest);
  }
  const UOp shrunk = padded_or_shrunk(value, Op::SHRINK, local);
  return kept.empty() ? shrunk : unshard(shrunk, kept, kept_ranges);
}

UOp flip_multi(const Match& m) {
  const std::vector<bool> flipped = m[root].marg_flip();
  std::vector<int64_t> axes;
  for (size_t i = 0; i < flipped.size(); ++i) {
    if (!flipped[i]) continue;
    if (is_sharded(m[multi], i))
      throw GraphError(fmt::format("FLIP (node {}) of the sharded axis {} is not supported", m[root].id(), i));
    axes.push_back(static_cast<int64_t>(i));
  }
  return unshard_like(m[multi].src(0).flip(axes), m[multi]);
}

}  // namespace rangescope::schedule
