#pragma once
// Packed nodes of a trace, decoded a block at a time and turned into nodes of a store on demand.

#include <cstdint>
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

 private:
  struct Block {
    int64_t first = 0;
    std::vector<PackedNode> nodes;
  };
  Result<const Block*> block(int64_t number);
  Result<void> decode(int64_t first, int64_t count, std::string_view data, Block& out) const;
  Error damaged(int64_t number, std::string_view what) const;

  Database& db_;
  Store& store_;
  int64_t node_count_ = 0;
  std::unordered_map<int64_t, std::unique_ptr<Block>> cache_;  // by first number; looked up, never iterated
  std::vector<std::pair<int64_t, int64_t>> index_;             // (first, count) of all blocks, sorted
  std::unordered_map<int64_t, const Arg*> args_;
  std::vector<UOp> nodes_;        // by number
  std::vector<int64_t> numbers_;  // by node id
};

}  // namespace rangescope::trace
