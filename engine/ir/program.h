#pragma once
// One program of a file in the golden corpus's format (tests/golden/README.md): a graph to schedule, a kernel to
// generate code for or an expression to simplify, with whatever a run recorded about it. Read from a line, written to a
// line; fields that are not set are left out.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/ir/error.h"
#include "engine/ir/json.h"
#include "engine/ir/line_reader.h"
#include "engine/ir/uop.h"

namespace rangescope {

// One rule that fired. `rule` is the reference's file and line. No `after`: the rule raised.
struct MatchRecord {
  UOp before, after;
  std::string rule;
};

// One tracked rewrite. A pass that only groups others has no input, no output and no matches; one that raised has no
// output.
struct PassRecord {
  int depth = 0;
  std::string name;
  bool bottom_up = false, walk = false, enter_calls = false;
  UOp input, output;
  std::vector<MatchRecord> matches;
};

struct ScheduledKernel {
  UOp ast;
  UOps buffers;
};

// How a kernel is launched; a symbolic dimension has no value.
struct LaunchRecord {
  using Size = std::vector<std::optional<int64_t>>;
  std::string name;
  Size global_size, local_size;
  std::vector<int64_t> globals, outs, ins;
};

struct Program {
  std::string name, suite;
  std::vector<std::pair<std::string, int64_t>> flags;  // settings that differ from the defaults
  UOp root;

  std::optional<std::vector<PassRecord>> passes;
  // what a schedule gives
  UOp kernel_graph;
  std::optional<std::vector<ScheduledKernel>> schedule;
  std::optional<std::string> error, schedule_error;
  // what code generation gives
  UOp sink;
  std::optional<UOps> linear;
  std::optional<LaunchRecord> launch;
  // what simplification gives
  UOp simplified;
  std::optional<Bounds> in_minmax, minmax;
  std::optional<std::pair<std::string, std::string>> render;

  UOps nodes;              // as read: the node table; not written
  size_t input_nodes = 0;  // as read: how many of them, from the front, are the graph under root; 0 where not told
  // Keys that are not known here, with their JSON text. They are written back.
  std::vector<std::pair<std::string, std::string>> rest;

  int64_t flag(std::string_view flag_name, int64_t otherwise) const;
};

enum class ReadWhat : uint8_t {
  Everything,
  Input,  // name, suite, flags, root and the nodes under it alone
};

// The program in a line of JSON, its nodes made in `store`.
Result<Program> read_program(std::string_view line, Store& store, ReadWhat what = ReadWhat::Everything,
                             const GraphLimits& limits = {});
// One line of JSON, without a newline. All nodes must live in one store.
std::string to_json(const Program& program);

// The programs of a file. An error names the file and the line; after one that concerns a single line reading goes on.
class ProgramReader {
 public:
  static Result<ProgramReader> open(const std::string& path);
  // nullopt at the end.
  Result<std::optional<Program>> next(Store& store, ReadWhat what = ReadWhat::Everything);
  // The next line as it is, for whoever wants to make the store from it.
  Result<bool> next_line(std::string& line) { return lines_.next(line); }
  Error locate(const Error& error) const;  // with the file and the line in front
  bool broken() const { return broken_; }  // the file itself is unreadable from here on

 private:
  explicit ProgramReader(LineReader lines) : lines_(std::move(lines)) {}
  LineReader lines_;
  std::string line_;
  bool broken_ = false;
};

}  // namespace rangescope
