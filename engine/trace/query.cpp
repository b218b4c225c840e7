#include "engine/trace/query.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "engine/ir/json.h"

namespace rangescope::trace {

namespace {

int authorise(void*, int action, const char* what, const char*, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return what != nullptr && std::string_view(what) == "load_extension" ? SQLITE_DENY : SQLITE_OK;
    default:
      return SQLITE_DENY;
  }
}

using Clock = std::chrono::steady_clock;

struct Patience {
  Clock::time_point deadline;
  std::stop_token stop;
};

int out_of_patience(void* patience) {
  const auto& p = *static_cast<Patience*>(patience);
  return p.stop.stop_requested() || Clock::now() > p.deadline ? 1 : 0;
}

// A function of one node; `text` gives nothing where it has no answer.
template <std::string (*text)(Reader&, UOp, int64_t)>
void node_function(sqlite3_context* ctx, int, sqlite3_value** argv) {
  auto& reader = *static_cast<Reader*>(sqlite3_user_data(ctx));
  const int64_t number = sqlite3_value_int64(argv[0]);
  const Result<UOp> u = reader.node(number);
  if (!u) {
    sqlite3_result_null(ctx);
    return;
  }
  const std::string s = text(reader, *u, number);
  sqlite3_result_text64(ctx, s.data(), s.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

std::string op_text(Reader&, UOp u, int64_t) {
  return std::string(op_name(u.op()));
}
std::string dtype_text(Reader&, UOp u, int64_t) {
  return std::string(dtype_name(u.dtype()));
}
std::string arg_text(Reader&, UOp u, int64_t) {
  return to_json(u.arg());
}
std::string srcs_text(Reader& reader, UOp u, int64_t) {
  std::string s = "[";
  for (const UOp x : u.srcs()) s += (s.size() > 1 ? "," : "") + std::to_string(reader.number_of(x));
  return s + "]";
}
std::string maker_text(Reader& reader, UOp, int64_t number) {
  const auto m = reader.made_by(number);
  return std::to_string(m ? *m : 0);
}

std::string size_text(Reader&, UOp u, int64_t) {
  return std::to_string(u.backward_slice_size() + 1);
}

void add_functions(Reader& reader) {
  sqlite3* db = reader.database().handle();
  const auto add = [&](const char* name, void (*f)(sqlite3_context*, int, sqlite3_value**)) {
    sqlite3_create_function_v2(db, name, 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, &reader, f, nullptr, nullptr, nullptr);
  };
  add("node_op", node_function<op_text>);
  add("node_dtype", node_function<dtype_text>);
  add("node_arg", node_function<arg_text>);
  add("node_srcs", node_function<srcs_text>);
  add("node_made_by", node_function<maker_text>);
  add("graph_size", node_function<size_text>);
}

// The guards hold for one query: the reader's own statements are not subject to them.
class Guard {
 public:
  Guard(sqlite3* db, const QueryLimits& limits) : db_(db), patience_{Clock::now() + limits.time, limits.stop} {
    sqlite3_set_authorizer(db_, authorise, nullptr);
    sqlite3_progress_handler(db_, 1000, out_of_patience, &patience_);
  }
  ~Guard() {
    sqlite3_set_authorizer(db_, nullptr, nullptr);
    sqlite3_progress_handler(db_, 0, nullptr, nullptr);
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  sqlite3* db_;
  Patience patience_;
};

}  // namespace

Result<QueryResult> query(Reader& reader, const std::string& sql, const QueryLimits& limits) {
  sqlite3* db = reader.database().handle();
  add_functions(reader);
  const Guard guard(db, limits);
  sqlite3_stmt* raw = nullptr;
  const char* tail = nullptr;
  if (sqlite3_prepare_v2(db, sql.c_str(), static_cast<int>(sql.size()), &raw, &tail) != SQLITE_OK) {
    const std::string why = sqlite3_errmsg(db);
    return tl::unexpected(Error{why == "not authorized" ? "only SELECT is allowed on a trace." : why});
  }
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(raw, sqlite3_finalize);
  if (raw == nullptr) return tl::unexpected(Error{"the query is empty."});
  if (tail != nullptr && std::string_view(tail).find_first_not_of(" \t\r\n;") != std::string_view::npos)
    return tl::unexpected(Error{"one statement at a time, please."});
  if (sqlite3_stmt_readonly(raw) == 0) return tl::unexpected(Error{"only SELECT is allowed on a trace."});
  QueryResult out;
  const int columns = sqlite3_column_count(raw);
  for (int c = 0; c < columns; ++c) out.columns.emplace_back(sqlite3_column_name(raw, c));
  for (;;) {
    const int rc = sqlite3_step(raw);
    if (rc == SQLITE_DONE) return out;
    if (rc != SQLITE_ROW) {
      if ((rc & 0xff) == SQLITE_INTERRUPT && limits.stop.stop_requested())
        return tl::unexpected(Error{"the query was stopped."});
      if ((rc & 0xff) == SQLITE_INTERRUPT)
        return tl::unexpected(Error{fmt::format(
            "the query ran longer than {} ms and was stopped. Add a WHERE or a LIMIT.", limits.time.count())});
      return tl::unexpected(Error{sqlite3_errmsg(db)});
    }
    if (static_cast<int64_t>(out.rows.size()) >= limits.rows) {
      out.cut = true;
      return out;
    }
    auto& row = out.rows.emplace_back();
    for (int c = 0; c < columns; ++c) {
      if (sqlite3_column_type(raw, c) == SQLITE_NULL) {
        row.emplace_back("NULL");
      } else if (sqlite3_column_type(raw, c) == SQLITE_BLOB) {
        row.push_back(fmt::format("<{} bytes>", sqlite3_column_bytes(raw, c)));
      } else {
        row.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(raw, c)));
      }
    }
  }
}

}  // namespace rangescope::trace
