#pragma once
// Read-only SQL over a trace, for the query panel and `rangescope query`. One SELECT; no writing, no attaching, no
// loading; a limit on rows and on time. Besides SQLite's own functions there are node_op(n), node_dtype(n),
// node_arg(n), node_srcs(n), node_made_by(n) and graph_size(n).

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/trace/reader.h"

namespace rangescope::trace {

struct QueryLimits {
  int64_t rows = 10000;
  std::chrono::milliseconds time{5000};
  std::stop_token stop = {};  // whoever asked no longer wants to know
};

struct QueryResult {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // text of each cell; null is "NULL"
  bool cut = false;                            // there were more rows than the limit
};

Result<QueryResult> query(Reader& reader, const std::string& sql, const QueryLimits& limits = {});

}  // namespace rangescope::trace
