#pragma once
// Packed nodes of a trace, decoded a block at a time and turned into nodes of a store on demand.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/ir/store.h"
#include "engine/trace/database.h"
#include "engine/trace/packed_node.h"

namespace rangescope::trace {

class NodeBlocks {
 public:
  NodeBlocks(Database& db, Store& store) : db_(db), store_(store) {}

  // Node numbers run from 1 to this.
  void set_node_count(int64_t count) { node_count_ = count; }

  Result<const PackedNode*> packed(int64_t number);
  Result<UOp> node(int64_t number);
  Result<const Arg*> arg(int64_t id);  // 0: none
  int64_t number_of(UOp u) const { return u.id() < numbers_.size() ? numbers_[u.id()] : 0; }
  // Before the database is closed, and opened again.
  void release() { block_query_.reset(), arg_query_.reset(); }

 private:
  struct Block {
    int64_t first = 0;
    std::vector<PackedNode> nodes;
    bool holds(int64_t number) const { return number >= first && number - first < static_cast<int64_t>(nodes.size()); }
  };
  // Nodes that were made, by number: a page when one of it is, since a step of a large trace needs few of all.
  static constexpr int64_t kPage = 512;
  using Page = std::array<UOp, kPage>;
  UOp& made(int64_t number);

  Result<const Block*> block(int64_t number);
  Result<void> decode(int64_t first, int64_t count, std::string_view data, Block& out) const;
  Error damaged(int64_t number, std::string_view what) const;

  Database& db_;
  Store& store_;
  int64_t node_count_ = 0;
  std::optional<Statement> block_query_, arg_query_;
  std::map<int64_t, std::unique_ptr<Block>> cache_;  // by first number
  const Block* last_ = nullptr;                      // of the cache: mostly the next one asked for is in it too
  std::unordered_map<int64_t, const Arg*> args_;
  std::unordered_map<int64_t, std::unique_ptr<Page>> pages_;  // looked up, never iterated
  Page* page_ = nullptr;                                      // the one used last
  int64_t page_number_ = -1;
  std::vector<int64_t> numbers_;  // by node id
};

}  // namespace rangescope::trace
