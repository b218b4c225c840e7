#pragma once
// Walks one graph, sources first, and computes what each node is worth; the bodies of calls are graphs of their own.
//
// What a buffer holds at an AFTER is what it held at first with every write below the AFTER done, in topological order;
// a PARAM or BUFFER that is read without an AFTER holds what it held at first. That is what the scheduler must keep.

#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/eval/evaluate.h"
#include "engine/eval/memory.h"
#include "engine/eval/value.h"

namespace rangescope::eval {

class Evaluator {
 public:
  // `arguments` are what the parameters of a call's body stand for, by slot; null: parameters are filled.
  Evaluator(const Inputs& inputs, Meter& meter, const std::vector<Value>* arguments, int depth)
      : inputs_(inputs), meter_(meter), arguments_(arguments), depth_(depth), memory_(meter) {}

  // Evaluates the graph. The values of a root that is a TUPLE are those of its sources; where a graph stores nothing
  // its root's value is wanted, or those of a SINK's sources.
  std::vector<Value> run(UOp root);
  // Calls one after the other, on buffers that keep what is written to them.
  void run_calls(const std::vector<std::pair<UOp, UOps>>& calls);

  // All writes of run(), in order, as addresses of memory().
  const std::vector<Writes>& writes() const { return writes_; }
  Memory& memory() { return memory_; }

 private:
  // What is kept of a node while it has users.
  struct Known {
    Value value, addresses;
    uint32_t users = 0;
    bool needs_value = false, needs_addresses = false, views_buffer = false;
  };

  void plan(const UOps& order, const UOps& wanted);
  void need(UOp u, const Known& k);
  void walk(const UOps& order);
  void visit(UOp u);
  void release(UOp u);
  Known& known(UOp u) { return known_[u.id()]; }
  const Value& value(UOp u) const;
  const Value& addresses(UOp u) const;

  // ** buffers (evaluator_memory.cpp)
  size_t buffer(UOp u);
  Buffer make_buffer(UOp u);
  Buffer stage_buffer(UOp u);
  const Value* argument_of(UOp u) const;
  Value argument_content(const Value& v, DType dtype, int64_t count);
  Value fill(UOp u, Buffer& buffer);
  Value view_of(UOp u, const Value& content, bool as_shards = false);
  Value after(UOp u);
  void store(UOp u);
  void call(UOp u);
  std::vector<Value> run_body(UOp body, const std::vector<Value>& values, const std::vector<Value>& places);
  std::vector<const Writes*> writes_below(UOp u) const;

  const Inputs& inputs_;
  Meter& meter_;
  const std::vector<Value>* arguments_;
  int depth_;
  Memory memory_;
  std::unordered_map<uint32_t, Known> known_;  // by node id; looked up, never iterated
  std::unordered_map<uint32_t, std::vector<Value>> tuples_;
  std::vector<Writes> writes_;
  std::vector<UOp> writers_;  // of each of writes_
};

// What a call takes where its argument is `s`: each device is called on its shard.
inline UOp call_argument(UOp call, UOp s) {
  return call.is(Op::CALL) && s.is(Op::UNSHARD) && s.src_count() > 0 ? s.src(0) : s;
}

// What a node makes of its sources' values, for all ops that neither touch memory nor call. `sources` are in the
// node's order; for addresses the first is that of the viewed buffer and `as_addresses` is set.
Value node_value(UOp u, const std::vector<const Value*>& sources, bool as_addresses, Meter& meter);

}  // namespace rangescope::eval
