#pragma once
// The trace file: one SQLite database, extension .rscope. resources/docs/trace-format.md documents every table and
// column, and trace-schema.sql beside it holds the statements that make them.

#include <cstdint>
#include <string_view>

namespace rangescope::trace {

inline constexpr int32_t kApplicationId = 0x52534350;  // "RSCP"
inline constexpr int32_t kFormatVersion = 2;

// Tables and views of a new file.
extern const std::string_view kCreateTables;
// Indexes, made once the recording is complete: kept up to date they would cost several times the inserts.
extern const std::string_view kCreateIndexes;

// Nodes stand in blocks of up to this many: one row each would be twice the size and several times the work.
inline constexpr uint32_t kNodesPerBlock = 256;

// Why values are materialized (trace-format.md): made with its first row.
inline constexpr std::string_view kCreateRealized =
    "CREATE TABLE IF NOT EXISTS x_realized(section INTEGER NOT NULL, pass INTEGER NOT NULL, node INTEGER NOT NULL, "
    "ranges TEXT NOT NULL, reason TEXT NOT NULL)";

}  // namespace rangescope::trace
