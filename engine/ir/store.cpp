#include "engine/ir/store.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

#include "engine/ir/dtype_rules.h"
#include "engine/ir/error.h"

namespace rangescope {

namespace {

// Fields are mixed with a multiply and a fold (the finaliser of wyhash): ids and pointers alone would cluster in the
// table.
inline uint64_t mix(uint64_t a, uint64_t b) {
  const __uint128_t m = static_cast<__uint128_t>(a ^ 0x9e3779b97f4a7c15ULL) * (b ^ 0xbf58476d1ce4e5b9ULL);
  return static_cast<uint64_t>(m) ^ static_cast<uint64_t>(m >> 64);
}

}  // namespace

uint32_t next_extension_slot() {
  static std::atomic<uint32_t> next{0};
  return next++;
}

Store::Store() = default;
Store::~Store() = default;

// Blocks are cut from larger pieces: the allocator would leave a hole beside each that it aligns.
constexpr size_t kRegionBytes = 8 * kNodeBlockBytes;

// Room for nodes behind the block's head.
std::byte* Store::new_block(size_t bytes) {
  const size_t size = (bytes + sizeof(NodeBlock) + kNodeBlockBytes - 1) / kNodeBlockBytes * kNodeBlockBytes;
  if (static_cast<size_t>(region_end_ - next_block_) < size) {
    const size_t region = std::max(size + kNodeBlockBytes, kRegionBytes);
    regions_.push_back(std::make_unique_for_overwrite<std::byte[]>(region));
    arena_bytes_ += region;
    const auto begin = reinterpret_cast<uintptr_t>(regions_.back().get());
    next_block_ = regions_.back().get() + (-begin & (kNodeBlockBytes - 1));
    region_end_ = regions_.back().get() + region;
  }
  std::byte* block = next_block_;
  next_block_ += size;
  new (block) NodeBlock{this};
  return block + sizeof(NodeBlock);
}

void* Store::allocate(size_t bytes) {
  constexpr size_t room = kNodeBlockBytes - sizeof(NodeBlock);
  if (bytes > room) return new_block(bytes);  // of its own: only its beginning finds the head
  if (static_cast<size_t>(block_end_ - block_pos_) < bytes) {
    block_pos_ = new_block(room);
    block_end_ = block_pos_ + room;
  }
  void* p = block_pos_;
  block_pos_ += bytes;
  return p;
}

UOp Store::make_interned(Op op, DType dtype, std::span<const UOp> srcs, const Arg* arg, const Arg* tag) {
  // Hashes use ids and argument contents, never addresses: the table's order is the same on every run.
  uint64_t h = mix(static_cast<uint64_t>(op) << 8 | static_cast<uint64_t>(dtype), arg->hash());
  if (tag != &Arg::none()) h = mix(h, tag->hash() + 1);
  for (const UOp s : srcs) h = mix(h, s.id() + 1);
  const uint32_t known = node_index_.find(h, [&](uint32_t id) {
    const Node* n = nodes_[id];
    return n->op == op && n->dtype == dtype && n->arg == arg && n->tag == tag && n->src_count == srcs.size() &&
           std::equal(srcs.begin(), srcs.end(), n->srcs().begin());
  });
  if (known != HashIndex::kNone) return UOp(nodes_[known]);
  if (nodes_.size() >= UINT32_MAX - 1) throw GraphError("the program needs more than 4 billion nodes");
  void* memory = allocate(sizeof(Node) + srcs.size() * sizeof(UOp));
  OpsBelow ops;
  UOp* copies = reinterpret_cast<UOp*>(static_cast<std::byte*>(memory) + sizeof(Node));
  for (size_t k = 0; k < srcs.size(); ++k) {
    RS_CHECK(&srcs[k].store() == this, "a node's sources live in its own store");
    new (copies + k) UOp(srcs[k]);
    ops.direct.insert(srcs[k].op());
    ops.all |= srcs[k].below_ops();
  }
  ops.all |= ops.direct;
  const auto id = static_cast<uint32_t>(nodes_.size());
  const Node* node = new (memory) Node{.arg = arg,
                                       .tag = tag,
                                       .cache = nullptr,
                                       .ops_below = intern(ops),
                                       .id = id,
                                       .src_count = static_cast<uint32_t>(srcs.size()),
                                       .op = op,
                                       .dtype = dtype};
  nodes_.push_back(node);
  node_index_.insert(h, id);
  return UOp(node);
}

const OpsBelow* Store::intern(const OpsBelow& ops) {
  const auto [a, b] = ops.direct.words();
  const auto [c, d] = ops.all.words();
  const uint64_t h = mix(mix(mix(a, b), c), d);
  const uint32_t known = ops_below_index_.find(h, [&](uint32_t i) { return ops_below_[i] == ops; });
  if (known != HashIndex::kNone) return &ops_below_[known];
  ops_below_index_.insert(h, static_cast<uint32_t>(ops_below_.size()));
  return &ops_below_.emplace_back(ops);
}

RareCache& UOp::rare_cache() const {
  NodeCache& c = cache();
  if (c.rare == nullptr) c.rare = &store().rare_caches_.emplace_back();
  return *c.rare;
}

void UOp::make_cache() const {
  node_->cache = &store().caches_.emplace_back();
}

UOp Store::make(Op op, DType dtype, std::span<const UOp> srcs, const Arg& arg, const Arg& tag) {
  return make_interned(op, dtype, srcs, intern(arg), intern(tag));
}

UOp Store::make(Op op, std::span<const UOp> srcs, const Arg& arg, const Arg& tag) {
  const Arg* a = intern(arg);
  return make_interned(op, derive_dtype(op, srcs, *a).value_or(DType::void_), srcs, a, intern(tag));
}

const Arg* Store::intern(const Arg& arg) {
  if (arg.is_none()) return &Arg::none();
  const uint32_t known = arg_index_.find(arg.hash(), [&](uint32_t i) { return args_[i] == arg; });
  if (known != HashIndex::kNone) return &args_[known];
  const auto number = static_cast<uint32_t>(args_.size());
  args_.emplace_back(arg);
  arg_index_.insert(arg.hash(), number);
  return &args_.back();
}

namespace {

uint64_t hash_shape(const Shape& shape) {
  uint64_t h = shape.size();
  for (const Dim& d : shape) h = mix(h, d.sym ? ~static_cast<uint64_t>(d.sym.id()) : static_cast<uint64_t>(d.value));
  return h;
}

}  // namespace

const Shape* Store::intern(Shape shape) {
  const uint64_t h = hash_shape(shape);
  const uint32_t known = shape_index_.find(h, [&](uint32_t i) { return shapes_[i] == shape; });
  if (known != HashIndex::kNone) return &shapes_[known];
  const auto number = static_cast<uint32_t>(shapes_.size());
  shapes_.emplace_back(std::move(shape));
  shape_index_.insert(h, number);
  return &shapes_.back();
}

const Metadata* Store::metadata(UOp u) const {
  const auto it = metadata_.find(u.id());
  return it == metadata_.end() ? nullptr : &it->second;
}

MarkArray* Store::borrow_marks() {
  if (free_marks_.empty()) {
    all_marks_.push_back(std::make_unique<MarkArray>());
    free_marks_.push_back(all_marks_.back().get());
  }
  MarkArray* m = free_marks_.back();
  free_marks_.pop_back();
  if (++m->epoch == 0) {
    std::fill(m->stamps.begin(), m->stamps.end(), 0);
    m->epoch = 1;
  }
  return m;
}

}  // namespace rangescope
