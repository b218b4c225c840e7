#pragma once
// Reads a trace. The file may come from a stranger: it is opened read-only, its schema is not trusted, every id and
// size in it is checked. A file that was not closed is read up to its last batch, through a private copy where its log
// cannot be read in place. One thread at a time.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/ir/store.h"
#include "engine/trace/database.h"

namespace rangescope::trace {

struct Section {
  int64_t id = 0;
  std::string kind, name;
  int64_t root = 0;
};

struct Pass {
  int64_t id = 0, section = 0, parent = 0;  // parent 0: none
  int64_t depth = 0;
  std::string name;
  bool bottom_up = false, walk = false, enter_calls = false, group = false;
  int64_t input = 0, output = 0;  // node numbers; output 0: the pass did not end
  int64_t matches = 0;
  int64_t ns = 0;  // wall time, nested passes and recording included
};

struct StepMatch {
  int64_t id = 0, pass = 0;
  int64_t before = 0, after = 0;  // after 0: the rule raised
  int64_t rule = 0;
  int64_t ns = 0;
};

struct RuleInfo {
  int64_t id = 0;
  std::string name, explanation, ref;
  std::string pattern;  // JSON, see pattern_json.h; empty for a foreign rule
  std::string source;   // text of a foreign rule
};

struct TraceError {
  int64_t pass = 0, match = 0;  // 0: not tied to one
  std::string message;
};

struct Kernel {
  int64_t id = 0, ast = 0, section = 0, sink = 0;
  std::string name, source, disassembly;
  std::string global_size, local_size;  // JSON arrays
  std::optional<int64_t> ops, bytes;    // of its first launch
};

struct ScheduleItem {
  int64_t id = 0;
  std::string kind;  // "kernel", "copy", "call"
  int64_t ast = 0, kernel = 0;
  std::vector<int64_t> buffers;  // node numbers
};

// One dispatch of a schedule item; a precompiled call has several, `part` counts them from 0.
struct Launch {
  int64_t item = 0, part = 0;
  int64_t kernel = 0;  // 0: a copy
  std::optional<int64_t> ops, bytes, access_bytes;
};

struct Run {
  int64_t id = 0;
  std::string device, driver;
  int64_t warm_ups = 0, repeats = 0, submit_ns = 0, wait_ns = 0;
};

// One timed dispatch.
struct Sample {
  int64_t item = 0, part = 0, repeat = 0;
  bool warm_up = false;
  std::optional<int64_t> start_ns;  // from the run's first timestamp, on the device
  int64_t ns = 0;
};

class Reader {
 public:
  static Result<std::unique_ptr<Reader>> open(const std::string& path);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  const std::string& path() const { return path_; }
  bool complete() const { return complete_; }  // false: still recorded, or its recorder was killed
  bool recovered() const { return !copy_.empty(); }
  const std::vector<Section>& sections() const { return sections_; }
  const std::vector<Pass>& passes() const { return passes_; }  // passes()[i].id == i + 1
  const std::vector<RuleInfo>& rules() const { return rules_; }
  const std::vector<TraceError>& errors() const { return errors_; }
  const Pass* pass(int64_t id) const;
  const RuleInfo* rule(int64_t id) const;
  std::string rule_name(int64_t id) const;  // "?" where there is none
  std::optional<std::string> meta(std::string_view key) const;
  int64_t match_count() const { return match_count_; }
  int64_t node_count() const { return node_count_; }

  // Looks again at a file that is still being written. True: there is more than before.
  Result<bool> refresh();
  // Once complete(): lets go of the file, so that its writer can fold its log back, and opens it again when that is
  // done. Nodes, and what was read of them, stay.
  Result<void> reopen();

  // `count` matches of a pass from the `from`-th on (0 is the first).
  Result<std::vector<StepMatch>> matches(int64_t pass, int64_t from, int64_t count);
  Result<std::optional<StepMatch>> match(int64_t id);
  // Position of a match within its pass, from 0.
  Result<int64_t> index_in_pass(const StepMatch& match);

  // The node with this number, with everything below it, in this reader's store.
  Result<UOp> node(int64_t number);
  // The match that made the node; 0: it was there, or rebuilt around a new source.
  Result<int64_t> made_by(int64_t number);
  // The number of a node that was read; 0 where it is no node of the trace (a rebuilt one).
  int64_t number_of(UOp u) const;
  Store& store() { return *store_; }
  // Metadata (script line, layer) of a node, if it has any.
  std::optional<Metadata> metadata(int64_t number);

  Result<std::vector<Kernel>> kernels();
  Result<std::vector<ScheduleItem>> schedule();
  Result<std::vector<Run>> runs();
  Result<std::vector<Launch>> launches();
  // By item, part, warm-ups first, repeat.
  Result<std::vector<Sample>> samples(int64_t run);
  // One after the other in the order of the table (item, part, repeats, warm-ups): a million of them need no memory,
  // and sorting them costs more than reading them.
  Result<void> each_sample(int64_t run, const std::function<void(const Sample&)>& f);

  Database& database() { return *db_; }

 private:
  struct BlockCache;
  Reader() = default;
  Result<void> load_index();

  std::string path_, copy_;
  std::unique_ptr<Database> db_;
  bool complete_ = false;
  int64_t version_ = 0;  // of the file's format
  std::vector<Section> sections_;
  std::vector<Pass> passes_;
  std::vector<RuleInfo> rules_;
  std::vector<TraceError> errors_;
  int64_t match_count_ = 0, node_count_ = 0;
  int64_t data_version_ = 0;  // of the file, as this connection sees it
  struct Counted {
    int64_t matches = 0, up_to = 0;  // up to this match of the trace
  };
  std::map<int64_t, Counted> under_way_;  // passes without an end
  std::unique_ptr<Store> store_;
  std::unique_ptr<BlockCache> blocks_;
};

}  // namespace rangescope::trace
