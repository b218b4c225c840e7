#pragma once
// Whether a file has the tables and views of its version, and values of the right kind in every column. What is right
// is read from the statements that make a trace.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/trace/database.h"

namespace rangescope::trace {

struct SchemaColumn {
  std::string name, type;  // INTEGER, TEXT, REAL, BLOB
  bool may_be_null = true;
  bool names_the_row = false;  // part of the primary key
};

struct SchemaTable {
  std::string name;
  bool view = false;
  std::vector<SchemaColumn> columns;
};

// Tables and views of a version of the format, by name.
Result<std::vector<SchemaTable>> schema_of_version(int64_t version);

using Found = std::function<void(std::string where, std::string what)>;

// False: something is missing, and nothing else can be asked.
Result<bool> check_tables(Database& db, const std::vector<SchemaTable>& schema, const Found& found);

// SQLite keeps what it is given: a text in an integer column stays a text. At most `most` rows of each table.
Result<void> check_values(Database& db, const std::vector<SchemaTable>& schema, size_t most, const Found& found);

}  // namespace rangescope::trace
