#include "engine/trace/realized.h"

#include "engine/trace/each_row.h"

namespace rangescope::trace {

Result<std::vector<Realized>> realized(Reader& reader) {
  std::vector<Realized> out;
  Database& db = reader.database();
  const auto there = db.integer("SELECT count(*) FROM sqlite_master WHERE type='table' AND name='x_realized'");
  if (!there) return tl::unexpected(there.error());
  if (*there == 0) return out;
  const auto r = each_row(db, "SELECT section, pass, node, ranges, reason FROM x_realized ORDER BY rowid",
                          [&](const Statement& s) -> Result<void> {
                            Realized row{s.integer(0), s.integer(1), s.integer(2), {}, std::string(s.text(4))};
                            std::string name;
                            for (const char c : std::string(s.text(3)) + " ") {
                              if (c != ' ') {
                                name += c;
                              } else if (!name.empty()) {
                                row.ranges.push_back(std::move(name));
                                name.clear();
                              }
                            }
                            out.push_back(std::move(row));
                            return {};
                          });
  if (!r) return tl::unexpected(r.error());
  return out;
}

}  // namespace rangescope::trace
