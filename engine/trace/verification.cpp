#include "engine/trace/verification.h"

#include <nlohmann/json.hpp>

#include "engine/trace/writer.h"

namespace rangescope::trace {

Result<void> note_verification(const std::string& path, const Verification& found) {
  auto writer = Writer::append(path);
  if (!writer) return tl::unexpected(writer.error());
  const nlohmann::json j{{"kept", found.kept}, {"pass", found.pass}, {"match", found.match}, {"text", found.text}};
  std::string text = j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  (*writer)->post([text = std::move(text)](Database& db) -> Result<void> {
    auto s = db.prepare("INSERT OR REPLACE INTO meta VALUES('verification',?)");
    if (!s) return tl::unexpected(s.error());
    s->bind(1, std::string_view(text));
    return s->execute();
  });
  return (*writer)->close();
}

std::optional<Verification> verification(const Reader& reader) {
  const auto note = reader.meta("verification");
  if (!note) return std::nullopt;
  const auto j = nlohmann::json::parse(*note, nullptr, false);
  if (!j.is_object()) return std::nullopt;
  const auto integer = [&](const char* key, int64_t otherwise) {
    const auto it = j.find(key);
    return it != j.end() && it->is_number_integer() ? it->get<int64_t>() : otherwise;
  };
  Verification v;
  if (const auto kept = j.find("kept"); kept != j.end() && kept->is_boolean()) v.kept = kept->get<bool>();
  v.pass = integer("pass", 0), v.match = integer("match", -1);
  if (const auto text = j.find("text"); text != j.end() && text->is_string()) v.text = text->get<std::string>();
  return v;
}

}  // namespace rangescope::trace
