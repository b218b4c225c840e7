// Building nodes with the reference's operators (mixin/elementwise.py, uop/ops.py): operands are promoted to their
// least upper dtype, bare weak constants stay weak.

#include <algorithm>

#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/ir/scalar_alu.h"
#include "engine/ir/store.h"
#include "engine/ir/uop.h"

namespace rangescope {

// ** leaves

UOp Store::constant(const Scalar& value) {
  if (value.is_int()) {
    const std::optional<int64_t> small = value.as_int().to_int64();
    const auto at = static_cast<uint64_t>(small.value_or(INT64_MAX)) - static_cast<uint64_t>(kFirstSmallConstant);
    if (at < kSmallConstants) {
      UOp& known = small_constants_[at];
      if (!known) known = make(Op::CONST, DType::weakint, std::span<const UOp>{}, Arg(value));
      return known;
    }
  }
  return make(Op::CONST, dtype_of(value), std::span<const UOp>{}, Arg(value));
}
UOp Store::constant(const Scalar& value, DType dtype) {
  if (value.is_invalid() || (dtype == DType::weakint && value.is_int())) return constant(value);
  return make(Op::CONST, dtype, std::span<const UOp>{}, Arg(dtype_const(dtype, value)));
}
UOp Store::invalid() {
  return constant(Scalar::invalid());
}

UOp Store::range(const Dim& end, std::span<const int64_t> ids, AxisType type, DType dtype, std::span<const UOp> more) {
  UOps srcs{end.sym ? (end.sym.dtype() == dtype ? end.sym : end.sym.cast(dtype)) : constant(Scalar(end.value), dtype)};
  srcs.insert(srcs.end(), more.begin(), more.end());
  Arg::Tuple arg;
  for (const int64_t id : ids) arg.emplace_back(id);
  arg.emplace_back(type);
  return make(Op::RANGE, srcs, Arg(std::move(arg)));
}

UOp Store::special(const Dim& end, const std::string& name, DType dtype) {
  return make(Op::SPECIAL, {end.sym ? end.sym.cast(dtype) : constant(Scalar(end.value), dtype)}, Arg(name));
}

UOp Store::variable(const std::string& name, const Scalar& min, const Scalar& max, DType dtype, bool param,
                    const Int& multiple_of) {
  ParamArg p;
  p.slot = -1;
  p.dtype = dtype;
  p.bounds = {min, max};
  p.multiple_of = multiple_of;
  p.name = name;
  p.addrspace = AddrSpace::ALU;
  return make(param ? Op::PARAM : Op::BUFFER, {shape_arg({})}, Arg(std::move(p)));
}

UOp Store::group(std::span<const UOp> srcs) {
  return srcs.size() == 1 ? srcs[0] : make(Op::GROUP, srcs);
}

UOp Store::stack(std::span<const UOp> srcs) {
  if (srcs.empty()) throw GraphError("cannot stack no values");
  return srcs[0].stack(srcs.subspan(1));
}

UOp Store::shape_arg(std::span<const Dim> shape) {
  UOps srcs;
  for (const Dim& d : shape) {
    srcs.push_back(dim(d));
    if (!is_int(srcs.back().dtype())) throw GraphError("a shape must be made of integers");
  }
  return srcs.size() == 1 ? srcs[0] : make(Op::STACK, srcs);
}

// ** promotion

namespace {

UOp promote(UOp t, DType to) {
  const UOp b = t.base();
  if (b.is_invalid()) return t;  // invalid is a weak constant of dtype bool
  if (t.is_weak() && b.is_const()) return t.const_like(b.val(), weak_dtype(to));
  return t.cast(to);
}

std::pair<UOp, UOp> broadcasted(UOp x, UOp y) {
  if (x.dtype() == y.dtype() && !x.is_weak()) return {x, y};  // nothing to promote
  const DType to = least_upper_dtype(x.dtype(), y.dtype());
  return {promote(x, to), promote(y, to)};
}

}  // namespace

UOp binop(Op op, UOp x, UOp y) {
  const auto [a, b] = broadcasted(x, y);
  return a.alu(op, b);
}
UOp binop(Op op, UOp x, const Scalar& y) {
  return binop(op, x, x.ufix(y));
}
UOp binop(Op op, const Scalar& x, UOp y) {
  return binop(op, y.ufix(x), y);
}

UOp operator+(UOp x, UOp y) {
  return binop(Op::ADD, x, y);
}
UOp operator+(UOp x, const Scalar& y) {
  return binop(Op::ADD, x, y);
}
UOp operator*(UOp x, UOp y) {
  return binop(Op::MUL, x, y);
}
UOp operator*(UOp x, const Scalar& y) {
  return binop(Op::MUL, x, y);
}
UOp operator&(UOp x, UOp y) {
  return binop(Op::AND, x, y);
}
UOp operator|(UOp x, UOp y) {
  return binop(Op::OR, x, y);
}
UOp operator^(UOp x, UOp y) {
  return binop(Op::XOR, x, y);
}
UOp operator<<(UOp x, const Scalar& y) {
  return binop(Op::SHL, x, y);
}
UOp operator>>(UOp x, const Scalar& y) {
  return binop(Op::SHR, x, y);
}
UOp lt(UOp x, UOp y) {
  return binop(Op::CMPLT, x, y);
}
UOp lt(UOp x, const Scalar& y) {
  return binop(Op::CMPLT, x, y);
}
UOp gt(UOp x, UOp y) {
  return binop(Op::CMPLT, y, x);
}
UOp gt(UOp x, const Scalar& y) {
  return binop(Op::CMPLT, y, x);
}
UOp ge(UOp x, UOp y) {
  return lt(x, y).logical_not();
}
UOp ge(UOp x, const Scalar& y) {
  return lt(x, y).logical_not();
}
UOp le(UOp x, UOp y) {
  return gt(x, y).logical_not();
}
UOp le(UOp x, const Scalar& y) {
  return gt(x, y).logical_not();
}
UOp operator-(UOp x) {
  return x.neg();
}

UOp operator-(UOp x, UOp y) {
  // alu on the promoted operands: a second promotion would cast the negated constant
  const auto [a, b] = broadcasted(x, y);
  return a.alu(Op::ADD, b.neg());
}
UOp operator-(UOp x, const Scalar& y) {
  return x - x.ufix(y);
}
UOp operator-(const Scalar& x, UOp y) {
  return y.ufix(x) - y;
}

namespace {
UOp true_division(UOp a, UOp b) {
  if (is_int(a.dtype()) || a.dtype() == DType::bool_) a = a.cast(dtypes::default_float);
  return a.alu(Op::MUL, b.reciprocal());
}
UOp floor_of(UOp x) {
  const UOp t = x.trunc();
  return lt(x, t).where(t - Scalar(1), t);
}
}  // namespace

UOp UOp::div(UOp y) const {
  const auto [a, b] = broadcasted(*this, y);
  return true_division(a, b);
}

UOp floordiv(UOp x, UOp y) {
  const auto [a, b] = broadcasted(x, y);
  if (is_int(a.dtype()) && is_int(b.dtype())) return a.alu(Op::FLOORDIV, b);
  return floor_of(true_division(a, b));
}
UOp floordiv(UOp x, const Scalar& y) {
  return floordiv(x, x.ufix(y));
}

UOp operator%(UOp x, UOp y) {
  const auto [a, b] = broadcasted(x, y);
  if (is_int(a.dtype()) && is_int(b.dtype())) return a.alu(Op::FLOORMOD, b);
  return a - floordiv(a, b) * b;
}
UOp operator%(UOp x, const Scalar& y) {
  return x % x.ufix(y);
}

// ** operators with one operand, selection

UOp UOp::alu(Op op, std::initializer_list<UOp> more) const {
  UOp all[4];
  RS_CHECK(more.size() < 4, "an ALU op has at most four sources");
  all[0] = *this;
  std::ranges::copy(more, all + 1);
  return store().make(op, std::span<const UOp>(all, more.size() + 1));
}

UOp UOp::cast(DType to) const {
  return dtype() == to ? *this : store().make(Op::CAST, {*this}, Arg(to));
}

UOp UOp::bitcast(DType to) const {
  if (is_weak() || rangescope::is_weak(to)) throw GraphError("a bitcast needs concrete dtypes");
  return dtype() == to ? *this : store().make(Op::BITCAST, {*this}, Arg(to));
}

UOp UOp::logical_not() const {
  return cast(DType::bool_).ne(Scalar(true));
}
UOp UOp::ne(UOp y) const {
  return binop(Op::CMPNE, *this, y);
}
UOp UOp::ne(const Scalar& y) const {
  return binop(Op::CMPNE, *this, y);
}
UOp UOp::eq(UOp y) const {
  return ne(y).logical_not();
}
UOp UOp::eq(const Scalar& y) const {
  return ne(y).logical_not();
}
UOp UOp::neg() const {
  return dtype() == DType::bool_ ? logical_not() : *this * Scalar(-1);
}
UOp UOp::maximum(UOp y) const {
  return binop(Op::MAX, *this, y);
}

UOp UOp::minimum(UOp y) const {
  const auto [t, x] = broadcasted(*this, y);
  const DType dt = least_upper_dtype(t.dtype(), x.dtype());
  if (is_float(dt)) return -((-t).alu(Op::MAX, -x));
  const Scalar k = dtype_const(dt, exec_alu(Op::ADD, dt, {dtype_min(dt), dtype_max(dt)}, false));
  return binop(Op::XOR, binop(Op::XOR, t, k).alu(Op::MAX, binop(Op::XOR, x, k)), k);
}

UOp UOp::where(UOp t, UOp f) const {
  const auto [a, b] = broadcasted(t, f);
  return alu(Op::WHERE, {a, b});
}
UOp UOp::where(UOp t, const Scalar& f) const {
  return where(t, t.ufix(f));
}
UOp UOp::where(const Scalar& t, UOp f) const {
  return where(f.ufix(t), f);
}

UOp UOp::usum(std::span<const UOp> more) const {
  UOp r = *this;
  for (const UOp u : more) r = dtype() == DType::bool_ ? r | u : r + u;
  return r;
}
UOp UOp::uprod(std::span<const UOp> more) const {
  UOp r = *this;
  for (const UOp u : more) r = dtype() == DType::bool_ ? r & u : r * u;
  return r;
}

// ** constants shaped like a node

UOp UOp::const_like(const Scalar& value) const {
  return const_like(value, dtype());
}
UOp UOp::const_like(const Scalar& value, DType dt) const {
  const UOp c = store().constant(value, dt);
  const Shape* s = shape_or_null();
  return s != nullptr && !s->empty() ? c.mop(Op::EXPAND, std::span<const Dim>(*s)) : c;
}
UOp UOp::vconst_like(const Scalar& value) const {
  return store().constant(value, dtype()).broadcast(max_numel());
}
UOp UOp::ufix(const Scalar& value) const {
  return store().constant(value);
}

UOp UOp::broadcast(int64_t count) const {
  if (count == 1) return *this;
  return store().make(Op::STACK, UOps(static_cast<size_t>(count), *this));
}

// ** index validity

UOp UOp::valid(UOp cond) const {
  return cond.where(*this, const_like(Scalar::invalid()));
}

UOp UOp::get_idx() const {
  if (is(Op::STACK)) {
    UOps parts;
    for (const UOp s : srcs()) parts.push_back(s.get_idx());
    return store().stack(parts);
  }
  return is(Op::WHERE) && src(2).is_invalid() ? src(1) : *this;
}

UOp UOp::get_valid() const {
  if (is(Op::STACK)) {
    UOps parts;
    for (const UOp s : srcs()) parts.push_back(s.get_valid());
    return store().stack(parts);
  }
  return is(Op::WHERE) && src(2).is_invalid() ? src(0) : store().constant(Scalar(!is_invalid()));
}

// ** memory, control

UOp UOp::index(std::span<const UOp> idx, const Arg& arg) const {
  if (idx.size() == 1 && idx[0].is_const() && is(Op::STACK)) {
    const std::optional<int64_t> i = idx[0].val().is_integral() ? idx[0].val().as_int().to_int64() : std::nullopt;
    const auto n = static_cast<int64_t>(src_count());
    if (!i || *i < -n || *i >= n) throw GraphError("a constant index is outside its STACK");
    return src(static_cast<size_t>(*i < 0 ? *i + n : *i));
  }
  UOps all{*this};
  all.insert(all.end(), idx.begin(), idx.end());
  return store().make(Op::INDEX, all, arg);
}

UOp UOp::load(std::initializer_list<UOp> more) const {
  UOps all{*this};
  all.insert(all.end(), more.begin(), more.end());
  return store().make(Op::LOAD, all);
}

UOp UOp::store_value(UOp value, UOp gate) const {
  return gate ? store().make(Op::STORE, {*this, value, gate}) : store().make(Op::STORE, {*this, value});
}

UOp UOp::end(std::span<const UOp> ranges) const {
  if (ranges.empty()) return *this;
  UOps all{*this};
  all.insert(all.end(), ranges.begin(), ranges.end());
  return store().make(Op::END, all);
}

UOp UOp::after(std::span<const UOp> deps) const {
  if (deps.empty()) return *this;
  UOps all{*this};
  all.insert(all.end(), deps.begin(), deps.end());
  return store().make(Op::AFTER, all);
}

UOp UOp::reduce_op(std::span<const UOp> ranges, Op op) const {
  UOps all{*this};
  all.insert(all.end(), ranges.begin(), ranges.end());
  return store().make(Op::REDUCE, all, Arg(Arg::Tuple{Arg(op), Arg(0)}));
}

UOp UOp::bufferize(std::span<const UOp> ranges, const StageArg& arg) const {
  UOps all{*this};
  all.insert(all.end(), ranges.begin(), ranges.end());
  return store().make(Op::STAGE, all, Arg(arg));
}

UOp UOp::sink(const Arg& arg) const {
  return store().make(Op::SINK, {*this}, arg);
}

UOp UOp::contiguous(const Arg& arg) const {
  if (is_weak() || is(Op::CONTIGUOUS) || device().is_none() || has_buffer_identity()) return *this;
  return store().make(Op::CONTIGUOUS, {*this}, arg);
}

}  // namespace rangescope
