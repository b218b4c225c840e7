// Most nodes that a pass makes are gone when it ends: replaced again, or asked only once. This gives their memory back.

#include <utility>
#include <vector>

#include "engine/ir/error.h"
#include "engine/ir/store.h"

namespace rangescope {

namespace {

// What is left of the nodes while there are none: sources by number, in order of the ids.
struct Remains {
  struct Item {
    uint32_t arg;
    uint32_t tag;
    uint32_t src_count;
    Op op;
    DType dtype;
  };
  std::vector<Item> items;
  std::vector<Arg> args;  // of the items, each once
  std::vector<uint32_t> srcs;
  std::unordered_map<uint32_t, Metadata> metadata;
};

constexpr uint32_t kGone = UINT32_MAX;

}  // namespace

UOps Store::keep_only(std::span<const UOp> roots) {
  RS_CHECK(all_marks_.size() == free_marks_.size(), "nodes are let go between rewrites only");
  let_all_derived_go();
  // a source is older than who takes it
  std::vector<uint32_t> number(nodes_.size(), kGone);
  for (const UOp root : roots) {
    RS_CHECK(&root.store() == this, "what is kept is of this store");
    number[root.id()] = 0;
  }
  for (size_t id = nodes_.size(); id-- > 0;)
    if (number[id] != kGone)
      for (const UOp s : nodes_[id]->srcs()) number[s.id()] = 0;

  Remains left;
  std::unordered_map<const Arg*, uint32_t> arg_numbers;  // looked up, never iterated
  const auto keep_arg = [&](const Arg* arg) {
    if (arg == &Arg::none()) return kGone;
    const auto [it, is_new] = arg_numbers.try_emplace(arg, static_cast<uint32_t>(left.args.size()));
    if (is_new) left.args.push_back(*arg);
    return it->second;
  };
  for (uint32_t id = 0; id < nodes_.size(); ++id) {
    if (number[id] == kGone) continue;
    number[id] = static_cast<uint32_t>(left.items.size());
    const Node& n = *nodes_[id];
    left.items.push_back({keep_arg(n.arg), keep_arg(n.tag), n.src_count, n.op, n.dtype});
    for (const UOp s : n.srcs()) left.srcs.push_back(number[s.id()]);
    if (auto said = metadata_.extract(id)) left.metadata.emplace(number[id], std::move(said.mapped()));
  }
  std::vector<uint32_t> root_numbers;
  for (const UOp root : roots) root_numbers.push_back(number[root.id()]);
  number = {};
  arg_numbers = {};
  nodes_ = {};
  regions_.clear();
  next_block_ = region_end_ = block_pos_ = block_end_ = nullptr;
  arena_bytes_ = 0;
  args_.clear();
  arg_index_.clear();

  std::vector<const Arg*> args;
  for (const Arg& arg : left.args) args.push_back(intern(arg));
  left.args = {};
  const auto arg_of = [&](uint32_t n) { return n == kGone ? &Arg::none() : args[n]; };
  UOps srcs;
  size_t at = 0;
  for (const Remains::Item& item : left.items) {
    srcs.clear();
    for (uint32_t i = 0; i < item.src_count; ++i) srcs.push_back(UOp(nodes_[left.srcs[at++]]));
    make_interned(item.op, item.dtype, srcs, arg_of(item.arg), arg_of(item.tag));
  }
  RS_CHECK(nodes_.size() == left.items.size(), "nodes that were different are different");
  metadata_ = std::move(left.metadata);
  UOps now;
  for (const uint32_t n : root_numbers) now.push_back(UOp(nodes_[n]));
  return now;
}

// Leaves the nodes and their arguments alone.
void Store::let_all_derived_go() {
  for (auto& extension : extensions_)
    if (extension && !extension->outlives_nodes) extension.reset();
  small_constants_.fill(UOp());
  shape_index_.clear();
  shapes_.clear();
  node_index_.clear();
  caches_.clear();
  rare_caches_.clear();
  free_marks_.clear();
  all_marks_.clear();
}

}  // namespace rangescope
