#include "engine/trace/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

#include "engine/trace/each_row.h"
#include "engine/trace/node_blocks.h"
#include "engine/trace/recovery.h"
#include "engine/trace/schema.h"

namespace rangescope::trace {

struct Reader::BlockCache : NodeBlocks {
  using NodeBlocks::NodeBlocks;
};

namespace {

constexpr int64_t kBytesOfANode = 6;  // at least: a varint for each of its fields

StepMatch match_row(const Statement& s) {
  return {s.integer(0), s.integer(1), s.integer(2), s.is_null(3) ? 0 : s.integer(3), s.integer(4), s.integer(5)};
}

}  // namespace

Result<std::unique_ptr<Reader>> Reader::open(const std::string& path) {
  std::unique_ptr<Reader> r(new Reader());
  r->path_ = path;
  auto opened = open_for_reading(path);
  if (!opened) return tl::unexpected(opened.error());
  r->db_ = std::move(opened->db);
  r->copy_ = std::move(opened->private_copy);
  r->store_ = std::make_unique<Store>();
  // Nothing is simplified while looking: symbolic sizes are shown as they were recorded.
  r->store_->simplify_hook = [](UOp u) { return u; };
  r->store_->resolve_params_hook = [](UOp u, std::span<const UOp>) { return u; };
  const auto version = r->db_->integer("PRAGMA user_version");
  if (!version) return tl::unexpected(version.error());
  r->version_ = *version;
  r->blocks_ = std::make_unique<BlockCache>(*r->db_, *r->store_);
  // before anything is read: what is written meanwhile is seen by refresh()
  const auto data = r->db_->integer("PRAGMA data_version");
  if (!data) return tl::unexpected(data.error());
  r->data_version_ = *data;
  if (auto e = r->load_index(); !e) return tl::unexpected(e.error());
  return r;
}

Reader::~Reader() {
  blocks_.reset();
  db_.reset();
  if (!copy_.empty()) remove_private_copy(copy_);
}

Result<void> Reader::load_index() {
  Database& db = *db_;
  complete_ = meta("status") == "complete";
  sections_.clear();
  rules_.clear();
  errors_.clear();
  passes_.clear();
  auto r = each_row(db, "SELECT id, kind, name, coalesce(root, 0) FROM sections ORDER BY id",
                    [&](const Statement& s) -> Result<void> {
                      sections_.push_back({s.integer(0), std::string(s.text(1)), std::string(s.text(2)), s.integer(3)});
                      return {};
                    });
  if (!r) return r;
  r = each_row(db,
               "SELECT id, name, coalesce(explanation, ''), coalesce(ref, ''), coalesce(pattern, ''), coalesce(source, "
               "'') FROM rules ORDER BY id",
               [&](const Statement& s) -> Result<void> {
                 rules_.push_back({s.integer(0), std::string(s.text(1)), std::string(s.text(2)), std::string(s.text(3)),
                                   std::string(s.text(4)), std::string(s.text(5))});
                 return {};
               });
  if (!r) return r;
  r = each_row(db, "SELECT coalesce(pass, 0), coalesce(match, 0), message FROM errors ORDER BY id",
               [&](const Statement& s) -> Result<void> {
                 errors_.push_back({s.integer(0), s.integer(1), std::string(s.text(2))});
                 return {};
               });
  if (!r) return r;
  r = each_row(
      db,
      "SELECT id, section, coalesce(parent, 0), depth, name, bottom_up, walk, enter_calls, is_group, coalesce(input, "
      "0), "
      "coalesce(output, 0), coalesce(matches, -1), coalesce(ns, 0) FROM passes ORDER BY id",
      [&](const Statement& s) -> Result<void> {
        Pass p;
        p.id = s.integer(0);
        p.section = s.integer(1);
        p.parent = s.integer(2);
        p.depth = s.integer(3);
        p.name = s.text(4);
        p.bottom_up = s.integer(5) != 0;
        p.walk = s.integer(6) != 0;
        p.enter_calls = s.integer(7) != 0;
        p.group = s.integer(8) != 0;
        p.input = s.integer(9);
        p.output = s.integer(10);
        p.matches = s.integer(11);
        p.ns = s.integer(12);
        if (p.id != static_cast<int64_t>(passes_.size()) + 1 || p.parent < 0 || p.parent >= p.id || p.depth < 0)
          return tl::unexpected(
              Error{fmt::format("{} is damaged: pass {} is out of order. Record it again.", path_, p.id)});
        passes_.push_back(std::move(p));
        return {};
      });
  if (!r) return r;
  const auto matches = db.integer("SELECT coalesce(max(id), 0) FROM matches");
  if (!matches) return tl::unexpected(matches.error());
  match_count_ = *matches;
  const auto nodes = db.integer(
      "SELECT coalesce(max(first + count - 1), 0) FROM node_blocks WHERE first = (SELECT max(first) FROM node_blocks)");
  if (!nodes) return tl::unexpected(nodes.error());
  node_count_ = *nodes;
  // counting the blocks would touch a page of the file for each
  const auto pages = db.integer("PRAGMA page_count"), page = db.integer("PRAGMA page_size");
  if (!pages) return tl::unexpected(pages.error());
  if (!page) return tl::unexpected(page.error());
  if (node_count_ < 0 || node_count_ > *pages * *page / kBytesOfANode)
    return tl::unexpected(
        Error{path_ + " is damaged: it says it holds more nodes than it has room for. Record it again."});
  blocks_->set_node_count(node_count_);
  // passes under way, or under way when the recorder was killed, have no count yet
  for (Pass& p : passes_) {
    if (p.matches >= 0) continue;
    Counted& c = under_way_[p.id];
    const auto n =
        db.integer(fmt::format("SELECT count(*) FROM matches WHERE id>{} AND id<={} AND pass={} AND after IS NOT NULL",
                               c.up_to, match_count_, p.id));
    c = {c.matches + n.value_or(0), match_count_};
    p.matches = c.matches;
  }
  return {};
}

Result<bool> Reader::refresh() {
  const auto version = db_->integer("PRAGMA data_version");
  if (!version) return tl::unexpected(version.error());
  if (*version == data_version_) return false;
  data_version_ = *version;
  const int64_t before = match_count_ + static_cast<int64_t>(passes_.size());
  const bool was_complete = complete_;
  if (auto r = load_index(); !r) return tl::unexpected(r.error());
  return before != match_count_ + static_cast<int64_t>(passes_.size()) || was_complete != complete_;
}

Result<void> Reader::reopen() {
  if (recovered()) return {};
  constexpr auto kPatience = std::chrono::seconds(3);
  blocks_->release();
  db_->close();
  std::error_code ec;
  const auto start = std::chrono::steady_clock::now();
  while (std::filesystem::exists(path_ + "-wal", ec) && std::chrono::steady_clock::now() - start < kPatience)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (auto r = db_->open_again(Database::Mode::ReadOnly); !r) return r;
  data_version_ = 0;
  return load_index();
}

const Pass* Reader::pass(int64_t id) const {
  return id >= 1 && id <= static_cast<int64_t>(passes_.size()) ? &passes_[static_cast<size_t>(id - 1)] : nullptr;
}

const RuleInfo* Reader::rule(int64_t id) const {
  const auto it = std::ranges::lower_bound(rules_, id, {}, &RuleInfo::id);
  return it != rules_.end() && it->id == id ? &*it : nullptr;
}

std::string Reader::rule_name(int64_t id) const {
  const RuleInfo* r = rule(id);
  return r == nullptr ? "?" : r->name;
}

std::optional<std::string> Reader::meta(std::string_view key) const {
  auto s = db_->prepare("SELECT value FROM meta WHERE key=?");
  if (!s) return std::nullopt;
  s->bind(1, key);
  const auto row = s->step();
  if (!row || !*row) return std::nullopt;
  return std::string(s->text(0));
}

Result<std::vector<StepMatch>> Reader::matches(int64_t pass, int64_t from, int64_t count) {
  auto s =
      db_->prepare("SELECT id, pass, before, after, rule, ns FROM matches WHERE pass=? ORDER BY id LIMIT ? OFFSET ?");
  if (!s) return tl::unexpected(s.error());
  s->bind(1, pass);
  s->bind(2, count);
  s->bind(3, from);
  std::vector<StepMatch> out;
  for (;;) {
    const auto row = s->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return out;
    out.push_back(match_row(*s));
  }
}

Result<std::optional<StepMatch>> Reader::match(int64_t id) {
  auto s = db_->prepare("SELECT id, pass, before, after, rule, ns FROM matches WHERE id=?");
  if (!s) return tl::unexpected(s.error());
  s->bind(1, id);
  const auto row = s->step();
  if (!row) return tl::unexpected(row.error());
  if (!*row) return std::optional<StepMatch>{};
  return std::optional(match_row(*s));
}

Result<int64_t> Reader::index_in_pass(const StepMatch& match) {
  auto s = db_->prepare("SELECT count(*) FROM matches WHERE pass=? AND id<?");
  if (!s) return tl::unexpected(s.error());
  s->bind(1, match.pass);
  s->bind(2, match.id);
  const auto row = s->step();
  if (!row) return tl::unexpected(row.error());
  return *row ? s->integer(0) : 0;
}

Result<UOp> Reader::node(int64_t number) {
  try {
    return blocks_->node(number);
  } catch (const GraphError& e) {
    return tl::unexpected(Error{fmt::format("{} is damaged: {}", path_, e.message())});
  }
}

Result<int64_t> Reader::made_by(int64_t number) {
  const auto p = blocks_->packed(number);
  if (!p) return tl::unexpected(p.error());
  return (*p)->made_by;
}

int64_t Reader::number_of(UOp u) const {
  return blocks_->number_of(u);
}

std::optional<Metadata> Reader::metadata(int64_t number) {
  auto s = db_->prepare("SELECT coalesce(name, ''), coalesce(location, '') FROM node_metadata WHERE node=?");
  if (!s) return std::nullopt;
  s->bind(1, number);
  const auto row = s->step();
  if (!row || !*row) return std::nullopt;
  return Metadata{std::string(s->text(0)), std::string(s->text(1))};
}

}  // namespace rangescope::trace
