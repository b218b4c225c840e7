// Where values live: device, address space, sharded axis, base buffer (reference: uop/ops.py).

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/ir/postorder.h"
#include "engine/ir/store.h"
#include "engine/ir/traversal.h"
#include "engine/ir/uop.h"

namespace rangescope {

namespace {

const Device& no_device() {
  static const Device none;
  return none;
}

// An MSELECT may be refused, which the reference finds out wherever it stands below the node that is asked.
std::span<const UOp> device_sources(UOp u) {
  if (u.below_ops().contains(Op::MSELECT)) return u.srcs();
  switch (u.op()) {
    case Op::PARAM:
    case Op::STAGE:
    case Op::BUFFER:
    case Op::COPY:
    case Op::ALLREDUCE:
      return {};
    case Op::AFTER:
    case Op::MSELECT:
      return u.srcs().subspan(0, std::min<size_t>(1, u.src_count()));
    default:
      return u.srcs();
  }
}

const Device* compute_device(UOp u) {
  Store& store = u.store();
  const auto of = [](UOp s) { return s.cache().device; };
  switch (u.op()) {
    case Op::PARAM:
    case Op::BUFFER:
      return &u.node()->arg->as<ParamArg>().device;
    case Op::STAGE: {
      const auto* d = std::get_if<Device>(&u.node()->arg->as<StageArg>().device);
      return d == nullptr ? &no_device() : d;
    }
    case Op::AFTER:
      return of(u.src(0));
    case Op::MSELECT: {
      const Device* d = of(u.src(0));
      const int64_t i = u.arg().as_int64();
      if (!d->is_tuple || i < 0 || static_cast<size_t>(i) >= d->names.size())
        throw GraphError(
            fmt::format("MSELECT (node {}) needs a value on several devices, index {} among them", u.id(), i));
      return store.keep<Device>(Device::single(d->names[static_cast<size_t>(i)]));
    }
    case Op::MSTACK: {
      std::vector<std::string> names;
      for (const UOp s : u.srcs()) names.push_back(of(s)->is_none() ? "" : of(s)->names[0]);
      return store.keep<Device>(Device::tuple(std::move(names)));
    }
    case Op::COPY:
      return store.keep<Device>(u.arg().as_device());
    case Op::ALLREDUCE:
      return store.keep<Device>(u.arg().as_tuple().at(1).as_device());
    default:
      for (const UOp s : u.srcs())
        if (!of(s)->is_none()) return of(s);
      return &no_device();
  }
}

constexpr OpSet kAddrSpaceOfFirst = groups::Movement | OpSet{Op::INDEX,  Op::CAST,    Op::AFTER, Op::REDUCE, Op::STORE,
                                                             Op::MSTACK, Op::MSELECT, Op::END,   Op::UNSHARD};
constexpr OpSet kAddrSpaceOfAll = groups::Elementwise | OpSet{Op::STACK, Op::WMMA, Op::GROUP};
constexpr uint8_t kUnknown = 0xff;

std::span<const UOp> addrspace_sources(UOp u) {
  if (kAddrSpaceOfFirst.contains(u.op())) return u.srcs().subspan(0, std::min<size_t>(1, u.src_count()));
  return kAddrSpaceOfAll.contains(u.op()) ? u.srcs() : std::span<const UOp>{};
}

uint8_t compute_addrspace(UOp u) {
  const auto encode = [](std::optional<AddrSpace> a) {
    return a ? static_cast<uint8_t>(static_cast<uint8_t>(*a) + 1) : uint8_t{0};
  };
  if (u.is(Op::PARAM) || u.is(Op::BUFFER)) return encode(u.arg().as<ParamArg>().addrspace);
  if (u.is(Op::SPECIAL) || u.is(Op::RANGE) || u.is(Op::LOAD)) return encode(AddrSpace::ALU);
  if (kAddrSpaceOfFirst.contains(u.op())) return u.src(0).cache().addrspace;
  if (!kAddrSpaceOfAll.contains(u.op())) return 0;
  uint8_t common = 0;
  for (const UOp s : u.srcs()) {
    const uint8_t a = s.cache().addrspace;
    if (a == 0) continue;
    if (common != 0 && a != common) return 0;
    common = a;
  }
  return common;
}

constexpr OpSet kAxisOfAll = groups::ALU | OpSet{Op::STACK};

std::span<const UOp> axis_sources(UOp u) {
  if (u.is(Op::COPY) || u.is(Op::UNSHARD) || u.is(Op::PARAM)) return {};
  if (u.is(Op::GETTUPLE)) {
    const UOp tuple = u.src(0).is(Op::FUNCTION) ? u.src(0).src(0) : u.src(0);
    if (!tuple.is(Op::TUPLE)) return {};
    const int64_t i = u.arg().as_int64();
    if (i < 0 || static_cast<size_t>(i) >= tuple.src_count()) return {};
    return tuple.srcs().subspan(static_cast<size_t>(i), 1);
  }
  return kAxisOfAll.contains(u.op()) ? u.srcs() : u.srcs().subspan(0, std::min<size_t>(1, u.src_count()));
}

std::optional<int64_t> reshape_axis(UOp u, int64_t src_axis) {
  const UOp src = u.src(0);
  const Shape& from = src.shape();
  Dim acc = 1;
  Shape accumulated{acc};
  for (const Dim& d : u.marg_shape()) {
    acc = acc * d;
    accumulated.push_back(simplified(acc));
  }
  const Dim target = simplified(product(std::span(from).subspan(0, static_cast<size_t>(src_axis))));
  const auto moved = [&] {
    return GraphError(
        fmt::format("the reshape {} -> {} moves items between shards", to_string(from), to_string(u.shape())));
  };
  const auto it = std::ranges::find(accumulated.rbegin(), accumulated.rend(), target);
  if (it == accumulated.rend()) throw moved();
  const auto axis = static_cast<size_t>(accumulated.rend() - it - 1);
  int64_t count = 0;
  if (src.device().is_tuple) {
    count = static_cast<int64_t>(src.device().names.size());
    if (u.device().is_tuple) count = static_cast<int64_t>(u.device().names.size());
  } else {
    for (const UOp s : toposort(src))
      if (s.is(Op::UNSHARD)) {
        count = max_of(Dim(s.src(1))) + 1;
        break;
      }
  }
  if (count == 0 || axis >= u.shape().size() || !resolve_le(floormod(u.shape()[axis], Dim(count)), Dim(0), false))
    throw moved();
  return static_cast<int64_t>(axis);
}

std::optional<int64_t> compute_axis(UOp u) {
  const auto of = [](UOp s) { return s.cache().axis_state == 1 ? std::optional(s.rare_cache().axis) : std::nullopt; };
  switch (u.op()) {
    case Op::COPY:
      return std::nullopt;  // COPY removes the axis
    case Op::UNSHARD: {
      const auto& axes = u.arg().as_tuple();
      if (axes.size() != 1) throw GraphError("a value is sharded on several axes where one is needed");
      return axes[0].as_int64();
    }
    case Op::PARAM:
      return u.arg().as<ParamArg>().axis;
    case Op::GETTUPLE: {
      const auto s = axis_sources(u);
      return s.empty() ? std::nullopt : of(s[0]);
    }
    default:
      break;
  }
  if (kAxisOfAll.contains(u.op())) {
    // All share an axis; the last distinct one is taken. Source axes are right-aligned into the shape.
    std::vector<int64_t> axes;
    for (const UOp s : u.srcs())
      if (const auto a = of(s)) {
        const int64_t aligned = *a + static_cast<int64_t>(u.shape().size()) - static_cast<int64_t>(s.shape().size());
        if (std::ranges::find(axes, aligned) == axes.end()) axes.push_back(aligned);
      }
    return axes.empty() ? std::nullopt : std::optional(axes.back());
  }
  if (u.src_count() == 0) return std::nullopt;
  const std::optional<int64_t> a = of(u.src(0));
  if (!a) return std::nullopt;
  switch (u.op()) {
    case Op::SHRINK: {
      const auto arg = u.marg_pairs();
      const auto i = static_cast<size_t>(*a);
      if (i < arg.size() && !(arg[i].first == Dim(0) && arg[i].second == u.src(0).shape()[i])) return std::nullopt;
      return a;
    }
    case Op::REDUCE: {
      const int64_t n = u.arg().as_tuple().at(1).as_int64();
      return *a < n ? std::nullopt : std::optional(*a - n);
    }
    case Op::RESHAPE:
      return reshape_axis(u, *a);
    case Op::PERMUTE: {
      const AxisList p = u.marg_perm();
      return std::ranges::find(p, *a) - p.begin();
    }
    case Op::EXPAND:
      return *a + static_cast<int64_t>(u.marg_shape().size());
    default:
      return a;
  }
}

}  // namespace

const Device& UOp::device() const {
  if (cache().device == nullptr)
    compute_postorder(
        *this, [](UOp u) { return u.cache().device != nullptr; }, device_sources,
        [](UOp u) { u.cache().device = compute_device(u); });
  return *cache().device;
}

std::optional<AddrSpace> UOp::addrspace() const {
  if (cache().addrspace == kUnknown)
    compute_postorder(
        *this, [](UOp u) { return u.cache().addrspace != kUnknown; }, addrspace_sources,
        [](UOp u) { u.cache().addrspace = compute_addrspace(u); });
  if (cache().addrspace == 0) return std::nullopt;
  return static_cast<AddrSpace>(cache().addrspace - 1);
}

std::optional<int64_t> UOp::axis() const {
  if (cache().axis_state < 0)
    compute_postorder(
        *this, [](UOp u) { return u.cache().axis_state >= 0; }, axis_sources,
        [](UOp u) {
          const std::optional<int64_t> a = compute_axis(u);
          if (a) u.rare_cache().axis = *a;
          u.cache().axis_state = a ? 1 : 0;
        });
  if (cache().axis_state == 0) return std::nullopt;
  return rare_cache().axis;
}

std::vector<std::pair<int64_t, UOp>> UOp::sharding() const {
  std::vector<std::pair<int64_t, UOp>> out;
  if (!is(Op::UNSHARD)) return out;
  const auto& axes = arg().as_tuple();
  for (size_t i = 0; i < axes.size() && i + 1 < src_count(); ++i) out.emplace_back(axes[i].as_int64(), src(i + 1));
  return out;
}

Shape UOp::shard_shape() const {
  Shape out = shape();
  if (!device().is_tuple) return out;
  const std::optional<int64_t> a = axis();
  if (!a) return out;
  const int64_t count = is(Op::UNSHARD) ? max_of(Dim(src(1))) + 1 : static_cast<int64_t>(device().names.size());
  if (static_cast<size_t>(*a) < out.size())
    out[static_cast<size_t>(*a)] = floordiv(out[static_cast<size_t>(*a)], Dim(count));
  return out;
}

std::vector<int64_t> UOp::max_shard_shape() const {
  std::vector<int64_t> out;
  for (const Dim& d : shard_shape()) out.push_back(max_of(d));
  return out;
}

UOp UOp::base() const {
  UOp u = *this;
  while (u.in(groups::Movement) || u.is(Op::DETACH)) u = u.src(0);
  return u;
}

UOp UOp::unsharded_base() const {
  return in(groups::Movement) || is(Op::DETACH) || is(Op::UNSHARD) ? src(0).base() : *this;
}

UOp UOp::without_after() const {
  return is(Op::AFTER) ? src(0) : *this;
}

namespace {

constexpr OpSet kMulti{Op::MSELECT, Op::MSTACK};
constexpr OpSet kBufferEnds = groups::Defines | kMulti;

bool stands_for_after(UOp u) {
  return !u.in(kBufferEnds) && u.base().is(Op::AFTER);
}

// Where the node stands neither for an AFTER nor for several values.
UOp buffer_down_first_sources(UOp u) {
  while (u.src_count() > 0 && !u.in({Op::BUFFER, Op::PARAM, Op::STAGE, Op::MSTACK})) u = u.src(0);
  return u;
}

// MSELECT and MSTACK keep their place above the buffers that they choose from.
UOp buffers_of_several(UOp root) {
  std::unordered_map<uint32_t, UOp> known;
  const auto of = [&](UOp u) { return known.at(u.id()); };
  compute_postorder(
      root, [&](UOp u) { return known.contains(u.id()); },
      [](UOp u) -> std::span<const UOp> {
        if (u.is(Op::MSTACK)) return u.srcs();
        const UOp user = u.is(Op::MSELECT) ? u : stands_for_after(u) ? u.base() : UOp();
        return user && user.src_count() > 0 ? user.srcs().first(1) : std::span<const UOp>();
      },
      [&](UOp u) {
        UOp buffer;
        if (u.is(Op::MSELECT)) {
          buffer = u.store().make(Op::MSELECT, {of(u.src(0))}, u.arg());
        } else if (u.is(Op::MSTACK)) {
          UOps each;
          for (const UOp s : u.srcs()) each.push_back(of(s));
          buffer = u.store().make(Op::MSTACK, each);
        } else {
          buffer = stands_for_after(u) ? of(u.base().src(0)).base() : buffer_down_first_sources(u);
        }
        known.emplace(u.id(), buffer);
      });
  return of(root);
}

}  // namespace

UOp UOp::buf_uop() const {
  UOp u = *this;
  while (stands_for_after(u)) u = u.base().src(0);
  const UOp buffer = u.in(kMulti) ? buffers_of_several(u) : buffer_down_first_sources(u);
  return u == *this ? buffer : buffer.base();
}

bool UOp::has_buffer_identity(bool after_ok) const {
  UOp u = *this;
  while (u.in({Op::RESHAPE, Op::UNSHARD, Op::MSELECT}) || (after_ok && u.is(Op::AFTER))) u = u.src(0);
  return u.is(Op::BUFFER) || u.is(Op::PARAM);
}

bool UOp::is_virtual() const {
  return device().is_none() || is_weak();
}

bool UOp::is_variable() const {
  if (!is(Op::BUFFER)) return false;
  const auto* p = arg().get_if<ParamArg>();
  if (p == nullptr || !p->bounds || p->addrspace != AddrSpace::ALU) return false;
  const Shape* s = shape_or_null();
  return s != nullptr && s->empty();
}

bool UOp::is_bound_var() const {
  return is(Op::AFTER) && src(0).is_variable() && src_count() == 2 && src(1).is(Op::STORE) && src(1).src(0) == src(0) &&
         src(1).src(1).is_const();
}

const std::string& UOp::expr() const {
  const auto& name = arg().as<ParamArg>().name;
  if (!name) throw GraphError(fmt::format("{} (node {}) has no name", op_name(op()), id()));
  return *name;
}

}  // namespace rangescope
