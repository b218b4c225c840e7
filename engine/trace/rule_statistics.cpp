#include "engine/trace/rule_statistics.h"

#include <algorithm>

#include "engine/trace/each_row.h"
#include "engine/trace/writer.h"

namespace rangescope::trace {

Result<std::map<std::string, RuleStatistics, std::less<>>> rule_statistics(Reader& reader) {
  std::map<std::string, RuleStatistics, std::less<>> out;
  Database& db = reader.database();
  // what a foreign trace leaves empty is shown as that
  auto done =
      each_row(db,
               "SELECT r.name, coalesce(r.ref, ''), s.hits, s.ns FROM rule_statistics s JOIN rules r USING (id) "
               "ORDER BY r.id",
               [&](Statement& row) -> Result<void> {
                 RuleStatistics& s = out[std::string(row.text(0))];
                 s.ref = std::string(row.text(1));
                 s.hits += row.integer(2);
                 s.ns += row.integer(3);
                 return {};
               });
  if (!done) return tl::unexpected(done.error());
  bool has_attempts = false;
  done = each_row(db, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'x_attempts'",
                  [&](Statement&) -> Result<void> {
                    has_attempts = true;
                    return {};
                  });
  if (done && has_attempts)
    done = each_row(db, "SELECT name, attempts FROM x_attempts", [&](Statement& row) -> Result<void> {
      out[std::string(row.text(0))].attempts = row.integer(1);
      return {};
    });
  if (!done) return tl::unexpected(done.error());
  return out;
}

void post_attempts(Writer& writer, std::vector<std::pair<std::string_view, int64_t>> attempts) {
  std::ranges::sort(attempts);  // whoever counted may have done so in any order
  writer.post([attempts = std::move(attempts)](Database& db) -> Result<void> {
    for (const char* sql : {"DROP TABLE IF EXISTS x_attempts",
                            "CREATE TABLE x_attempts(name TEXT PRIMARY KEY, attempts INTEGER NOT NULL) WITHOUT ROWID"})
      if (auto s = db.prepare(sql); !s)
        return tl::unexpected(s.error());
      else if (auto done = s->execute(); !done)
        return done;
    auto insert = db.prepare(
        "INSERT INTO x_attempts VALUES(?, ?) ON CONFLICT(name) DO UPDATE SET attempts = attempts + excluded.attempts");
    if (!insert) return tl::unexpected(insert.error());
    for (const auto& [name, count] : attempts) {
      insert->bind(1, name);
      insert->bind(2, count);
      if (auto done = insert->execute(); !done) return done;
    }
    return {};
  });
}

}  // namespace rangescope::trace
