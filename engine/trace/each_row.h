#pragma once

#include <string_view>

#include "engine/trace/database.h"

namespace rangescope::trace {

// Calls `f(row)` for every row of a query, until one of them is an error.
template <class F>
Result<void> each_row(Database& db, std::string_view sql, F f) {
  auto s = db.prepare(sql);
  if (!s) return tl::unexpected(s.error());
  for (;;) {
    const auto row = s->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return {};
    if (auto r = f(*s); !r) return r;
  }
}

}  // namespace rangescope::trace
