// Shapes of nodes (reference: uop/ops.py, UOp._shape).

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/ir/postorder.h"
#include "engine/ir/store.h"
#include "engine/ir/uop.h"

namespace rangescope {

namespace {

constexpr OpSet kNoShape{Op::IF,       Op::BARRIER,         Op::SINK,     Op::REWRITE_ERROR, Op::ENDIF,
                         Op::GROUP,    Op::LINEAR,          Op::PROGRAM,  Op::SOURCE,        Op::TUPLE,
                         Op::FUNCTION, Op::CUSTOM_FUNCTION, Op::PYLITERAL};
constexpr OpSet kScalar{Op::CONST, Op::GETADDR, Op::RANGE, Op::SPECIAL};
constexpr OpSet kPassThrough{Op::MSTACK, Op::MSELECT, Op::DETACH, Op::CONTIGUOUS, Op::CONTIGUOUS_BACKWARD,
                             Op::AFTER,  Op::LOAD,    Op::COPY,   Op::ALLREDUCE,  Op::STORE,
                             Op::END};

const Shape& need_shape(UOp user, UOp source) {
  if (const Shape* s = source.shape_or_null()) return *s;
  throw GraphError(fmt::format("{} (node {}) needs a shape, its source {} has none", op_name(user.op()), user.id(),
                               op_name(source.op())));
}

Shape index_shape(UOp u) {
  Shape out;
  const auto idx = u.srcs().subspan(1);
  for (const UOp s : idx) {
    const Shape& is = need_shape(u, s);
    out.insert(out.end(), is.begin(), is.end());
  }
  const Shape& buf = need_shape(u, u.src(0));
  if (idx.size() < buf.size()) out.insert(out.end(), buf.begin() + static_cast<std::ptrdiff_t>(idx.size()), buf.end());
  return out;
}

std::optional<Shape> gettuple_shape(UOp u) {
  const UOp through = u.src(0);
  const UOp tuple = through.is(Op::FUNCTION) ? through.src(0) : through;
  if (!tuple.is(Op::TUPLE)) throw GraphError("GETTUPLE needs a TUPLE or a FUNCTION as its source");
  const Shape* inner = tuple.src(static_cast<size_t>(u.arg().as_int64())).shape_or_null();
  if (inner == nullptr) return std::nullopt;
  Shape out = *inner;
  if (through.is(Op::FUNCTION))
    for (Dim& d : out)
      if (d.sym) {
        if (u.store().resolve_params_hook == nullptr)
          throw GraphError(
              "a function here has a symbolic shape, and the store has no resolver: make it with symbolic::make_store");
        d = u.store().resolve_params_hook(d.sym, through.srcs().subspan(1));
      }
  return out;
}

std::optional<Shape> bitcast_shape(UOp u) {
  const Shape* ps = u.src(0).shape_or_null();
  if (ps == nullptr) return std::nullopt;
  Shape out = *ps;
  const int64_t to = itemsize(u.dtype()), from = itemsize(u.src(0).dtype());
  if (to == from || out.empty() || to == 0) return out;
  const Dim bytes = out.back() * Dim(from);
  if (bytes.is_int() && bytes.value % to != 0)
    throw GraphError(
        fmt::format("a bitcast of {} to {} does not divide the last axis", to_string(*ps), dtype_name(u.dtype())));
  out.back() = simplified(floordiv(bytes, Dim(to)));
  return out;
}

Shape pad_or_shrink_shape(UOp u, const Shape& ps) {
  const auto arg = u.marg_pairs();
  bool ok = ps.size() == arg.size();
  for (size_t i = 0; ok && i < ps.size(); ++i) {
    const auto& [offset, size] = arg[i];
    ok = u.is(Op::PAD) ? resolve_ge(size, Dim(0)) && resolve_le(Dim(0), offset) && resolve_le(offset + ps[i], size)
                       : resolve_le(Dim(0), offset) && resolve_ge(size, Dim(0)) && resolve_le(offset + size, ps[i]);
  }
  if (!ok)
    throw GraphError(fmt::format("{} (node {}) does not fit the shape {}", op_name(u.op()), u.id(), to_string(ps)));
  Shape out;
  for (const auto& [offset, size] : arg) out.push_back(simplified(size));
  return out;
}

Shape unshard_shape(UOp u, const Shape& ps) {
  Shape out = ps;
  const auto& axes = u.arg().as_tuple();
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = axes[i].as_int64();
    if (axis < 0 || static_cast<size_t>(axis) >= out.size())
      throw GraphError("UNSHARD names an axis that its source does not have");
    out[static_cast<size_t>(axis)] = out[static_cast<size_t>(axis)] * (Dim(max_of(Dim(u.src(i + 1)))) + Dim(1));
  }
  return out;
}

Shape movement_shape(UOp u) {
  const Shape& ps = need_shape(u, u.src(0));
  switch (u.op()) {
    case Op::RESHAPE: {
      const Shape& to = u.marg_shape();
      for (const Dim& d : to)
        if (!(d.is_int() ? d.value >= 0 : resolve_ge(d, Dim(0))))
          throw GraphError("a shape cannot hold negative numbers: " + to_string(to));
      if (!must_be_equal(product(ps), product(to)))
        throw GraphError(fmt::format("cannot reshape {} to {} (node {}): the number of elements differs", to_string(ps),
                                     to_string(to), u.id()));
      return to;
    }
    case Op::EXPAND: {
      Shape out = u.marg_shape();
      out.insert(out.end(), ps.begin(), ps.end());
      return out;
    }
    case Op::PERMUTE: {
      const AxisList perm = u.marg_perm();
      AxisList sorted = perm, all(ps.size());
      std::ranges::sort(sorted);
      std::iota(all.begin(), all.end(), 0);
      if (sorted != all)
        throw GraphError(fmt::format("PERMUTE (node {}) is no permutation of {} axes", u.id(), ps.size()));
      Shape out;
      for (const int64_t p : perm) out.push_back(ps[static_cast<size_t>(p)]);
      return out;
    }
    case Op::PAD:
    case Op::SHRINK:
      return pad_or_shrink_shape(u, ps);
    case Op::FLIP:
      if (u.marg_flip().size() != ps.size())
        throw GraphError(fmt::format("FLIP (node {}) needs one bool an axis of {}", u.id(), to_string(ps)));
      return ps;
    case Op::UNSHARD:
      return unshard_shape(u, ps);
    default: {  // REDUCE
      const int64_t axes = u.arg().as_tuple().at(1).as_int64();
      if (axes < 0 || static_cast<size_t>(axes) > ps.size())
        throw GraphError(fmt::format("REDUCE (node {}) over {} axes of the shape {}", u.id(), axes, to_string(ps)));
      return Shape(ps.begin() + axes, ps.end());
    }
  }
}

// Most nodes have the shape of a source, which is interned already. Null: this one's is to be computed.
const Shape* source_shape(UOp u) {
  if (u.src_count() == 0) return nullptr;
  const Shape* first = u.src(0).cache().shape;
  if (kPassThrough.contains(u.op()) || groups::Unary.contains(u.op()) || u.is(Op::CAST)) return first;
  if (!groups::Broadcastable.contains(u.op())) return nullptr;
  const auto same = [first](UOp s) { return s.cache().shape == first; };
  return std::ranges::all_of(u.srcs(), same) ? first : nullptr;
}

Shape elementwise_shape(UOp u) {
  if (u.src_count() == 0) throw GraphError(fmt::format("{} has no sources", op_name(u.op())));
  SmallVector<const Shape*, 4> shapes;
  for (const UOp s : u.srcs()) shapes.push_back(&need_shape(u, s));
  return broadcast_shape(shapes);
}

std::optional<Shape> compute_shape(UOp u) {
  const Op op = u.op();
  if (kNoShape.contains(op)) return std::nullopt;
  if (kScalar.contains(op)) return Shape{};
  if (kPassThrough.contains(op)) {
    const Shape* s = u.src(0).shape_or_null();
    return s == nullptr ? std::nullopt : std::optional(*s);
  }
  switch (op) {
    case Op::CALL:
    case Op::INS:
      return u.dtype() == DType::void_ ? std::nullopt : std::optional(Shape{});
    case Op::NOOP: {
      const Shape* s = u.src_count() > 0 ? u.src(0).shape_or_null() : nullptr;
      return s == nullptr ? std::nullopt : std::optional(*s);
    }
    case Op::RESHAPE:
      if (u.src(0).is(Op::NOOP)) return u.marg_shape();
      break;
    case Op::GETTUPLE:
      return gettuple_shape(u);
    case Op::INDEX:
      return index_shape(u);
    case Op::STACK: {
      if (u.src_count() == 0) return Shape{};
      Shape out{Dim(static_cast<int64_t>(u.src_count()))};
      const Shape& inner = need_shape(u, u.src(0));
      out.insert(out.end(), inner.begin(), inner.end());
      return out;
    }
    case Op::BINARY:
      return Shape{Dim(static_cast<int64_t>(u.arg().as<Bytes>().data.size()))};
    case Op::BUFFER:
      return u.src_count() > 0 ? u.src(0).as_shape() : Shape{};
    case Op::PARAM:
      return u.src(0).as_shape();
    case Op::CUSTOM:
    case Op::CUSTOMI: {
      if (u.dtype() == DType::void_) return std::nullopt;
      std::vector<const Shape*> shapes;
      for (const UOp s : u.srcs())
        if (const Shape* is = s.shape_or_null()) shapes.push_back(is);
      return shapes.empty() ? std::nullopt : std::optional(broadcast_shape(shapes));
    }
    case Op::STAGE: {
      Shape out;
      for (const UOp r : u.srcs().subspan(1)) out.push_back(Dim(max_of(Dim(r))) + Dim(1));
      const Shape& inner = need_shape(u, u.src(0));
      out.insert(out.end(), inner.begin(), inner.end());
      return out;
    }
    case Op::WMMA: {
      Shape heads[3];
      for (size_t i = 0; i < 3; ++i) {
        heads[i] = need_shape(u, u.src(i));
        if (heads[i].empty()) throw GraphError("WMMA needs sources with an axis");
        heads[i].pop_back();
      }
      const Shape* const all[3] = {&heads[0], &heads[1], &heads[2]};
      Shape out = broadcast_shape(all);
      out.push_back(u.src(2).shape().back());
      return out;
    }
    case Op::BITCAST:
      return bitcast_shape(u);
    case Op::UNSHARD:
      if (u.src_count() == 0) return std::nullopt;
      break;
    default:
      break;
  }
  if (groups::Movement.contains(op) || op == Op::UNSHARD || op == Op::REDUCE) return movement_shape(u);
  if (groups::Unary.contains(op) || op == Op::CAST) {
    const Shape* s = u.src(0).shape_or_null();
    return s == nullptr ? std::nullopt : std::optional(*s);
  }
  if (groups::Broadcastable.contains(op)) return elementwise_shape(u);
  throw GraphError(fmt::format("no shape is known for {}", op_name(op)));
}

}  // namespace

const Shape* UOp::shape_or_null() const {
  if (!cache().has_shape) {
    compute_postorder(
        *this, [](UOp u) { return u.cache().has_shape; }, [](UOp u) { return u.srcs(); },
        [](UOp u) {
          const Shape* kept = source_shape(u);
          if (kept == nullptr)
            if (std::optional<Shape> s = compute_shape(u)) kept = u.store().intern(std::move(*s));
          u.cache().shape = kept;
          u.cache().has_shape = true;
        });
  }
  return cache().shape;
}

const Shape& UOp::shape() const {
  if (const Shape* s = shape_or_null()) return *s;
  throw GraphError(fmt::format("{} (node {}) has no shape", op_name(op()), id()));
}

std::vector<int64_t> UOp::max_shape() const {
  std::vector<int64_t> out;
  for (const Dim& d : shape()) out.push_back(max_of(d));
  return out;
}

Dim UOp::numel() const {
  return product(shape());
}

int64_t UOp::max_numel() const {
  Dim n = 1;
  for (const int64_t s : max_shape()) n = n * Dim(s);
  return n.value;
}

const Shape& UOp::as_shape() const {
  const Shape*& known = rare_cache().as_shape;
  if (known != nullptr) return *known;
  const auto one = [](UOp u) -> Dim {
    if (!u.is_const() || u.is_invalid()) return u.ssimplify();
    const Scalar& v = u.val();
    const std::optional<int64_t> i = v.is_int() || v.is_bool() ? v.as_int().to_int64() : std::nullopt;
    if (!i) throw GraphError("a dimension is no integer that fits 64 bits");
    return Dim(*i);
  };
  Shape out;
  if (is(Op::STACK))
    for (const UOp s : srcs()) out.push_back(one(s));
  else
    out.push_back(one(*this));
  known = store().intern(std::move(out));
  return *known;
}

const Shape& UOp::marg_shape() const {
  return src(1).as_shape();
}

std::vector<std::pair<Dim, Dim>> UOp::marg_pairs() const {
  const Shape &a = src(1).as_shape(), &b = src(2).as_shape();
  std::vector<std::pair<Dim, Dim>> out;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) out.emplace_back(a[i], b[i]);
  return out;
}

AxisList UOp::marg_perm() const {
  AxisList out;
  for (const Arg& a : arg().as_tuple()) out.push_back(a.as_int64());
  return out;
}

std::vector<bool> UOp::marg_flip() const {
  std::vector<bool> out;
  for (const Arg& a : arg().as_tuple()) {
    const auto& v = a.as<Scalar>();
    if (!v.is_bool()) throw GraphError("FLIP needs one bool an axis");
    out.push_back(v.truthy());
  }
  return out;
}

}  // namespace rangescope
