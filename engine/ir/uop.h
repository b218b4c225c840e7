#pragma once
// UOp: a handle to one immutable, hash-consed node of the graph. Equal (op, dtype, sources, arg, tag) is the same node
// for the life of its store, so handles compare by pointer. Copying a handle is free; the store owns the node.

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/ir/arg.h"
#include "engine/ir/dtype.h"
#include "engine/ir/op.h"
#include "engine/ir/scalar.h"
#include "engine/ir/small_vector.h"

namespace rangescope {

class Store;
class UOp;
struct Node;
struct NodeCache;
struct RareCache;

// Most lists of nodes are short: these need no allocation until they are longer.
using UOps = SmallVector<UOp, 6>;

// One dimension of a shape: a size, or a symbolic expression of index dtype.
struct Dim;
using Shape = SmallVector<Dim, 6>;
using AxisList = SmallVector<int64_t, 6>;
using Ranges = UOps;  // ordered, without duplicates

// Inclusive bounds of a node's value.
struct Bounds {
  Scalar min, max;
};

class UOp {
 public:
  constexpr UOp() : node_(nullptr) {}
  explicit constexpr UOp(const Node* node) : node_(node) {}

  explicit operator bool() const { return node_ != nullptr; }
  bool operator==(const UOp&) const = default;

  // ** the node itself
  inline Op op() const;
  inline DType dtype() const;
  inline std::span<const UOp> srcs() const;
  inline UOp src(size_t i) const;  // refuses an index out of range
  inline size_t src_count() const;
  inline const Arg& arg() const;
  inline const Arg& tag() const;
  inline uint32_t id() const;
  inline Store& store() const;
  inline OpSet src_ops() const;    // ops of the direct sources
  inline OpSet below_ops() const;  // ops of all nodes below, itself excluded
  const Node* node() const { return node_; }
  inline NodeCache& cache() const;
  RareCache& rare_cache() const;

  bool is(Op o) const { return op() == o; }
  bool in(OpSet set) const { return set.contains(op()); }
  const Scalar& val() const;  // the value of a CONST
  bool is_const() const { return op() == Op::CONST; }
  bool is_invalid() const;
  bool is_weak() const;

  // ** copies with something changed; the dtype stays unless said otherwise (`rederive` asks the production rules)
  UOp with_srcs(std::span<const UOp> srcs) const;
  UOp with_srcs(std::initializer_list<UOp> srcs) const {
    return with_srcs(std::span<const UOp>(srcs.begin(), srcs.size()));
  }
  UOp with_arg(const Arg& arg) const;
  UOp with_tag(const Arg& tag) const;
  UOp with_op(Op op) const;
  UOp rederive(std::span<const UOp> srcs) const;
  UOp rederive(std::span<const UOp> srcs, const Arg& arg) const;

  // ** derived properties (engine/ir/shape.cpp, ranges.cpp, bounds.cpp, device.cpp); computed once, iteratively
  const Shape* shape_or_null() const;  // nullptr: this op has no shape
  const Shape& shape() const;          // refuses a node without one
  std::vector<int64_t> max_shape() const;
  Dim numel() const;
  int64_t max_numel() const;
  inline size_t ndim() const;
  const Shape& as_shape() const;                        // of a shape argument (CONST or STACK)
  const Shape& marg_shape() const;                      // RESHAPE, EXPAND
  std::vector<std::pair<Dim, Dim>> marg_pairs() const;  // PAD, SHRINK: (offset, size) per axis
  AxisList marg_perm() const;                           // PERMUTE
  std::vector<bool> marg_flip() const;                  // FLIP

  const Ranges& ranges() const;  // ranges open at this node, in the reference's order; a RANGE lists itself first
  bool has_range(UOp range) const;
  UOps ended_ranges() const;

  const Bounds& bounds() const;
  const Scalar& vmin() const { return bounds().min; }
  const Scalar& vmax() const { return bounds().max; }
  bool overflows(DType to) const;

  const Device& device() const;
  std::optional<AddrSpace> addrspace() const;
  std::optional<int64_t> axis() const;
  std::vector<std::pair<int64_t, UOp>> sharding() const;  // UNSHARD: (axis, range)
  Shape shard_shape() const;
  std::vector<int64_t> max_shard_shape() const;
  UOp base() const;
  UOp unsharded_base() const;
  UOp buf_uop() const;
  UOp without_after() const;
  bool has_buffer_identity(bool after_ok = false) const;
  bool is_virtual() const;
  bool is_variable() const;
  bool is_bound_var() const;
  const std::string& expr() const;  // name of a variable

  // ** traversal
  bool op_in_backward_slice_with_self(OpSet ops) const { return ops.contains(op()) || !(below_ops() & ops).empty(); }
  bool in_backward_slice(UOp needle) const;  // strictly below
  bool in_backward_slice_with_self(UOp needle) const { return *this == needle || in_backward_slice(needle); }
  size_t backward_slice_size() const;
  UOps split(Op sep) const;  // terms of nested `sep`, left to right

  // ** untracked rewriting (through the hooks that engine/symbolic and engine/rewrite install in the store)
  UOp simplify() const;
  Dim ssimplify() const;

  // ** factors (engine/ir/factor.cpp)
  Int const_factor() const;
  UOp divides(const Int& v) const;  // null: not known to divide
  UOp divide_exact(UOp v) const;    // null: not known to divide
  std::pair<UOp, Scalar> pop_const(Op op = Op::ADD) const;

  // ** building (engine/ir/build.cpp); operands are promoted as the reference's operators do
  UOp alu(Op op, std::initializer_list<UOp> more) const;
  UOp alu(Op op, UOp y) const { return alu(op, {y}); }
  UOp alu(Op op) const { return alu(op, {}); }
  UOp cast(DType to) const;
  UOp bitcast(DType to) const;
  UOp where(UOp t, UOp f) const;  // this is the condition
  UOp where(UOp t, const Scalar& f) const;
  UOp where(const Scalar& t, UOp f) const;
  UOp logical_not() const;
  UOp ne(UOp y) const;
  UOp ne(const Scalar& y) const;
  UOp eq(UOp y) const;
  UOp eq(const Scalar& y) const;
  UOp maximum(UOp y) const;
  UOp minimum(UOp y) const;
  UOp reciprocal() const { return alu(Op::RECIPROCAL); }
  UOp sqrt() const { return alu(Op::SQRT); }
  UOp exp2() const { return alu(Op::EXP2); }
  UOp trunc() const { return alu(Op::TRUNC); }
  UOp neg() const;
  UOp div(UOp y) const;  // true division
  UOp pow_op(UOp y) const { return alu(Op::POW, y); }
  UOp usum(std::span<const UOp> more) const;
  UOp uprod(std::span<const UOp> more) const;
  UOp const_like(const Scalar& value) const;
  UOp const_like(const Scalar& value, DType dtype) const;
  UOp vconst_like(const Scalar& value) const;
  UOp ufix(const Scalar& value) const;
  UOp valid(UOp cond) const;
  UOp get_idx() const;
  UOp get_valid() const;
  UOp index(std::span<const UOp> idx, const Arg& arg = Arg::none()) const;
  UOp index(std::initializer_list<UOp> idx) const { return index(std::span<const UOp>(idx.begin(), idx.size())); }
  UOp store_value(UOp value, UOp gate = {}) const;
  UOp load(std::initializer_list<UOp> more = {}) const;
  UOp end(std::span<const UOp> ranges) const;
  UOp after(std::span<const UOp> deps) const;
  UOp after(std::initializer_list<UOp> deps) const { return after(std::span<const UOp>(deps.begin(), deps.size())); }
  UOp reduce_op(std::span<const UOp> ranges, Op op) const;  // REDUCE with arg (op, 0)
  UOp bufferize(std::span<const UOp> ranges, const StageArg& arg) const;
  UOp broadcast(int64_t count) const;
  UOp sink(const Arg& arg = Arg::none()) const;
  UOp contiguous(const Arg& arg = Arg::none()) const;

  // ** movement (engine/ir/movement.cpp)
  UOp mop(Op op, std::span<const Dim> arg) const;                  // RESHAPE, EXPAND: the raw node
  UOp mop(Op op, std::span<const std::pair<Dim, Dim>> arg) const;  // PAD, SHRINK: (offset, size)
  UOp reshape(const Shape& to) const;
  UOp permute(std::span<const int64_t> order) const;
  UOp expand(const Shape& to) const;
  UOp pad(std::span<const std::pair<Dim, Dim>> before_after) const;
  UOp pad_to(const Shape& to) const;
  UOp shrink(std::span<const std::pair<Dim, Dim>> begin_end) const;
  UOp shrink_to(const Shape& to) const;
  UOp flip(std::span<const int64_t> axes) const;
  UOp stack(std::span<const UOp> more, int64_t dim = 0) const;
  UOp cat(std::span<const UOp> more, int64_t dim = 0) const;
  UOp flatten(int64_t start = 0, int64_t end = -1) const;
  UOp squeeze(int64_t dim) const;
  UOp unsqueeze(int64_t dim) const;
  UOp broadcast_to(const Shape& to) const;
  UOp rop(Op op, std::span<const int64_t> axes) const;  // REDUCE over axes of a tensor

  // ** text
  std::string render(bool simplify = true) const;

 private:
  void make_cache() const;
  const Node* node_;
};

struct Dim {
  UOp sym;            // set: symbolic
  int64_t value = 0;  // otherwise the size

  constexpr Dim() = default;
  constexpr Dim(int v) : value(v) {}
  constexpr Dim(int64_t v) : value(v) {}
  Dim(UOp u) : sym(u) {}

  bool is_int() const { return !sym; }
  bool operator==(const Dim&) const = default;  // structural: a size and an expression are never equal
};

inline size_t UOp::ndim() const {
  return shape().size();
}

// Derived properties of a node, for those of which one is asked: filled lazily, a node itself never changes. Apart from
// the node, so that a rewrite that walks over many nodes reads a cache line of each.
struct NodeCache {
  const Shape* shape = nullptr;
  const Ranges* ranges = nullptr;
  const Bounds* bounds = nullptr;
  const Device* device = nullptr;
  RareCache* rare = nullptr;
  bool has_shape = false;    // `shape` is known (nullptr is an answer too)
  uint8_t addrspace = 0xff;  // 0xff: not known; 0: none; else AddrSpace
  int8_t axis_state = -1;    // -1: not known; 0: none; 1: RareCache::axis
};

// What is asked of one node in ten.
struct RareCache {
  const Shape* as_shape = nullptr;
  const Node* simplified = nullptr;  // what the simplify hook made of it
  int64_t axis = 0;
};

// The ops below a node. Graphs have few such pairs, and their nodes share them.
struct OpsBelow {
  OpSet direct;  // of the direct sources
  OpSet all;     // of all nodes below, itself excluded
  bool operator==(const OpsBelow&) const = default;
};

// Nodes stand in blocks, each at a multiple of its size. A block begins with the store that it belongs to.
inline constexpr size_t kNodeBlockBytes = size_t{1} << 16;
struct NodeBlock {
  Store* store;
};

// Lives in a block of the store's, its sources directly behind it.
struct Node {
  const Arg* arg;
  const Arg* tag;
  mutable NodeCache* cache;  // null: nothing was asked yet
  const OpsBelow* ops_below;
  uint32_t id;
  uint32_t src_count;
  // Whose slot this is, for the innermost rewrite that runs (engine/rewrite/slots.h).
  mutable uint32_t rewrite = 0;
  mutable uint32_t slot = 0;
  Op op;
  DType dtype;

  std::span<const UOp> srcs() const { return {reinterpret_cast<const UOp*>(this + 1), src_count}; }
};
static_assert(sizeof(Node) == 56);

inline Op UOp::op() const {
  return node_->op;
}
inline DType UOp::dtype() const {
  return node_->dtype;
}
inline std::span<const UOp> UOp::srcs() const {
  return node_->srcs();
}
inline size_t UOp::src_count() const {
  return node_->src_count;
}
inline const Arg& UOp::arg() const {
  return *node_->arg;
}
inline const Arg& UOp::tag() const {
  return *node_->tag;
}
inline uint32_t UOp::id() const {
  return node_->id;
}
inline Store& UOp::store() const {
  return *reinterpret_cast<const NodeBlock*>(reinterpret_cast<uintptr_t>(node_) & ~(kNodeBlockBytes - 1))->store;
}
inline NodeCache& UOp::cache() const {
  if (node_->cache == nullptr) [[unlikely]]
    make_cache();
  return *node_->cache;
}
inline OpSet UOp::src_ops() const {
  return node_->ops_below->direct;
}
inline OpSet UOp::below_ops() const {
  return node_->ops_below->all;
}

[[noreturn]] void throw_source_out_of_range(UOp u, size_t i);
inline UOp UOp::src(size_t i) const {
  if (i >= node_->src_count) [[unlikely]]
    throw_source_out_of_range(*this, i);
  return node_->srcs()[i];
}

// The reference's operators: operands are promoted to their least upper dtype, weak constants stay weak.
UOp binop(Op op, UOp x, UOp y);
UOp binop(Op op, UOp x, const Scalar& y);
UOp binop(Op op, const Scalar& x, UOp y);
UOp operator+(UOp x, UOp y);
UOp operator+(UOp x, const Scalar& y);
UOp operator-(UOp x, UOp y);
UOp operator-(UOp x, const Scalar& y);
UOp operator-(const Scalar& x, UOp y);
UOp operator*(UOp x, UOp y);
UOp operator*(UOp x, const Scalar& y);
UOp operator%(UOp x, UOp y);
UOp operator%(UOp x, const Scalar& y);
UOp floordiv(UOp x, UOp y);
UOp floordiv(UOp x, const Scalar& y);
UOp operator-(UOp x);
UOp operator&(UOp x, UOp y);
UOp operator|(UOp x, UOp y);
UOp operator^(UOp x, UOp y);
UOp operator<<(UOp x, const Scalar& y);
UOp operator>>(UOp x, const Scalar& y);
UOp lt(UOp x, UOp y);
UOp lt(UOp x, const Scalar& y);
UOp gt(UOp x, const Scalar& y);
UOp gt(UOp x, UOp y);
UOp ge(UOp x, UOp y);
UOp ge(UOp x, const Scalar& y);
UOp le(UOp x, UOp y);

// Total order of the reference's `tuplize`: op, arg, dtype, then sources; tags do not count. Iterative.
int compare_tuplize(UOp a, UOp b);

}  // namespace rangescope
