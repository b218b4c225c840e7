#include "engine/trace/node_blocks.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/json.h"

namespace rangescope::trace {

namespace {
// Decoded blocks kept at most: about 100 MB in the worst case, a few MB in the usual one.
constexpr size_t kCachedBlocks = 2048;
}  // namespace

Error NodeBlocks::damaged(int64_t number, std::string_view what) const {
  return Error{fmt::format("{} is damaged: node {} {}. Record it again.", db_.path(), number, what)};
}

Result<void> NodeBlocks::decode(int64_t first, int64_t count, std::string_view data, Block& out) const {
  auto block = PackedBlock::open(db_.path(), first, count, data);
  if (!block) return tl::unexpected(block.error());
  out.first = first;
  out.nodes.reserve(static_cast<size_t>(count));
  for (PackedNode n;;) {
    const auto more = block->next(n);
    if (!more) return tl::unexpected(more.error());
    if (!*more) return {};
    out.nodes.push_back(n);
  }
}

Result<const NodeBlocks::Block*> NodeBlocks::block(int64_t number) {
  if (number < 1 || number > node_count_) return tl::unexpected(damaged(number, "does not exist"));
  const auto containing = [&] {
    auto it = std::ranges::upper_bound(index_, number, {}, &std::pair<int64_t, int64_t>::first);
    return it == index_.begin() ? index_.end() : it - 1;
  };
  auto at = containing();
  if (at == index_.end() || number >= at->first + at->second) {
    // first use, or the file has grown
    index_.clear();
    auto s = db_.prepare("SELECT first, count FROM node_blocks ORDER BY first");
    if (!s) return tl::unexpected(s.error());
    for (;;) {
      const auto row = s->step();
      if (!row) return tl::unexpected(row.error());
      if (!*row) break;
      index_.emplace_back(s->integer(0), s->integer(1));
    }
    at = containing();
    if (at == index_.end() || number >= at->first + at->second)
      return tl::unexpected(damaged(number, "is in no block"));
  }
  if (const auto it = cache_.find(at->first); it != cache_.end()) return it->second.get();
  auto s = db_.prepare("SELECT count, data FROM node_blocks WHERE first=?");
  if (!s) return tl::unexpected(s.error());
  s->bind(1, at->first);
  const auto row = s->step();
  if (!row) return tl::unexpected(row.error());
  if (!*row) return tl::unexpected(damaged(number, "is in no block"));
  auto b = std::make_unique<Block>();
  if (auto r = decode(at->first, s->integer(0), s->blob(1), *b); !r) return tl::unexpected(r.error());
  if (cache_.size() >= kCachedBlocks) cache_.clear();
  return (cache_[at->first] = std::move(b)).get();
}

Result<const PackedNode*> NodeBlocks::packed(int64_t number) {
  const auto b = block(number);
  if (!b) return tl::unexpected(b.error());
  const auto i = static_cast<size_t>(number - (*b)->first);
  if (i >= (*b)->nodes.size()) return tl::unexpected(damaged(number, "is in no block"));
  return &(*b)->nodes[i];
}

Result<const Arg*> NodeBlocks::arg(int64_t id) {
  if (id == 0) return &Arg::none();
  if (const auto it = args_.find(id); it != args_.end()) return it->second;
  auto s = db_.prepare("SELECT json FROM args WHERE id=?");
  if (!s) return tl::unexpected(s.error());
  s->bind(1, id);
  const auto row = s->step();
  if (!row) return tl::unexpected(row.error());
  if (!*row)
    return tl::unexpected(
        Error{fmt::format("{} is damaged: argument {} is missing. Record it again.", db_.path(), id)});
  const Result<Arg> a = read_arg(s->text(0));
  if (!a)
    return tl::unexpected(Error{fmt::format("{} is damaged: argument {}: {}", db_.path(), id, a.error().message)});
  return args_[id] = store_.intern(*a);
}

Result<UOp> NodeBlocks::node(int64_t number) {
  if (number < 1 || number > node_count_) return tl::unexpected(damaged(number, "does not exist"));
  if (nodes_.size() <= static_cast<size_t>(node_count_)) nodes_.resize(static_cast<size_t>(node_count_) + 1);
  std::vector<int64_t> stack{number};
  UOps srcs;
  while (!stack.empty()) {
    const int64_t n = stack.back();
    if (nodes_[static_cast<size_t>(n)]) {
      stack.pop_back();
      continue;
    }
    const auto p = packed(n);
    if (!p) return tl::unexpected(p.error());
    const PackedNode& node = **p;
    bool ready = true;
    for (size_t i = node.srcs.size(); i-- > 0;)
      if (!nodes_[static_cast<size_t>(node.srcs[i])]) {
        stack.push_back(node.srcs[i]);
        ready = false;
      }
    if (!ready) continue;
    srcs.clear();
    for (const int64_t s : node.srcs) srcs.push_back(nodes_[static_cast<size_t>(s)]);
    const auto a = arg(node.arg);
    if (!a) return tl::unexpected(a.error());
    const auto t = arg(node.tag);
    if (!t) return tl::unexpected(t.error());
    const UOp u = store_.make_interned(node.op, node.dtype, srcs, *a, *t);
    nodes_[static_cast<size_t>(n)] = u;
    if (numbers_.size() <= u.id()) numbers_.resize(static_cast<size_t>(u.id()) * 5 / 4 + 64, 0);
    if (numbers_[u.id()] == 0) numbers_[u.id()] = n;
    stack.pop_back();
  }
  return nodes_[static_cast<size_t>(number)];
}

}  // namespace rangescope::trace
