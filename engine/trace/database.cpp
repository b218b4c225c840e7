#include "engine/trace/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

namespace rangescope::trace {

void Statement::Finalize::operator()(sqlite3_stmt* s) const {
  sqlite3_finalize(s);
}
void Database::Close::operator()(sqlite3* db) const {
  sqlite3_close(db);
}

void Statement::bind(int i, int64_t v) {
  sqlite3_bind_int64(statement_.get(), i, v);
}
void Statement::bind(int i, double v) {
  sqlite3_bind_double(statement_.get(), i, v);
}
void Statement::bind(int i, std::string_view text) {
  sqlite3_bind_text64(statement_.get(), i, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}
void Statement::bind_blob(int i, std::string_view bytes) {
  sqlite3_bind_blob64(statement_.get(), i, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
}
void Statement::bind_null(int i) {
  sqlite3_bind_null(statement_.get(), i);
}

Result<bool> Statement::step() {
  switch (sqlite3_step(statement_.get())) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      return false;
    default:
      return tl::unexpected(db_->error("reading or writing"));
  }
}

Result<void> Statement::execute() {
  for (;;) {
    const Result<bool> row = step();
    if (!row) {
      sqlite3_reset(statement_.get());
      return tl::unexpected(row.error());
    }
    if (!*row) break;
  }
  reset();
  return {};
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
}

int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}
double Statement::real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}
std::string_view Statement::text(int column) const {
  const auto* p = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return p == nullptr ? std::string_view{}
                      : std::string_view(p, static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column)));
}
std::string_view Statement::blob(int column) const {
  const auto* p = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  return p == nullptr ? std::string_view{}
                      : std::string_view(p, static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column)));
}
bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}
int Statement::columns() const {
  return sqlite3_column_count(statement_.get());
}
std::string_view Statement::column_name(int column) const {
  const char* name = sqlite3_column_name(statement_.get(), column);
  return name == nullptr ? "" : name;
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path, Mode mode) {
  std::unique_ptr<Database> db(new Database(path));
  if (auto r = db->open_again(mode); !r) return tl::unexpected(r.error());
  return db;
}

Result<void> Database::open_again(Mode mode) {
  const int flags = mode == Mode::ReadOnly ? SQLITE_OPEN_READONLY
                                           : SQLITE_OPEN_READWRITE | (mode == Mode::Create ? SQLITE_OPEN_CREATE : 0);
  sqlite3* raw = nullptr;
  const int rc = sqlite3_open_v2(path_.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  db_.reset(raw);
  if (rc != SQLITE_OK) return tl::unexpected(error("opening"));
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, 2000);
  // The schema of a file from a stranger may hold triggers and views that call functions: run none of them.
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  return {};
}

Error Database::error(std::string_view doing) const {
  const char* what = db_ ? sqlite3_errmsg(db_.get()) : "out of memory";
  const int code = db_ ? sqlite3_errcode(db_.get()) : SQLITE_NOMEM;
  std::string hint;
  if (code == SQLITE_FULL) hint = " Free some space on that disk and try again.";
  if (code == SQLITE_CANTOPEN) hint = " Check that the folder exists and that you may write there.";
  if (code == SQLITE_NOTADB)
    return Error{fmt::format("{} is not a trace of Rangescope, or it is damaged: {}.", path_, what)};
  return Error{fmt::format("{} {}: {}.{}", doing, path_, what, hint)};
}

Result<void> Database::execute(std::string_view sql) {
  const std::string text(sql);
  if (sqlite3_exec(db_.get(), text.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    return tl::unexpected(error("writing"));
  return {};
}

Result<Statement> Database::prepare(std::string_view sql) const {
  sqlite3_stmt* s = nullptr;
  if (sqlite3_prepare_v2(db_.get(), sql.data(), static_cast<int>(sql.size()), &s, nullptr) != SQLITE_OK)
    return tl::unexpected(error("reading"));
  return Statement(s, this);
}

Result<int64_t> Database::integer(std::string_view sql) const {
  Result<Statement> s = prepare(sql);
  if (!s) return tl::unexpected(s.error());
  const Result<bool> row = s->step();
  if (!row) return tl::unexpected(row.error());
  return *row ? s->integer(0) : 0;
}

int64_t Database::last_insert_id() const {
  return sqlite3_last_insert_rowid(db_.get());
}

}  // namespace rangescope::trace
