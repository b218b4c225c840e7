#include "engine/trace/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"
#include "engine/ir/json_reader.h"
#include "engine/trace/saved_queries.h"

namespace rangescope::app {

namespace {

void print_table(const trace::QueryResult& r) {
  std::vector<size_t> widths;
  for (const std::string& c : r.columns) widths.push_back(c.size());
  for (const auto& row : r.rows)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], std::min<size_t>(row[i].size(), 60));
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string s;
    for (size_t i = 0; i < cells.size(); ++i)
      s += i + 1 < cells.size() ? fmt::format("{:<{}}  ", cells[i], widths[i]) : cells[i];
    fmt::print("{}\n", s);
  };
  line(r.columns);
  for (const auto& row : r.rows) line(row);
}

void print_json(const trace::QueryResult& r) {
  for (const auto& row : r.rows) {
    std::string s = "{";
    for (size_t i = 0; i < row.size(); ++i) {
      if (i > 0) s += ',';
      append_json_string(s, r.columns[i]);
      s += ':';
      append_json_string(s, row[i]);
    }
    fmt::print("{}}}\n", s);
  }
}

}  // namespace

int run_query(const QueryOptions& options) {
  if (options.list) {
    for (const trace::SavedQuery& q : trace::saved_queries()) fmt::print("{:<20}  {}\n", q.name, q.title);
    return kOk;
  }
  std::string sql = options.sql;
  if (!options.saved.empty()) {
    const trace::SavedQuery* q = trace::find_saved_query(options.saved);
    if (q == nullptr) {
      print_error(fmt::format("there is no query \"{}\": `rangescope query --list` lists them.", options.saved));
      return kFailed;
    }
    sql = q->sql;
  }
  if (options.trace.empty() || sql.empty()) {
    print_error("query wants a trace, and a SELECT or --saved NAME.");
    return kUsage;
  }
  auto opened = trace::Reader::open(options.trace);
  if (!opened) return failed(opened.error());
  const auto r =
      trace::query(**opened, sql, {.rows = options.rows, .time = std::chrono::milliseconds(options.milliseconds)});
  if (!r) return failed(r.error());
  if (options.json)
    print_json(*r);
  else
    print_table(*r);
  if (r->cut)
    print_error(fmt::format("there are more rows; the first {} are shown. --rows raises the limit.", options.rows));
  return kOk;
}

}  // namespace rangescope::app
