#include "engine/trace/node_blocks.h"

#include <fmt/format.h>

#include <iterator>

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
  if (last_ != nullptr && last_->holds(number)) return last_;
  if (const auto after = cache_.upper_bound(number); after != cache_.begin())
    if (const Block* b = std::prev(after)->second.get(); b->holds(number)) return last_ = b;
  // through the key: a list of all blocks would touch a page of the file for each of them
  if (!block_query_) {
    auto s = db_.prepare("SELECT first, count, data FROM node_blocks WHERE first<=? ORDER BY first DESC LIMIT 1");
    if (!s) return tl::unexpected(s.error());
    block_query_ = std::move(*s);
  }
  block_query_->bind(1, number);
  const auto row = block_query_->step();
  auto b = std::make_unique<Block>();
  Result<void> read;
  if (!row)
    read = tl::unexpected(row.error());
  else if (*row)
    read = decode(block_query_->integer(0), block_query_->integer(1), block_query_->blob(2), *b);
  block_query_->reset();
  if (!read) return tl::unexpected(read.error());
  if (!b->holds(number)) return tl::unexpected(damaged(number, "is in no block"));
  if (cache_.size() >= kCachedBlocks) cache_.clear();
  const int64_t first = b->first;
  return last_ = (cache_[first] = std::move(b)).get();
}

Result<const PackedNode*> NodeBlocks::packed(int64_t number) {
  const auto b = block(number);
  if (!b) return tl::unexpected(b.error());
  return &(*b)->nodes[static_cast<size_t>(number - (*b)->first)];
}

Result<const Arg*> NodeBlocks::arg(int64_t id) {
  if (id == 0) return &Arg::none();
  if (const auto it = args_.find(id); it != args_.end()) return it->second;
  if (!arg_query_) {
    auto s = db_.prepare("SELECT json FROM args WHERE id=?");
    if (!s) return tl::unexpected(s.error());
    arg_query_ = std::move(*s);
  }
  arg_query_->bind(1, id);
  const auto row = arg_query_->step();
  if (!row) {
    arg_query_->reset();
    return tl::unexpected(row.error());
  }
  const Result<Arg> a =
      *row ? read_arg(arg_query_->text(0)) : Result<Arg>(tl::unexpected(Error{"it is missing. Record it again."}));
  arg_query_->reset();
  if (!a)
    return tl::unexpected(Error{fmt::format("{} is damaged: argument {}: {}", db_.path(), id, a.error().message)});
  return args_[id] = store_.intern(*a);
}

UOp& NodeBlocks::made(int64_t number) {
  if (number / kPage != page_number_) {
    page_number_ = number / kPage;
    auto& page = pages_[page_number_];
    if (!page) page = std::make_unique<Page>();
    page_ = page.get();
  }
  return (*page_)[static_cast<size_t>(number % kPage)];
}

Result<UOp> NodeBlocks::node(int64_t number) {
  if (number < 1 || number > node_count_) return tl::unexpected(damaged(number, "does not exist"));
  std::vector<int64_t> stack{number};
  UOps srcs;
  while (!stack.empty()) {
    const int64_t n = stack.back();
    if (made(n)) {
      stack.pop_back();
      continue;
    }
    const auto p = packed(n);
    if (!p) return tl::unexpected(p.error());
    const PackedNode& node = **p;
    bool ready = true;
    for (size_t i = node.srcs.size(); i-- > 0;)
      if (!made(node.srcs[i])) {
        stack.push_back(node.srcs[i]);
        ready = false;
      }
    if (!ready) continue;
    srcs.clear();
    for (const int64_t s : node.srcs) srcs.push_back(made(s));
    const auto a = arg(node.arg);
    if (!a) return tl::unexpected(a.error());
    const auto t = arg(node.tag);
    if (!t) return tl::unexpected(t.error());
    const UOp u = store_.make_interned(node.op, node.dtype, srcs, *a, *t);
    made(n) = u;
    if (numbers_.size() <= u.id()) numbers_.resize(static_cast<size_t>(u.id()) * 5 / 4 + 64, 0);
    if (numbers_[u.id()] == 0) numbers_[u.id()] = n;
    stack.pop_back();
  }
  return made(number);
}

}  // namespace rangescope::trace
