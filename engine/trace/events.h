#pragma once
// What travels from the thread that rewrites to the thread that writes the file. Ids count from 1; 0 is none.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/ir/arg.h"
#include "engine/ir/store.h"
#include "engine/rewrite/rule.h"

namespace rangescope::trace {

struct SectionRow {
  int64_t id = 0;
  std::string kind;  // "schedule", "kernel"
  std::string name;
  int64_t root = 0;
};

struct PassRow {
  int64_t id = 0, section = 0, parent = 0;
  uint32_t depth = 0;
  std::string name;
  bool bottom_up = false, walk = false, enter_calls = false, group = false;
  int64_t input = 0;
};

struct PassEnd {
  int64_t id = 0, output = 0;
  int64_t matches = 0;
  uint64_t ns = 0;
};

struct MatchRow {
  int64_t id = 0, pass = 0, before = 0, after = 0, rule = 0;
  uint64_t ns = 0;
};

struct ErrorRow {
  int64_t pass = 0, match = 0;
  std::string message;
};

struct NodeBlock {
  int64_t first = 0;
  uint32_t count = 0;
  std::string data;
};

struct MetadataRow {
  int64_t node = 0;
  Metadata metadata;
};

// A value that a pass gave a place in memory of its own, over the ranges of these names, and why.
struct RealizedRow {
  int64_t section = 0, pass = 0, node = 0;
  std::string ranges;  // "3 4"
  std::string reason;
};

struct Batch {
  std::vector<SectionRow> sections;
  std::vector<std::pair<int64_t, const Rule*>> rules;
  std::vector<std::pair<int64_t, const Arg*>> args;  // owned by the store, which outlives the recording
  std::vector<NodeBlock> blocks;
  std::vector<MetadataRow> metadata;
  std::vector<PassRow> passes;
  std::vector<PassEnd> pass_ends;
  std::vector<MatchRow> matches;
  std::vector<ErrorRow> errors;
  std::vector<RealizedRow> realized;

  size_t events() const { return passes.size() + pass_ends.size() + matches.size() + errors.size() + realized.size(); }
  bool empty() const { return events() == 0 && sections.empty() && blocks.empty() && rules.empty(); }
};

}  // namespace rangescope::trace
