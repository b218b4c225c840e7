#include "engine/trace/writer.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "engine/ir/json.h"
#include "engine/trace/pattern_json.h"
#include "engine/trace/schema.h"

namespace rangescope::trace {

namespace {

constexpr size_t kMaxQueued = 32;

// Not a trace, then: a file that is never overwritten.
Result<void> check_is_trace(const std::string& path) {
  const auto db = Database::open(path, Database::Mode::ReadOnly);
  const auto id = db ? (*db)->integer("PRAGMA application_id") : Result<int64_t>(tl::unexpected(db.error()));
  if (!id || *id != kApplicationId)
    return tl::unexpected(
        Error{path + " exists and is not a trace of Rangescope. It is left as it is; name another file."});
  return {};
}

void remove_trace(const std::string& path) {
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) std::filesystem::remove(path + suffix, ignored);
}

// With what was committed to it but not folded in.
Result<void> move_trace(const std::string& from, const std::string& to) {
  std::error_code ec;
  remove_trace(to);
  std::filesystem::rename(from, to, ec);
  if (ec) return tl::unexpected(Error{fmt::format("cannot replace {}: {}.", from, ec.message())});
  for (const char* suffix : {"-wal", "-journal"})
    if (std::filesystem::exists(from + suffix, ec)) std::filesystem::rename(from + suffix, to + suffix, ec);
  std::filesystem::remove(from + "-shm", ec);
  return {};
}

// Where a trace that is recorded again stays until the new one is whole.
std::string old_name(const std::string& path) {
  return path + ".old";
}

// Makes place for a new trace. Gives the name that the trace that was there has now; empty: there was none.
Result<std::string> make_room(const std::string& path) {
  std::error_code ec;
  if (!std::filesystem::exists(path, ec)) return {};
  if (std::filesystem::is_directory(path, ec))
    return tl::unexpected(Error{path + " is a folder. Name a file to write the trace to."});
  if (!std::filesystem::is_regular_file(path, ec))
    return tl::unexpected(Error{path + " is a device or a pipe. A trace needs a file, which is written in any order."});
  if (std::filesystem::file_size(path, ec) == 0) {
    remove_trace(path);
    return {};
  }
  if (const auto r = check_is_trace(path); !r) return tl::unexpected(r.error());
  const std::string old = old_name(path);
  if (std::filesystem::exists(old, ec))
    if (const auto r = check_is_trace(old); !r) return tl::unexpected(r.error());
  if (const auto r = move_trace(path, old); !r) return tl::unexpected(r.error());
  return old;
}

Result<std::unique_ptr<Database>> create_database(const std::string& path) {
  auto db = Database::open(path, Database::Mode::Create);
  if (!db) return db;
  for (const std::string& sql :
       {fmt::format("PRAGMA application_id={}", kApplicationId), fmt::format("PRAGMA user_version={}", kFormatVersion),
        std::string("PRAGMA page_size=8192"), std::string("PRAGMA journal_mode=WAL"),
        std::string("PRAGMA synchronous=NORMAL"),
        "BEGIN;" + std::string(kCreateTables) + "INSERT INTO meta VALUES('status','recording');COMMIT;"})
    if (const auto r = (*db)->execute(sql); !r) return tl::unexpected(r.error());
  return db;
}

}  // namespace

namespace {

// A table of our own: most writers know nothing of such decisions.
Result<void> write_realized(Database& db, const std::vector<RealizedRow>& rows) {
  if (rows.empty()) return {};
  if (auto r = db.execute(kCreateRealized); !r) return r;
  auto s = db.prepare("INSERT INTO x_realized VALUES(?,?,?,?,?)");
  if (!s) return tl::unexpected(s.error());
  for (const RealizedRow& r : rows) {
    s->bind(1, r.section);
    s->bind(2, r.pass);
    s->bind(3, r.node);
    s->bind(4, std::string_view(r.ranges));
    s->bind(5, std::string_view(r.reason));
    if (auto e = s->execute(); !e) return e;
  }
  return {};
}

}  // namespace

struct Writer::Statements {
  Statement section, rule, arg, block, metadata, pass, pass_end, match, error;
  static Result<Statements> prepare(Database& db) {
    std::optional<Error> failed;
    const auto p = [&](const char* sql) -> std::optional<Statement> {
      auto s = db.prepare(sql);
      if (!s) {
        if (!failed) failed = s.error();
        return std::nullopt;
      }
      return std::move(*s);
    };
    auto a = p("INSERT INTO sections VALUES(?,?,?,?)");
    auto b = p("INSERT INTO rules VALUES(?,?,?,?,?,NULL)");
    auto c = p("INSERT INTO args VALUES(?,?)");
    auto d = p("INSERT INTO node_blocks VALUES(?,?,?)");
    auto e = p("INSERT OR REPLACE INTO node_metadata VALUES(?,?,?)");
    auto f = p("INSERT INTO passes VALUES(?,?,?,?,?,?,?,?,?,?,NULL,NULL,NULL)");
    auto g = p("UPDATE passes SET output=?2, matches=?3, ns=?4 WHERE id=?1");
    auto h = p("INSERT INTO matches VALUES(?,?,?,?,?,?)");
    auto i = p("INSERT INTO errors VALUES(NULL,?,?,?)");
    if (failed) return tl::unexpected(*failed);
    return Statements{std::move(*a), std::move(*b), std::move(*c), std::move(*d), std::move(*e),
                      std::move(*f), std::move(*g), std::move(*h), std::move(*i)};
  }
};

Result<std::unique_ptr<Writer>> Writer::create(const std::string& path) {
  const auto old = make_room(path);
  if (!old) return tl::unexpected(old.error());
  auto db = create_database(path);
  if (!db) {
    remove_trace(path);
    if (!old->empty()) (void)move_trace(*old, path);
    return tl::unexpected(db.error());
  }
  auto statements = Statements::prepare(**db);
  if (!statements) return tl::unexpected(statements.error());
  std::unique_ptr<Writer> w(new Writer(std::move(*db)));
  w->old_ = *old;
  w->statements_ = std::make_unique<Statements>(std::move(*statements));
  w->thread_ = std::thread([raw = w.get()] { raw->run(); });
  return w;
}

Result<std::unique_ptr<Writer>> Writer::append(const std::string& path) {
  auto db = Database::open(path, Database::Mode::ReadWrite);
  if (!db) return tl::unexpected(db.error());
  const auto id = (*db)->integer("PRAGMA application_id");
  if (!id) return tl::unexpected(id.error());
  if (*id != kApplicationId) return tl::unexpected(Error{path + " is not a trace of Rangescope."});
  const auto version = (*db)->integer("PRAGMA user_version");
  if (!version) return tl::unexpected(version.error());
  if (*version != kFormatVersion)
    return tl::unexpected(
        Error{fmt::format("{} has trace format {}, and only format {} can be added to. Record it again.", path,
                          *version, kFormatVersion)});
  if (const auto r = (*db)->execute("PRAGMA journal_mode=WAL"); !r) return tl::unexpected(r.error());
  auto statements = Statements::prepare(**db);
  if (!statements) return tl::unexpected(statements.error());
  std::unique_ptr<Writer> w(new Writer(std::move(*db)));
  w->statements_ = std::make_unique<Statements>(std::move(*statements));
  w->thread_ = std::thread([raw = w.get()] { raw->run(); });
  return w;
}

Writer::Writer(std::unique_ptr<Database> db) : db_(std::move(db)) {}

Writer::~Writer() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Writer::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stop_ || !queue_.empty(); });
    if (queue_.empty()) return;
    auto job = std::move(queue_.front());
    queue_.pop_front();
    const bool failed = error_.has_value();
    busy_ = true;
    lock.unlock();
    idle_.notify_all();  // room in the queue
    Result<void> done;
    if (!failed) {
      done = db_->execute("BEGIN");
      if (done) done = job(*db_);
      if (done) done = db_->execute("COMMIT");
      if (!done) (void)db_->execute("ROLLBACK");
    }
    lock.lock();
    busy_ = false;
    if (!done && !error_) error_ = done.error();
    idle_.notify_all();
  }
}

void Writer::enqueue(std::function<Result<void>(Database&)> job) {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [&] { return queue_.size() < kMaxQueued; });
  queue_.push_back(std::move(job));
  wake_.notify_one();
}

void Writer::post(std::function<Result<void>(Database&)> job) {
  enqueue(std::move(job));
}

void Writer::post(Batch batch) {
  enqueue([this, shared = std::make_shared<Batch>(std::move(batch))](Database&) { return write(*shared); });
}

Result<void> Writer::flush() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [&] { return queue_.empty() && !busy_; });
  if (error_) return tl::unexpected(*error_);
  return {};
}

Result<void> Writer::close(Replaced replaced) {
  const auto failed = [&](Error e) {
    if (!old_.empty()) e.message += fmt::format(" The trace that was there before is {} now.", old_);
    return tl::unexpected(std::move(e));
  };
  if (auto r = flush(); !r) return failed(r.error());
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  statements_.reset();
  for (const std::string& sql :
       {std::string(kCreateIndexes), std::string("INSERT OR REPLACE INTO meta VALUES('status','complete')"),
        std::string("PRAGMA wal_checkpoint(TRUNCATE)")})
    if (auto r = db_->execute(sql); !r) return failed(r.error());
  // Who follows the recording lets go of the file when it sees the closing mark. Where somebody holds it longer the log
  // stays beside the file, and the trace is none the worse.
  constexpr auto kPatience = std::chrono::seconds(2);
  const auto start = std::chrono::steady_clock::now();
  while (!db_->execute("PRAGMA journal_mode=DELETE") && std::chrono::steady_clock::now() - start < kPatience)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (!old_.empty() && replaced == Replaced::Remove) remove_trace(old_);
  return {};
}

Result<void> Writer::write(const Batch& batch) {
  Statements& s = *statements_;
  const auto id_or_null = [](Statement& st, int i, int64_t id) {
    if (id != 0)
      st.bind(i, id);
    else
      st.bind_null(i);
  };
  for (const SectionRow& r : batch.sections) {
    s.section.bind(1, r.id);
    s.section.bind(2, std::string_view(r.kind));
    s.section.bind(3, std::string_view(r.name));
    id_or_null(s.section, 4, r.root);
    if (auto e = s.section.execute(); !e) return e;
  }
  for (const auto& [id, rule] : batch.rules) {
    s.rule.bind(1, id);
    s.rule.bind(2, rule->name);
    s.rule.bind(3, rule->explanation);
    s.rule.bind(4, rule->ref);
    s.rule.bind(5, std::string_view(pattern_json(rule->pattern)));
    if (auto e = s.rule.execute(); !e) return e;
  }
  std::string json;
  for (const auto& [id, arg] : batch.args) {
    json.clear();
    append_json(json, *arg);
    s.arg.bind(1, id);
    s.arg.bind(2, std::string_view(json));
    if (auto e = s.arg.execute(); !e) return e;
  }
  for (const NodeBlock& b : batch.blocks) {
    s.block.bind(1, b.first);
    s.block.bind(2, static_cast<int64_t>(b.count));
    s.block.bind_blob(3, b.data);
    if (auto e = s.block.execute(); !e) return e;
  }
  for (const MetadataRow& m : batch.metadata) {
    s.metadata.bind(1, m.node);
    s.metadata.bind(2, std::string_view(m.metadata.name));
    s.metadata.bind(3, std::string_view(m.metadata.location));
    if (auto e = s.metadata.execute(); !e) return e;
  }
  for (const PassRow& p : batch.passes) {
    s.pass.bind(1, p.id);
    s.pass.bind(2, p.section);
    id_or_null(s.pass, 3, p.parent);
    s.pass.bind(4, static_cast<int64_t>(p.depth));
    s.pass.bind(5, std::string_view(p.name));
    s.pass.bind(6, static_cast<int64_t>(p.bottom_up));
    s.pass.bind(7, static_cast<int64_t>(p.walk));
    s.pass.bind(8, static_cast<int64_t>(p.enter_calls));
    s.pass.bind(9, static_cast<int64_t>(p.group));
    id_or_null(s.pass, 10, p.input);
    if (auto e = s.pass.execute(); !e) return e;
  }
  for (const MatchRow& m : batch.matches) {
    s.match.bind(1, m.id);
    s.match.bind(2, m.pass);
    s.match.bind(3, m.before);
    id_or_null(s.match, 4, m.after);
    s.match.bind(5, m.rule);
    s.match.bind(6, static_cast<int64_t>(m.ns));
    if (auto e = s.match.execute(); !e) return e;
  }
  for (const PassEnd& p : batch.pass_ends) {
    s.pass_end.bind(1, p.id);
    id_or_null(s.pass_end, 2, p.output);
    s.pass_end.bind(3, p.matches);
    s.pass_end.bind(4, static_cast<int64_t>(p.ns));
    if (auto e = s.pass_end.execute(); !e) return e;
  }
  for (const ErrorRow& r : batch.errors) {
    id_or_null(s.error, 1, r.pass);
    id_or_null(s.error, 2, r.match);
    s.error.bind(3, std::string_view(r.message));
    if (auto e = s.error.execute(); !e) return e;
  }
  return write_realized(*db_, batch.realized);
}

}  // namespace rangescope::trace
