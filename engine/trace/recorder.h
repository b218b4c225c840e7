#pragma once
// Turns what the drivers report into batches for the writer. Runs on the thread that rewrites, so it does little: it
// numbers the nodes that it has not seen, packs them, and hands over a batch now and then.

#include <chrono>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/rewrite/observer.h"
#include "engine/trace/writer.h"

namespace rangescope::trace {

class Recorder : public RewriteObserver {
 public:
  // The store must outlive the recording (finish or destruction).
  static Result<std::unique_ptr<Recorder>> create(const std::string& path, Store& store);
  ~Recorder() override;

  // A part of the trace: the schedule of the program, or the code generation of one kernel. Passes belong to the last
  // one begun.
  int64_t begin_section(std::string_view kind, std::string_view name, UOp root);

  void pass_begin(const PassInfo& info, UOp root) override;
  void rule_tried(const Rule& rule) override { ++attempts_[&rule]; }
  void rule_matched(const Rule& rule, UOp before, UOp after, uint64_t nanoseconds) override;
  void rule_raised(const Rule& rule, UOp before, std::string_view message) override;
  void pass_end(UOp root) override;

  // The passes under way will not end: call after a refusal, before the next section.
  void abandon_passes();
  // Why the program was refused, unless the rule that did it is recorded already.
  void error_if_new(std::string_view message);
  // The node's number in the trace; new nodes are recorded.
  int64_t node(UOp u) { return add(u, 0); }
  void meta(std::string key, std::string value);

  Writer& writer() { return *writer_; }
  void flush();
  // Everything is on disk, the file is closed. The first error of the whole recording.
  Result<void> finish(Writer::Replaced replaced = Writer::Replaced::Remove);

  int64_t match_count() const { return next_match_ - 1; }

 private:
  using Clock = std::chrono::steady_clock;
  struct OpenPass {
    int64_t id;
    int64_t matches = 0;
    Clock::time_point start;
  };

  Recorder(std::unique_ptr<Writer> writer, Store& store);
  void realized(UOp node, std::span<const UOp> ranges, std::string_view reason);
  int64_t add(UOp root, int64_t made_by);
  void pack(UOp u, int64_t made_by);
  int64_t arg_id(const Arg* arg);
  int64_t rule_id(const Rule* rule);
  void close_block();
  void maybe_flush();

  std::unique_ptr<Writer> writer_;
  Store& store_;
  Batch batch_;
  NodeBlock block_;
  int64_t block_made_by_ = 0;     // what the last node's maker was: the next is packed against it
  std::vector<uint32_t> number_;  // by node id: number in the trace, 0 not seen
  std::vector<std::pair<UOp, bool>> stack_;
  std::unordered_map<const Arg*, int64_t> arg_ids_;  // looked up, never iterated
  std::unordered_map<const Rule*, int64_t> rule_ids_;
  std::unordered_map<const Rule*, int64_t> attempts_;
  std::vector<OpenPass> open_;
  int64_t section_ = 0, next_node_ = 1, next_pass_ = 1, next_match_ = 1;
  bool raised_ = false;  // a refusal is recorded
  bool finished_ = false;
  int64_t raised_pass_ = 0;  // where the rules that a refusal unwinds through are recorded
  Clock::time_point last_flush_;
};

}  // namespace rangescope::trace
