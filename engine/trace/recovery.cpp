#include "engine/trace/recovery.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "engine/trace/schema.h"

namespace rangescope::trace {

namespace fs = std::filesystem;

namespace {

Result<void> check_identity(const Database& db, const std::string& path) {
  const auto id = db.integer("PRAGMA application_id");
  if (!id) return tl::unexpected(id.error());
  if (*id != kApplicationId)
    return tl::unexpected(Error{path + " is not a trace of Rangescope (it is another SQLite database)."});
  const auto version = db.integer("PRAGMA user_version");
  if (!version) return tl::unexpected(version.error());
  if (*version < 1 || *version > kFormatVersion)
    return tl::unexpected(
        Error{fmt::format("{} has trace format {}; this program reads up to {}. Use a newer Rangescope.", path,
                          *version, kFormatVersion)});
  // a first query on a table: a file cut short shows here
  if (const auto n = db.integer("SELECT count(*) FROM passes"); !n)
    return tl::unexpected(Error{fmt::format("{} is damaged or cut short: {}", path, n.error().message)});
  return {};
}

Result<OpenedForReading> open_copy(const std::string& path) {
  std::error_code ec;
  std::string folder = (fs::temp_directory_path(ec) / "rangescope-XXXXXX").string();
  if (ec || ::mkdtemp(folder.data()) == nullptr)
    return tl::unexpected(Error{"cannot make a temporary folder to recover " + path + " in."});
  const fs::path copy = fs::path(folder) / "trace.rscope";
  fs::copy_file(path, copy, ec);
  if (!ec && fs::exists(path + "-wal")) fs::copy_file(path + "-wal", copy.string() + "-wal", ec);
  if (ec) {
    remove_private_copy(folder);
    return tl::unexpected(Error{fmt::format("cannot copy {} to recover it: {}.", path, ec.message())});
  }
  auto db = Database::open(copy.string(), Database::Mode::ReadWrite);
  Result<void> ok = db ? Result<void>() : tl::unexpected(db.error());
  if (ok) ok = check_identity(**db, path);
  if (ok) ok = (*db)->execute("PRAGMA wal_checkpoint(TRUNCATE)");
  if (ok) ok = (*db)->execute("PRAGMA query_only=1");
  if (!ok) {
    remove_private_copy(folder);
    return tl::unexpected(ok.error());
  }
  return OpenedForReading{std::move(*db), folder};
}

}  // namespace

Result<OpenedForReading> open_for_reading(const std::string& path) {
  std::error_code ec;
  if (!fs::exists(path, ec)) return tl::unexpected(Error{"there is no file " + path + "."});
  if (fs::is_directory(path, ec)) return tl::unexpected(Error{path + " is a folder, not a trace."});
  const bool has_log = fs::exists(path + "-wal", ec);
  const bool live = has_log && fs::exists(path + "-shm", ec) && ::access((path + "-shm").c_str(), W_OK) == 0;
  if (has_log && !live) return open_copy(path);
  auto db = Database::open(path, Database::Mode::ReadOnly);
  if (!db) return tl::unexpected(db.error());
  if (auto ok = check_identity(**db, path); !ok) {
    if (has_log) return open_copy(path);
    return tl::unexpected(ok.error());
  }
  return OpenedForReading{std::move(*db), {}};
}

void remove_private_copy(const std::string& folder) {
  std::error_code ec;
  fs::remove_all(folder, ec);
}

}  // namespace rangescope::trace
