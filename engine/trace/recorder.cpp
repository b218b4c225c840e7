#include "engine/trace/recorder.h"

#include <utility>

#include "engine/ir/text.h"
#include "engine/rewrite/decisions.h"
#include "engine/trace/rule_statistics.h"
#include "engine/trace/schema.h"
#include "engine/trace/varint.h"

namespace rangescope::trace {

namespace {
constexpr size_t kBatchEvents = 16384;
constexpr auto kBatchTime = std::chrono::milliseconds(100);
}  // namespace

Result<std::unique_ptr<Recorder>> Recorder::create(const std::string& path, Store& store) {
  auto writer = Writer::create(path);
  if (!writer) return tl::unexpected(writer.error());
  return std::unique_ptr<Recorder>(new Recorder(std::move(*writer), store));
}

Recorder::Recorder(std::unique_ptr<Writer> writer, Store& store)
    : writer_(std::move(writer)), store_(store), last_flush_(Clock::now()) {
  block_.first = 1;
  decisions(store_).realized = [this](UOp node, std::span<const UOp> ranges, std::string_view reason) {
    realized(node, ranges, reason);
  };
}

Recorder::~Recorder() {
  if (!finished_) decisions(store_).realized = nullptr;
}

void Recorder::realized(UOp node, std::span<const UOp> ranges, std::string_view reason) {
  RealizedRow row;
  row.section = section_;
  row.pass = open_.empty() ? 0 : open_.back().id;
  row.node = add(node, 0);
  for (const UOp r : ranges) row.ranges += (row.ranges.empty() ? "" : " ") + range_str(r);
  row.reason = reason;
  batch_.realized.push_back(std::move(row));
}

int64_t Recorder::begin_section(std::string_view kind, std::string_view name, UOp root) {
  abandon_passes();
  ++section_;
  batch_.sections.push_back({section_, std::string(kind), std::string(name), root ? add(root, 0) : 0});
  return section_;
}

int64_t Recorder::arg_id(const Arg* arg) {
  if (arg == &Arg::none()) return 0;
  const auto [it, fresh] = arg_ids_.try_emplace(arg, static_cast<int64_t>(arg_ids_.size()) + 1);
  if (fresh) batch_.args.emplace_back(it->second, arg);
  return it->second;
}

int64_t Recorder::rule_id(const Rule* rule) {
  const auto [it, fresh] = rule_ids_.try_emplace(rule, static_cast<int64_t>(rule_ids_.size()) + 1);
  if (fresh) batch_.rules.emplace_back(it->second, rule);
  return it->second;
}

void Recorder::close_block() {
  if (block_.count == 0) return;
  batch_.blocks.push_back(std::move(block_));
  block_ = NodeBlock{next_node_, 0, {}};
  block_made_by_ = 0;
}

void Recorder::pack(UOp u, int64_t made_by) {
  const int64_t id = next_node_++;
  number_[u.id()] = static_cast<uint32_t>(id);
  std::string& out = block_.data;
  out.push_back(static_cast<char>(u.op()));
  out.push_back(static_cast<char>(u.dtype()));
  append_varint(out, u.src_count());
  for (const UOp s : u.srcs()) append_varint(out, static_cast<uint64_t>(id - number_[s.id()]));
  append_varint(out, static_cast<uint64_t>(arg_id(u.node()->arg)));
  append_varint(out, static_cast<uint64_t>(arg_id(u.node()->tag)));
  append_varint(out, fold_sign(made_by - block_made_by_));
  block_made_by_ = made_by;
  if (const Metadata* m = store_.metadata(u)) batch_.metadata.push_back({id, *m});
  if (++block_.count == kNodesPerBlock) close_block();
}

int64_t Recorder::add(UOp root, int64_t made_by) {
  if (number_.size() < store_.node_count()) number_.resize(store_.node_count() + store_.node_count() / 4 + 64, 0);
  if (number_[root.id()] != 0) return number_[root.id()];
  stack_.clear();
  stack_.emplace_back(root, false);
  while (!stack_.empty()) {
    const auto [u, visited] = stack_.back();
    stack_.pop_back();
    if (number_[u.id()] != 0) continue;
    if (visited) {
      pack(u, made_by);
      continue;
    }
    stack_.emplace_back(u, true);
    const auto srcs = u.srcs();
    for (size_t i = srcs.size(); i-- > 0;)
      if (number_[srcs[i].id()] == 0) stack_.emplace_back(srcs[i], false);
  }
  return number_[root.id()];
}

void Recorder::pass_begin(const PassInfo& info, UOp root) {
  PassRow row;
  row.id = next_pass_++;
  row.section = section_;
  row.parent = open_.empty() ? 0 : open_.back().id;
  row.depth = info.depth;
  row.name = info.name;
  row.bottom_up = info.bottom_up;
  row.walk = info.walk;
  row.enter_calls = info.enter_calls;
  row.group = info.group;
  row.input = root ? add(root, 0) : 0;
  open_.push_back({row.id, 0, Clock::now()});
  batch_.passes.push_back(std::move(row));
}

void Recorder::rule_matched(const Rule& rule, UOp before, UOp after, uint64_t nanoseconds) {
  const int64_t id = next_match_++;
  const int64_t before_id = add(before, 0);
  ++open_.back().matches;
  batch_.matches.push_back({id, open_.back().id, before_id, add(after, id), rule_id(&rule), nanoseconds});
  maybe_flush();
}

void Recorder::rule_raised(const Rule& rule, UOp before, std::string_view message) {
  const int64_t id = next_match_++;
  if (raised_pass_ == 0) {
    raised_ = true;
    raised_pass_ = open_.empty() ? 0 : open_.back().id;
    batch_.errors.push_back({raised_pass_, id, std::string(message)});
  }
  batch_.matches.push_back({id, raised_pass_, add(before, 0), 0, rule_id(&rule), 0});
}

void Recorder::pass_end(UOp root) {
  const OpenPass& p = open_.back();
  batch_.pass_ends.push_back(
      {p.id, root ? add(root, 0) : 0, p.matches, static_cast<uint64_t>((Clock::now() - p.start).count())});
  open_.pop_back();
  maybe_flush();
}

void Recorder::abandon_passes() {
  for (size_t i = open_.size(); i-- > 0;)
    batch_.pass_ends.push_back(
        {open_[i].id, 0, open_[i].matches, static_cast<uint64_t>((Clock::now() - open_[i].start).count())});
  open_.clear();
  raised_pass_ = 0;
}

void Recorder::error_if_new(std::string_view message) {
  if (!raised_) batch_.errors.push_back({0, 0, std::string(message)});
}

void Recorder::meta(std::string key, std::string value) {
  writer_->post([key = std::move(key), value = std::move(value)](Database& db) -> Result<void> {
    auto s = db.prepare("INSERT OR REPLACE INTO meta VALUES(?,?)");
    if (!s) return tl::unexpected(s.error());
    s->bind(1, std::string_view(key));
    s->bind(2, std::string_view(value));
    return s->execute();
  });
}

void Recorder::maybe_flush() {
  const size_t events = batch_.events();
  if (events >= kBatchEvents || (events % 512 == 0 && Clock::now() - last_flush_ > kBatchTime)) flush();
}

void Recorder::flush() {
  close_block();
  last_flush_ = Clock::now();
  if (batch_.empty()) return;
  writer_->post(std::move(batch_));
  batch_ = Batch{};
}

Result<void> Recorder::finish(Writer::Replaced replaced) {
  abandon_passes();
  flush();
  if (!std::exchange(finished_, true)) decisions(store_).realized = nullptr;
  std::vector<std::pair<std::string_view, int64_t>> attempts;
  attempts.reserve(attempts_.size());
  for (const auto& [rule, count] : attempts_) attempts.emplace_back(rule->name, count);
  post_attempts(*writer_, std::move(attempts));
  return writer_->close(replaced);
}

}  // namespace rangescope::trace
