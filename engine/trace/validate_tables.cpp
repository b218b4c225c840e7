#include "engine/trace/validate_tables.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "engine/trace/each_row.h"
#include "engine/trace/schema.h"

namespace rangescope::trace {

namespace {

// What came with version 2.
bool is_newer(int64_t version, std::string_view table, std::string_view column) {
  if (version >= 2) return false;
  return table == "launches" || table == "dispatch_times" ||
         (table == "dispatches" && (column == "part" || column == "start_ns"));
}

// The kinds of value that a column may hold, as SQLite's typeof names them.
std::string kinds_of(const SchemaColumn& column) {
  std::string kinds = column.type == "INTEGER" ? "'integer'"
                      : column.type == "REAL"  ? "'real', 'integer'"
                      : column.type == "BLOB"  ? "'blob'"
                                               : "'text'";
  if (column.may_be_null) kinds += ", 'null'";
  return kinds;
}

std::string_view wanted(const SchemaColumn& column) {
  return column.type == "INTEGER" ? "an integer"
         : column.type == "REAL"  ? "a number"
         : column.type == "BLOB"  ? "a blob"
                                  : "a text";
}

}  // namespace

Result<std::vector<SchemaTable>> schema_of_version(int64_t version) {
  auto db = Database::open(":memory:", Database::Mode::Create);
  if (!db) return tl::unexpected(db.error());
  if (auto r = (*db)->execute(kCreateTables); !r) return tl::unexpected(r.error());
  std::vector<SchemaTable> schema;
  auto r = each_row(**db, "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name",
                    [&](const Statement& s) -> Result<void> {
                      if (!is_newer(version, s.text(0), ""))
                        schema.push_back({std::string(s.text(0)), s.text(1) == "view", {}});
                      return {};
                    });
  for (SchemaTable& table : schema) {
    if (!r) break;
    if (table.view) continue;
    r = each_row(
        **db, fmt::format("SELECT name, type, \"notnull\", pk FROM pragma_table_info('{}')", table.name),
        [&](const Statement& s) -> Result<void> {
          const bool key = s.integer(3) > 0;
          if (!is_newer(version, table.name, s.text(0)))
            table.columns.push_back({std::string(s.text(0)), std::string(s.text(1)), s.integer(2) == 0 && !key, key});
          return {};
        });
  }
  if (!r) return tl::unexpected(r.error());
  return schema;
}

Result<bool> check_tables(Database& db, const std::vector<SchemaTable>& schema, const Found& found) {
  bool all = true;
  std::map<std::string, std::string> kinds;
  if (auto r = each_row(db, "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name",
                        [&](const Statement& s) -> Result<void> {
                          kinds.emplace(s.text(0), s.text(1));
                          return {};
                        });
      !r)
    return tl::unexpected(r.error());
  for (const SchemaTable& table : schema) {
    const std::string_view kind = table.view ? "view" : "table";
    const auto there = kinds.find(table.name);
    if (there == kinds.end() || there->second != kind) {
      found(fmt::format("{} {}", kind, table.name),
            there == kinds.end() ? "is missing" : fmt::format("is a {}", there->second));
      all = all && table.view;
    }
    if (there == kinds.end()) continue;
    kinds.erase(there);
    if (table.view) continue;
    std::set<std::string, std::less<>> columns;
    if (auto r = each_row(db, fmt::format("SELECT name FROM pragma_table_info('{}')", table.name),
                          [&](const Statement& s) -> Result<void> {
                            columns.emplace(s.text(0));
                            return {};
                          });
        !r)
      return tl::unexpected(r.error());
    for (const SchemaColumn& column : table.columns)
      if (!columns.contains(column.name)) {
        found("table " + table.name, fmt::format("has no column '{}'", column.name));
        all = false;
      }
  }
  for (const auto& [name, kind] : kinds)
    if (!name.starts_with("x_") && !name.starts_with("sqlite_"))
      found(fmt::format("{} {}", kind, name), "is not of the format; names of a writer's own begin with x_");
  return all;
}

Result<void> check_values(Database& db, const std::vector<SchemaTable>& schema, size_t most, const Found& found) {
  for (const SchemaTable& table : schema) {
    if (table.view) continue;
    std::string row, which, wrong;
    for (const SchemaColumn& column : table.columns) {
      if (column.names_the_row)
        row += fmt::format("{}coalesce({}, 'NULL')", row.empty() ? "" : " || '.' || ", column.name);
      const std::string bad = fmt::format("typeof({}) NOT IN ({})", column.name, kinds_of(column));
      which += fmt::format(" WHEN {} THEN '{} is ' || typeof({}) || ', not {}'", bad, column.name, column.name,
                           wanted(column));
      wrong += fmt::format("{}{}", wrong.empty() ? "" : " OR ", bad);
    }
    if (auto r = each_row(
            db, fmt::format("SELECT {}, CASE{} END FROM {} WHERE {} LIMIT {}", row, which, table.name, wrong, most),
            [&](const Statement& s) -> Result<void> {
              found(fmt::format("{} {}", table.name, s.text(0)), std::string(s.text(1)));
              return {};
            });
        !r)
      return r;
  }
  return {};
}

}  // namespace rangescope::trace
