#pragma once
// Graphs as JSON, in the format of the golden corpus (tests/golden/README.md): a table of nodes, sources before users,
//   [op, dtype, [source indices], arg, tag]
// Numbers are exact both ways: integers of any width, floats bit by bit. Files may come from strangers: everything is
// checked, and an error says which node is wrong and how. engine/ir/program.h reads and writes whole programs.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ir/error.h"
#include "engine/ir/uop.h"

namespace rangescope {

class JsonReader;

// What a node table may hold at most. The defaults are far above any real program.
struct GraphLimits {
  size_t nodes = size_t{1} << 28;
  size_t sources = size_t{1} << 20;  // of one node
};

// The table's nodes, made in `store`: result[i] is the node of index i. Equal entries give the same node. Reads no more
// than the first `count` entries.
Result<UOps> read_nodes(std::string_view json, Store& store, size_t count = SIZE_MAX, const GraphLimits& limits = {});

Result<Arg> read_arg(std::string_view json);
void append_json(std::string& out, const Arg& arg);
std::string to_json(const Arg& arg);

// A growing node table shared by several graphs of one store. Nodes get their indices in topological order, graph by
// graph, and are written once.
class NodeTable {
 public:
  uint32_t add(UOp root);  // the root's index; adds what is new below it
  std::optional<uint32_t> find(UOp u) const;
  size_t size() const { return nodes_.size(); }
  const UOps& nodes() const { return nodes_; }
  void append_json(std::string& out) const;  // the whole table, as a JSON array

 private:
  static constexpr uint32_t kAbsent = UINT32_MAX;
  UOps nodes_;
  std::vector<uint32_t> index_;  // by node id
};

// ** for readers of larger texts; these throw GraphError
Arg read_arg(JsonReader& in);
UOps read_nodes(JsonReader& in, Store& store, size_t count, const GraphLimits& limits);

}  // namespace rangescope
