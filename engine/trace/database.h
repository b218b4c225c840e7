#pragma once
// SQLite with errors as values: what failed, on which file, in SQLite's words.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/ir/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace rangescope::trace {

class Database;

class Statement {
 public:
  // Parameters count from 1.
  void bind(int i, int64_t v);
  void bind(int i, double v);
  void bind(int i, std::string_view text);
  void bind_blob(int i, std::string_view bytes);
  void bind_null(int i);
  template <class T>
  void bind(int i, const std::optional<T>& v) {
    if (v)
      bind(i, *v);
    else
      bind_null(i);
  }

  Result<bool> step();     // false: no more rows
  Result<void> execute();  // step to the end and reset
  void reset();

  int64_t integer(int column) const;
  double real(int column) const;
  std::string_view text(int column) const;  // valid until the next step
  std::string_view blob(int column) const;
  bool is_null(int column) const;
  int columns() const;
  std::string_view column_name(int column) const;
  sqlite3_stmt* handle() const { return statement_.get(); }

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* s) const;
  };
  Statement(sqlite3_stmt* s, const Database* db) : statement_(s), db_(db) {}
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  const Database* db_;
};

class Database {
 public:
  enum class Mode : uint8_t { Create, ReadWrite, ReadOnly };
  static Result<std::unique_ptr<Database>> open(const std::string& path, Mode mode);

  // For who follows a file: every statement must be gone. Closed, only open_again() may be called.
  void close() { db_.reset(); }
  Result<void> open_again(Mode mode);

  Result<void> execute(std::string_view sql);
  Result<Statement> prepare(std::string_view sql) const;
  Result<int64_t> integer(std::string_view sql) const;  // first column of the first row
  Error error(std::string_view doing) const;
  sqlite3* handle() const { return db_.get(); }
  const std::string& path() const { return path_; }
  int64_t last_insert_id() const;

 private:
  struct Close {
    void operator()(sqlite3* db) const;
  };
  explicit Database(std::string path) : path_(std::move(path)) {}
  std::string path_;
  std::unique_ptr<sqlite3, Close> db_;
};

}  // namespace rangescope::trace
