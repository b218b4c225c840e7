#pragma once
// Patterns as data: one definition is matched, printed, drawn and explained. A pattern is a small tree of constraints
// on a node and its sources. Built with the functions below, which read like the graph they match; semantics are the
// reference's UPat (uop/ops.py).

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/ir/arg.h"
#include "engine/ir/dtype.h"
#include "engine/ir/op.h"
#include "engine/rewrite/captures.h"

namespace rangescope {

class Pat;

// How a pattern constrains the sources.
enum class Sources : uint8_t {
  Any,       // not at all
  Exact,     // these, in this order; as many, unless any_length
  Permuted,  // these in any order (two, for commutative ops), the order given first
  Repeated,  // every source matches the one pattern
  AnyOf,     // no constraint on this node: one of the alternatives matches the node itself
};

struct PatternNode {
  OpSet ops;  // empty: any op
  std::optional<DTypeSet> dtypes;
  std::optional<Arg> arg;                // compared as Python does: 1 == 1.0 == True
  std::optional<std::vector<Arg>> tags;  // one of these
  std::optional<CaptureId> name;
  Sources sources = Sources::Any;
  bool any_length = false;  // more sources than listed are fine
  std::vector<Pat> src;
  std::optional<OpSet> early_reject;  // overrides the derived one
};

// A handle to an immutable pattern; copying shares it.
class Pat {
 public:
  Pat();  // matches anything
  explicit Pat(PatternNode node) : node_(std::make_shared<const PatternNode>(std::move(node))) {}

  const PatternNode& node() const { return *node_; }

  Pat named(CaptureId name) const;
  Pat any_length() const;
  Pat with_arg(const Arg& arg) const;
  Pat with_dtype(DTypeSet dtypes) const;
  Pat early_reject(OpSet ops) const;
  Pat tagged(std::vector<Arg> tags) const;

  // ** the reference's sugar on patterns
  Pat f(Op op) const;  // op over this alone, any dtype
  Pat cast() const;
  Pat cast(DTypeSet dtypes) const;  // this itself where it has exactly this dtype constraint
  Pat bitcast() const;
  Pat load() const;
  Pat store(const Pat& value) const;
  Pat index(std::initializer_list<Pat> idx) const;
  Pat after(std::initializer_list<Pat> deps = {}) const;  // dtype constraint of this
  Pat end() const;
  Pat broadcast() const;  // STACK of this, repeated
  Pat reduce() const;     // REDUCE with this first, dtype constraint of this
  Pat or_casted() const;
  Pat or_casted(CaptureId name) const;
  Pat or_after() const;
  Pat or_after(CaptureId name) const;
  Pat where(const Pat& t, const Pat& f) const;
  Pat logical_not() const;
  Pat ne(const Pat& y) const;
  Pat maximum(const Pat& y) const;
  Pat trunc() const;
  Pat reciprocal() const;
  Pat alu(Op op, std::initializer_list<Pat> more) const;

 private:
  std::shared_ptr<const PatternNode> node_;
};

// ** leaves
Pat var(std::optional<CaptureId> name = std::nullopt, std::optional<DTypeSet> dtypes = std::nullopt);
Pat cvar(std::optional<CaptureId> name = std::nullopt, std::optional<DTypeSet> dtypes = std::nullopt);  // a CONST
Pat cnst(const Scalar& value, std::optional<DTypeSet> dtypes = std::nullopt);  // a CONST equal to value
Pat any_of(std::initializer_list<Pat> alternatives);

// ** nodes
Pat pat(OpSet ops);
Pat pat(OpSet ops, std::initializer_list<Pat> src);             // exactly these sources
Pat pat_any_length(OpSet ops, std::initializer_list<Pat> src);  // at least these
Pat pat_repeated(OpSet ops, const Pat& each);                   // every source matches `each`
Pat pat_permuted(OpSet ops, std::initializer_list<Pat> src);    // in any order

// ** arithmetic; a number stands for a CONST equal to it
Pat operator+(const Pat& a, const Pat& b);
Pat operator*(const Pat& a, const Pat& b);
Pat operator/(const Pat& a, const Pat& b);  // a * (1 / b)
Pat operator%(const Pat& a, const Pat& b);
Pat operator&(const Pat& a, const Pat& b);
Pat operator|(const Pat& a, const Pat& b);
Pat operator^(const Pat& a, const Pat& b);
Pat operator<(const Pat& a, const Pat& b);
Pat operator<<(const Pat& a, const Pat& b);
Pat operator>>(const Pat& a, const Pat& b);
Pat floordiv(const Pat& a, const Pat& b);

Pat operator+(const Pat& a, const Scalar& b);
Pat operator+(const Scalar& a, const Pat& b);
Pat operator*(const Pat& a, const Scalar& b);
Pat operator*(const Scalar& a, const Pat& b);
Pat operator/(const Pat& a, const Scalar& b);
Pat operator&(const Pat& a, const Scalar& b);
Pat operator<(const Pat& a, const Scalar& b);
Pat operator<<(const Pat& a, const Scalar& b);
Pat operator>>(const Pat& a, const Scalar& b);
Pat floordiv(const Pat& a, const Scalar& b);

// A pattern as text, the same for equal patterns: `ADD(x, CONST=0)`.
std::string to_string(const Pat& p);

}  // namespace rangescope
