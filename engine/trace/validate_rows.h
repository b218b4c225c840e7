#pragma once
// What each row of a trace must hold, as SQL that finds the rows that do not.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rangescope::trace {

struct RowCheck {
  std::string_view table;      // for the message
  std::string_view from;       // table or join
  std::string_view id;         // what names the row
  std::string_view wrong;      // condition; {N} is the number of nodes
  std::string_view what;       // what is wrong then
  int64_t since = 1;           // version
  bool when_complete = false;  // only then
};

std::span<const RowCheck> row_checks();
std::string with_node_count(std::string_view sql, int64_t nodes);

}  // namespace rangescope::trace
