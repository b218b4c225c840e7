#pragma once
// The store owns nodes, arguments and shapes of one program: hash-consing, dense ids in creation order, memory in
// arenas. One thread at a time. What outlives one rewrite but not the program (the reference's function caches) hangs
// on the store as an extension.

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/ir/hash_index.h"
#include "engine/ir/pool.h"
#include "engine/ir/uop.h"

namespace rangescope {

// Metadata is no part of a node's identity: where in the user's program it came from.
struct Metadata {
  std::string name;      // tensor method or layer
  std::string location;  // script line
};

// Set of nodes by id; clearing is a change of epoch. Borrowed from the store by Marks.
struct MarkArray {
  std::vector<uint32_t> stamps;
  uint32_t epoch = 0;
};

// Extension slots: one number per type, process-wide, in order of first use.
uint32_t next_extension_slot();
template <class T>
uint32_t extension_slot() {
  static const uint32_t slot = next_extension_slot();
  return slot;
}

// An extension that knows no nodes says so (kOutlivesNodes), and is kept when the store lets nodes go.
template <class T>
constexpr bool outlives_nodes() {
  if constexpr (requires { T::kOutlivesNodes; }) return T::kOutlivesNodes;
  return false;
}

class Store {
 public:
  Store();
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // The node with these fields, made if it is new. dtype is what the caller says.
  UOp make(Op op, DType dtype, std::span<const UOp> srcs, const Arg& arg = Arg::none(), const Arg& tag = Arg::none());
  UOp make(Op op, DType dtype, std::initializer_list<UOp> srcs, const Arg& arg = Arg::none(),
           const Arg& tag = Arg::none()) {
    return make(op, dtype, std::span<const UOp>(srcs.begin(), srcs.size()), arg, tag);
  }
  // dtype by the production rules (dtype_rules.h); void where they give none.
  UOp make(Op op, std::span<const UOp> srcs, const Arg& arg = Arg::none(), const Arg& tag = Arg::none());
  UOp make(Op op, std::initializer_list<UOp> srcs, const Arg& arg = Arg::none(), const Arg& tag = Arg::none()) {
    return make(op, std::span<const UOp>(srcs.begin(), srcs.size()), arg, tag);
  }
  // Same fields but `arg` and `tag` already interned in this store: no hashing of the argument.
  UOp make_interned(Op op, DType dtype, std::span<const UOp> srcs, const Arg* arg, const Arg* tag);

  // ** constants and other leaves
  UOp constant(const Scalar& value);               // dtype from the value: bool, weakint, weakfloat
  UOp constant(const Scalar& value, DType dtype);  // value converted to dtype
  UOp constant(int64_t value) { return constant(Scalar(value)); }
  UOp invalid();
  UOp range(const Dim& end, std::span<const int64_t> ids, AxisType type, DType dtype = DType::weakint,
            std::span<const UOp> more = {});
  UOp range(const Dim& end, int64_t id, AxisType type = AxisType::WEAK) {
    return range(end, std::span<const int64_t>(&id, 1), type);
  }
  UOp special(const Dim& end, const std::string& name, DType dtype = DType::weakint);
  UOp variable(const std::string& name, const Scalar& min, const Scalar& max, DType dtype = DType::weakint,
               bool param = false, const Int& multiple_of = Int(1));
  UOp sink(std::span<const UOp> srcs, const Arg& arg = Arg::none()) { return make(Op::SINK, srcs, arg); }
  UOp group(std::span<const UOp> srcs);
  UOp stack(std::span<const UOp> srcs);  // UOp.stack of the reference: sources promoted to one dtype
  UOp shape_arg(std::span<const Dim> shape);
  UOp dim(const Dim& d) { return d.sym ? d.sym : constant(d.value); }

  // ** interning
  const Arg* intern(const Arg& arg);
  const Shape* intern(Shape shape);

  // ** nodes by id
  uint32_t node_count() const { return static_cast<uint32_t>(nodes_.size()); }
  UOp at(uint32_t id) const { return UOp(nodes_[id]); }
  size_t bytes_used() const { return arena_bytes_; }

  // Lets all nodes go but the roots and what is below them, and all that was derived from nodes. What remains has the
  // same order but new ids. Gives the roots as they are now: no other handle to a node may be used afterwards, and no
  // rewrite may be under way.
  UOps keep_only(std::span<const UOp> roots);

  void set_metadata(UOp u, Metadata metadata) { metadata_[u.id()] = std::move(metadata); }
  const Metadata* metadata(UOp u) const;

  // ** hooks that higher layers install, so that shapes can be simplified without ir knowing the rules
  using Simplify = UOp (*)(UOp);
  using ResolveParams = UOp (*)(UOp, std::span<const UOp>);  // PARAM by slot -> argument, one walk
  Simplify simplify_hook = nullptr;
  ResolveParams resolve_params_hook = nullptr;

  // ** extensions: one object of each type a store, made on first use
  template <class T>
  T& extension() {
    const uint32_t slot = extension_slot<T>();
    if (slot >= extensions_.size()) extensions_.resize(slot + 1);
    if (!extensions_[slot]) extensions_[slot] = std::make_unique<Holder<T>>(outlives_nodes<T>());
    return static_cast<Holder<T>*>(extensions_[slot].get())->value;
  }

  // ** arena for cached properties; never freed before the store
  template <class T, class... A>
  const T* keep(A&&... a) {
    auto& pool = extension<Pool<T>>();
    return &pool.emplace_back(std::forward<A>(a)...);
  }

  MarkArray* borrow_marks();
  void return_marks(MarkArray* marks) { free_marks_.push_back(marks); }

 private:
  struct HolderBase {
    explicit HolderBase(bool outlives) : outlives_nodes(outlives) {}
    virtual ~HolderBase() = default;
    const bool outlives_nodes;
  };
  template <class T>
  struct Holder : HolderBase {
    using HolderBase::HolderBase;
    T value{};
  };

  // Weakint constants that most graphs are full of are found without hashing.
  static constexpr int64_t kFirstSmallConstant = -8;
  static constexpr size_t kSmallConstants = 264;

  friend class UOp;  // makes its cache
  const OpsBelow* intern(const OpsBelow& ops);
  void* allocate(size_t bytes);
  std::byte* new_block(size_t bytes);
  void let_all_derived_go();

  std::vector<std::unique_ptr<std::byte[]>> regions_;  // of blocks
  std::byte* next_block_ = nullptr;                    // in the last region
  std::byte* region_end_ = nullptr;
  std::byte* block_pos_ = nullptr;
  std::byte* block_end_ = nullptr;
  size_t arena_bytes_ = 0;
  std::vector<const Node*> nodes_;
  Pool<OpsBelow> ops_below_;
  HashIndex ops_below_index_;
  Pool<NodeCache> caches_;
  Pool<RareCache> rare_caches_;
  HashIndex node_index_;
  Pool<Arg> args_;
  HashIndex arg_index_;
  Pool<Shape> shapes_;
  HashIndex shape_index_;
  std::array<UOp, kSmallConstants> small_constants_;  // weakint
  std::unordered_map<uint32_t, Metadata> metadata_;
  std::vector<std::unique_ptr<HolderBase>> extensions_;
  std::vector<std::unique_ptr<MarkArray>> all_marks_;
  std::vector<MarkArray*> free_marks_;
};

// A set of nodes of one store, empty at first. Cheap to make and to drop.
class Marks {
 public:
  explicit Marks(Store& store) : store_(store), marks_(store.borrow_marks()) {}
  ~Marks() { store_.return_marks(marks_); }
  Marks(const Marks&) = delete;
  Marks& operator=(const Marks&) = delete;

  bool contains(UOp u) const { return u.id() < marks_->stamps.size() && marks_->stamps[u.id()] == marks_->epoch; }
  bool insert(UOp u) {  // false: it was there
    if (u.id() >= marks_->stamps.size())
      marks_->stamps.resize(std::max<size_t>(store_.node_count(), u.id() + 1) * 5 / 4 + 64, 0);
    uint32_t& s = marks_->stamps[u.id()];
    if (s == marks_->epoch) return false;
    s = marks_->epoch;
    return true;
  }
  void erase(UOp u) {
    if (contains(u)) marks_->stamps[u.id()] = 0;
  }

 private:
  Store& store_;
  MarkArray* marks_;
};

}  // namespace rangescope
