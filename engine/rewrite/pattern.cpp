#include "engine/rewrite/pattern.h"

#include <fmt/format.h>

#include "engine/ir/error.h"

namespace rangescope {

namespace {

const Pat& anything() {
  static const Pat any{PatternNode{}};
  return any;
}

PatternNode node_with_sources(OpSet ops, Sources mode, std::initializer_list<Pat> src) {
  PatternNode n;
  n.ops = ops;
  n.sources = mode;
  n.src = src;
  return n;
}

Pat number(const Scalar& v) {
  return cnst(v);
}

// UPat.alu: comparisons give bool, any other op has the dtype constraint of its last source; commutative sources come
// in any order.
Pat binary(Op op, const Pat& a, const Pat& b) {
  return a.alu(op, {b});
}

bool has_exactly(const Pat& p, DTypeSet dtypes) {
  return p.node().dtypes == dtypes;
}

}  // namespace

Pat::Pat() : node_(anything().node_) {}

Pat Pat::named(CaptureId name) const {
  PatternNode n = node();
  n.name = name;
  return Pat(std::move(n));
}
Pat Pat::any_length() const {
  PatternNode n = node();
  n.any_length = true;
  return Pat(std::move(n));
}
Pat Pat::with_arg(const Arg& arg) const {
  PatternNode n = node();
  n.arg = arg;
  return Pat(std::move(n));
}
Pat Pat::with_dtype(DTypeSet dtypes) const {
  PatternNode n = node();
  n.dtypes = dtypes;
  return Pat(std::move(n));
}
Pat Pat::early_reject(OpSet ops) const {
  PatternNode n = node();
  n.early_reject = ops;
  return Pat(std::move(n));
}
Pat Pat::tagged(std::vector<Arg> tags) const {
  PatternNode n = node();
  n.tags = std::move(tags);
  return Pat(std::move(n));
}

Pat Pat::f(Op op) const {
  return pat(op, {*this});
}
Pat Pat::cast() const {
  return pat(Op::CAST, {*this});
}
Pat Pat::cast(DTypeSet dtypes) const {
  if (dtypes.size() == 1 && has_exactly(*this, dtypes)) return *this;
  return pat(Op::CAST, {*this}).with_dtype(dtypes);
}
Pat Pat::bitcast() const {
  return pat(Op::BITCAST, {*this});
}
Pat Pat::load() const {
  return pat(Op::LOAD, {*this});
}
Pat Pat::store(const Pat& value) const {
  return pat(Op::STORE, {*this, value});
}
Pat Pat::index(std::initializer_list<Pat> idx) const {
  PatternNode n = node_with_sources(Op::INDEX, Sources::Exact, {*this});
  n.src.insert(n.src.end(), idx.begin(), idx.end());
  return Pat(std::move(n));
}
Pat Pat::after(std::initializer_list<Pat> deps) const {
  PatternNode n = node_with_sources(Op::AFTER, Sources::Exact, {*this});
  n.src.insert(n.src.end(), deps.begin(), deps.end());
  n.dtypes = node().dtypes;
  return Pat(std::move(n));
}
Pat Pat::end() const {
  return pat(Op::END, {*this});
}
Pat Pat::broadcast() const {
  PatternNode n = pat_repeated(Op::STACK, *this).node();
  n.dtypes = node().dtypes;
  return Pat(std::move(n));
}
Pat Pat::reduce() const {
  PatternNode n = node_with_sources(Op::REDUCE, Sources::Exact, {*this});
  n.dtypes = node().dtypes;
  return Pat(std::move(n));
}
Pat Pat::or_casted() const {
  return any_of({*this, pat(Op::CAST, {*this})});
}
Pat Pat::or_casted(CaptureId name) const {
  return any_of({named(name), pat(Op::CAST, {*this}).named(name)});
}
Pat Pat::or_after() const {
  return any_of({*this, pat_any_length(Op::AFTER, {*this})});
}
Pat Pat::or_after(CaptureId name) const {
  return any_of({named(name), pat_any_length(Op::AFTER, {*this}).named(name)});
}
Pat Pat::where(const Pat& t, const Pat& f) const {
  return alu(Op::WHERE, {t, f});
}
Pat Pat::ne(const Pat& y) const {
  return binary(Op::CMPNE, *this, y);
}
Pat Pat::logical_not() const {
  return cast(DType::bool_).ne(number(Scalar(true)));
}
Pat Pat::maximum(const Pat& y) const {
  return binary(Op::MAX, *this, y);
}
Pat Pat::trunc() const {
  return alu(Op::TRUNC, {});
}
Pat Pat::reciprocal() const {
  return alu(Op::RECIPROCAL, {});
}

Pat Pat::alu(Op op, std::initializer_list<Pat> more) const {
  PatternNode n;
  n.ops = op;
  n.sources = groups::Commutative.contains(op) ? Sources::Permuted : Sources::Exact;
  n.src.push_back(*this);
  n.src.insert(n.src.end(), more.begin(), more.end());
  if (op == Op::CMPLT || op == Op::CMPNE)
    n.dtypes = DTypeSet(DType::bool_);
  else
    n.dtypes = n.src.back().node().dtypes;
  return Pat(std::move(n));
}

Pat var(std::optional<CaptureId> name, std::optional<DTypeSet> dtypes) {
  PatternNode n;
  n.name = name;
  n.dtypes = dtypes;
  return Pat(std::move(n));
}
Pat cvar(std::optional<CaptureId> name, std::optional<DTypeSet> dtypes) {
  PatternNode n = var(name, dtypes).node();
  n.ops = Op::CONST;
  return Pat(std::move(n));
}
Pat cnst(const Scalar& value, std::optional<DTypeSet> dtypes) {
  return cvar(std::nullopt, dtypes).with_arg(Arg(value));
}
Pat any_of(std::initializer_list<Pat> alternatives) {
  return Pat(node_with_sources({}, Sources::AnyOf, alternatives));
}

Pat pat(OpSet ops) {
  return Pat(node_with_sources(ops, Sources::Any, {}));
}
Pat pat(OpSet ops, std::initializer_list<Pat> src) {
  return Pat(node_with_sources(ops, Sources::Exact, src));
}
Pat pat_any_length(OpSet ops, std::initializer_list<Pat> src) {
  return pat(ops, src).any_length();
}
Pat pat_repeated(OpSet ops, const Pat& each) {
  return Pat(node_with_sources(ops, Sources::Repeated, {each}));
}
Pat pat_permuted(OpSet ops, std::initializer_list<Pat> src) {
  return Pat(node_with_sources(ops, Sources::Permuted, src));
}

Pat operator+(const Pat& a, const Pat& b) {
  return binary(Op::ADD, a, b);
}
Pat operator*(const Pat& a, const Pat& b) {
  return binary(Op::MUL, a, b);
}
Pat operator/(const Pat& a, const Pat& b) {
  return binary(Op::MUL, a, b.reciprocal());
}
Pat operator%(const Pat& a, const Pat& b) {
  return binary(Op::FLOORMOD, a, b);
}
Pat operator&(const Pat& a, const Pat& b) {
  return binary(Op::AND, a, b);
}
Pat operator|(const Pat& a, const Pat& b) {
  return binary(Op::OR, a, b);
}
Pat operator^(const Pat& a, const Pat& b) {
  return binary(Op::XOR, a, b);
}
Pat operator<(const Pat& a, const Pat& b) {
  return binary(Op::CMPLT, a, b);
}
Pat operator<<(const Pat& a, const Pat& b) {
  return binary(Op::SHL, a, b);
}
Pat operator>>(const Pat& a, const Pat& b) {
  return binary(Op::SHR, a, b);
}
Pat floordiv(const Pat& a, const Pat& b) {
  return binary(Op::FLOORDIV, a, b);
}

Pat operator+(const Pat& a, const Scalar& b) {
  return a + number(b);
}
Pat operator+(const Scalar& a, const Pat& b) {
  return number(a) + b;
}
Pat operator*(const Pat& a, const Scalar& b) {
  return a * number(b);
}
Pat operator*(const Scalar& a, const Pat& b) {
  return number(a) * b;
}
Pat operator/(const Pat& a, const Scalar& b) {
  return a / number(b);
}
Pat operator&(const Pat& a, const Scalar& b) {
  return a & number(b);
}
Pat operator<(const Pat& a, const Scalar& b) {
  return a < number(b);
}
Pat operator<<(const Pat& a, const Scalar& b) {
  return a << number(b);
}
Pat operator>>(const Pat& a, const Scalar& b) {
  return a >> number(b);
}
Pat floordiv(const Pat& a, const Scalar& b) {
  return floordiv(a, number(b));
}

namespace {

std::string ops_text(OpSet ops) {
  if (ops == groups::Movement) return "movement";
  if (ops == groups::Binary) return "binary";
  if (ops == groups::ALU) return "alu";
  if (ops == groups::All) return "any op";
  std::string s;
  for (const Op op : ops) s += (s.empty() ? "" : "|") + std::string(op_name(op));
  return s;
}

std::string arg_text(const Arg& a) {
  if (const auto* v = a.get_if<Scalar>()) return v->str();
  if (const Op* op = a.get_if<Op>()) return std::string(op_name(*op));
  if (const auto* s = a.get_if<std::string>()) return '"' + *s + '"';
  if (const auto* t = a.get_if<Arg::Tuple>()) {
    std::string s = "(";
    for (const Arg& e : *t) s += (s.size() > 1 ? ", " : "") + arg_text(e);
    return s + ")";
  }
  return "...";
}

}  // namespace

std::string to_string(const Pat& p) {
  const PatternNode& n = p.node();
  std::string s;
  if (n.sources == Sources::AnyOf) {
    for (const Pat& alt : n.src) s += (s.empty() ? "(" : " or ") + to_string(alt);
    return s + ")";
  }
  if (n.name) s += std::string(capture_name(*n.name)) + (n.ops.empty() ? "" : ":");
  s += ops_text(n.ops);
  if (s.empty()) s = "_";
  if (n.arg) s += "=" + arg_text(*n.arg);
  if (n.dtypes) {
    std::string d;
    for (const DType dt : *n.dtypes) d += (d.empty() ? "" : "|") + std::string(dtype_name(dt));
    s += "<" + d + ">";
  }
  if (n.sources == Sources::Any) return s;
  s += n.sources == Sources::Permuted ? "{" : "(";
  for (size_t i = 0; i < n.src.size(); ++i) s += (i > 0 ? ", " : "") + to_string(n.src[i]);
  if (n.sources == Sources::Repeated || n.any_length) s += n.sources == Sources::Repeated ? "*" : ", ...";
  return s + (n.sources == Sources::Permuted ? "}" : ")");
}

}  // namespace rangescope
