#include "engine/trace/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/ir/json.h"
#include "engine/trace/each_row.h"
#include "engine/trace/node_blocks.h"
#include "engine/trace/reader.h"
#include "engine/trace/recovery.h"
#include "engine/trace/schema.h"
#include "engine/trace/step.h"
#include "engine/trace/validate_rows.h"
#include "engine/trace/validate_tables.h"

namespace rangescope::trace {

namespace {

class Validator {
 public:
  Validator(const std::string& path, const ValidateOptions& options) : path_(path), options_(options) {}
  Result<Validation> run();

 private:
  bool full() const { return out_.findings.size() >= options_.most; }
  void found(std::string where, std::string what) {
    if (full())
      out_.cut = true;
    else
      out_.findings.push_back({std::move(where), std::move(what)});
  }
  Result<void> meta();
  Result<void> blocks();
  Result<void> packed_nodes();
  Result<void> arguments();
  Result<void> rows();
  void rebuild();

  const std::string& path_;
  const ValidateOptions& options_;
  Validation out_;
  std::unique_ptr<Database> db_;
  int64_t args_ = 0;
  bool complete_ = false;
};

Result<void> Validator::meta() {
  std::optional<std::string> status;
  if (auto r = each_row(*db_, "SELECT value FROM meta WHERE key='status'",
                        [&](const Statement& s) -> Result<void> {
                          status = std::string(s.text(0));
                          return {};
                        });
      !r)
    return r;
  if (!status)
    found("meta", "has no 'status'");
  else if (*status != "complete" && *status != "recording")
    found("meta", fmt::format("'status' is '{}'; it is 'recording' or 'complete'", *status));
  complete_ = status == "complete";
  const auto index = db_->integer("SELECT count(*) FROM sqlite_master WHERE type='index' AND name='matches_by_pass'");
  if (!index) return tl::unexpected(index.error());
  if (status == "complete" && *index == 0)
    found("file", "is complete and has no index matches_by_pass: steps of long passes open slowly");
  return {};
}

Result<void> Validator::blocks() {
  int64_t next = 1;
  return each_row(*db_, "SELECT first, count FROM node_blocks ORDER BY first", [&](const Statement& s) -> Result<void> {
    const int64_t first = s.integer(0), count = s.integer(1);
    if (first != next)
      found(fmt::format("node_blocks {}", first), fmt::format("should begin with node {}: blocks have no gaps", next));
    if (count < 1 || count > static_cast<int64_t>(kNodesPerBlock))
      found(fmt::format("node_blocks {}", first), fmt::format("holds {} nodes, 1 to {} can be", count, kNodesPerBlock));
    next = first + std::clamp<int64_t>(count, 0, kNodesPerBlock);
    out_.nodes = next - 1;
    return {};
  });
}

Result<void> Validator::packed_nodes() {
  Store store;
  NodeBlocks nodes(*db_, store);
  nodes.set_node_count(out_.nodes);
  const auto matches = db_->integer("SELECT coalesce(max(id), 0) FROM matches");
  if (!matches) return tl::unexpected(matches.error());
  for (int64_t n = 1; n <= out_.nodes && !full(); ++n) {
    const auto p = nodes.packed(n);
    if (!p) {
      found(fmt::format("node {}", n), p.error().message);
      n += static_cast<int64_t>(kNodesPerBlock) - 1;  // the rest of its block cannot be read either
      continue;
    }
    for (const int64_t a : {(*p)->arg, (*p)->tag})
      if (a < 0 || a > args_)
        found(fmt::format("node {}", n), fmt::format("has argument or tag {}; args has {}", a, args_));
    if ((*p)->made_by < 0 || (complete_ && (*p)->made_by > *matches))
      found(fmt::format("node {}", n), fmt::format("is made by match {}, which is not there", (*p)->made_by));
  }
  return {};
}

Result<void> Validator::arguments() {
  const auto count = db_->integer("SELECT count(*) FROM args");
  if (!count) return tl::unexpected(count.error());
  args_ = *count;
  return each_row(*db_, "SELECT id, json FROM args ORDER BY id", [&](const Statement& s) -> Result<void> {
    if (full()) return {};
    if (s.integer(0) < 1 || s.integer(0) > args_)
      found(fmt::format("args {}", s.integer(0)), fmt::format("ids run from 1 to {}", args_));
    if (const auto a = read_arg(s.text(1)); !a) found(fmt::format("args {}", s.integer(0)), a.error().message);
    return {};
  });
}

Result<void> Validator::rows() {
  for (const RowCheck& check : row_checks()) {
    if (out_.version < check.since || (check.when_complete && !complete_)) continue;
    if (full()) return {};
    const std::string sql = fmt::format("SELECT {} FROM {} WHERE {} LIMIT {}", check.id, check.from,
                                        with_node_count(check.wrong, out_.nodes), options_.most);
    if (auto r = each_row(*db_, sql,
                          [&](const Statement& s) -> Result<void> {
                            found(fmt::format("{} {}", check.table, s.text(0)), std::string(check.what));
                            return {};
                          });
        !r)
      return r;
  }
  return {};
}

// Every pass that ended, against its matches.
void Validator::rebuild() {
  auto opened = Reader::open(path_);
  if (!opened) {
    found("file", opened.error().message);
    return;
  }
  Reader& r = **opened;
  for (const Pass& p : r.passes()) {
    if (full()) return;
    if (options_.progress) options_.progress(p.id, static_cast<int64_t>(r.passes().size()));
    if (p.group || p.output == 0) continue;
    const std::string where = fmt::format("passes {}", p.id);
    const auto rows = r.matches(p.id, 0, INT64_MAX);
    const auto input = r.node(p.input), output = r.node(p.output);
    if (!rows || !input || !output) {
      found(where, !rows ? rows.error().message : !input ? input.error().message : output.error().message);
      continue;
    }
    std::vector<std::pair<UOp, UOp>> pairs;
    bool readable = true;
    for (const StepMatch& m : *rows) {
      if (m.after == 0) continue;
      const auto before = r.node(m.before), after = r.node(m.after);
      if (!before || !after) {
        found(fmt::format("matches {}", m.id), !before ? before.error().message : after.error().message);
        readable = false;
        break;
      }
      if (*before == *after)
        found(fmt::format("matches {}", m.id), "replaces a node by an equal one");
      else
        pairs.emplace_back(*before, *after);
    }
    if (!readable) continue;
    const auto made = graph_after(*input, pairs, {p.bottom_up, p.walk, p.enter_calls});
    if (!made)
      found(where, "has an output, but " + made.error().message);
    else if (*made != *output)
      found(where,
            fmt::format("'{}': its {} matches make another graph of its input than its output", p.name, pairs.size()));
    ++out_.rebuilt;
  }
}

Result<Validation> Validator::run() {
  auto opened = open_for_reading(path_);
  if (!opened) return tl::unexpected(opened.error());
  db_ = std::move(opened->db);
  const auto remove_copy = [&] {
    db_.reset();
    if (!opened->private_copy.empty()) remove_private_copy(opened->private_copy);
  };
  const auto checked = [&]() -> Result<void> {
    const auto version = db_->integer("PRAGMA user_version");
    if (!version) return tl::unexpected(version.error());
    out_.version = *version;
    if (auto r = each_row(*db_, "PRAGMA quick_check(10)",
                          [&](const Statement& s) -> Result<void> {
                            if (s.text(0) != "ok") found("file", std::string(s.text(0)));
                            return {};
                          });
        !r)
      return r;
    const auto schema = schema_of_version(out_.version);
    if (!schema) return tl::unexpected(schema.error());
    const Found tell = [&](std::string where, std::string what) { found(std::move(where), std::move(what)); };
    const auto all_tables = check_tables(*db_, *schema, tell);
    if (!all_tables) return tl::unexpected(all_tables.error());
    if (!*all_tables) return {};  // the rest asks for what is not there
    if (auto r = check_values(*db_, *schema, options_.most, tell); !r) return r;
    for (const auto step :
         {&Validator::meta, &Validator::arguments, &Validator::blocks, &Validator::packed_nodes, &Validator::rows})
      if (auto r = (this->*step)(); !r) return r;
    for (const auto& [table, count] : {std::pair{"passes", &out_.passes}, std::pair{"matches", &out_.matches}}) {
      const auto n = db_->integer(fmt::format("SELECT count(*) FROM {}", table));
      if (!n) return tl::unexpected(n.error());
      *count = *n;
    }
    return {};
  }();
  remove_copy();
  if (!checked) return tl::unexpected(checked.error());
  // a pass is rebuilt from what was found sound
  if (options_.rebuild && out_.findings.empty()) rebuild();
  return std::move(out_);
}

}  // namespace

Result<Validation> validate(const std::string& path, const ValidateOptions& options) {
  return Validator(path, options).run();
}

}  // namespace rangescope::trace
