#pragma once
// Queries that come with the program, for the query panel and `rangescope query --saved`.

#include <span>
#include <string_view>

namespace rangescope::trace {

struct SavedQuery {
  std::string_view name;   // "expensive-rules"
  std::string_view title;  // "Most expensive rules"
  std::string_view sql;
};

std::span<const SavedQuery> saved_queries();
const SavedQuery* find_saved_query(std::string_view name);  // null: there is none

}  // namespace rangescope::trace
