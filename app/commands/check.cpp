#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <regex>

#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"
#include "engine/ir/line_reader.h"
#include "engine/trace/query.h"

namespace rangescope::app {

namespace {

std::string quoted(const std::string& name) {
  std::string s = "'";
  for (const char c : name) s += c == '\'' ? "''" : std::string(1, c);
  return s + "'";
}

// The words of an expectation that stand for a query. {} is the name between them.
struct Measure {
  const char* pattern;
  const char* sql;
};
const Measure kMeasures[] = {
    {"kernels", "SELECT count(*) FROM schedule WHERE kind = 'kernel'"},
    {"copies", "SELECT count(*) FROM schedule WHERE kind = 'copy'"},
    {"passes", "SELECT count(*) FROM passes WHERE NOT is_group"},
    {"matches", "SELECT count(*) FROM matches"},
    {"errors", "SELECT count(*) FROM errors"},
    {"pass (.+) count", "SELECT count(*) FROM passes WHERE name = {} AND NOT is_group"},
    {"pass (.+) matches", "SELECT sum(matches) FROM passes WHERE name = {} AND NOT is_group"},
    {"rule (.+) fired",
     "SELECT count(*) FROM matches WHERE rule IN (SELECT id FROM rules WHERE name = {0} OR ref = {0})"},
};

std::optional<std::string> sql_of(const std::string& subject) {
  static const std::regex select(R"((select|with)\s[^]*)", std::regex::icase);
  if (std::regex_match(subject, select)) return subject;
  for (const Measure& m : kMeasures) {
    std::smatch found;
    if (!std::regex_match(subject, found, std::regex(m.pattern))) continue;
    return found.size() > 1 ? fmt::format(fmt::runtime(m.sql), quoted(found[1])) : m.sql;
  }
  return std::nullopt;
}

bool holds(double value, std::string_view relation, double bound) {
  if (relation == "=" || relation == "==") return value == bound;
  if (relation == "!=") return value != bound;
  if (relation == "<") return value < bound;
  if (relation == "<=") return value <= bound;
  if (relation == ">") return value > bound;
  return value >= bound;
}

// The one number that a query gives.
Result<double> number_of(trace::Reader& reader, const std::string& sql) {
  const auto r = trace::query(reader, sql, {.rows = 2, .time = std::chrono::seconds(60)});
  if (!r) return tl::unexpected(r.error());
  if (r->rows.size() != 1 || r->cut || r->rows[0].size() != 1)
    return refuse("an expectation needs a query that gives one row with one number");
  const std::string& text = r->rows[0][0];
  if (text == "NULL") return refuse("there is nothing of that name in the trace");
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return refuse("not a number: " + text);
  return value;
}

enum class Verdict : uint8_t { Holds, Fails, NotUnderstood };

// Prints why an expectation does not hold.
Verdict check_line(trace::Reader& reader, const std::string& line, const std::string& where) {
  static const std::regex shape(R"(\s*(\S(?:[^]*?\S)?)\s*(==|=|!=|<=|>=|<|>)\s*(-?[0-9]+(?:\.[0-9]+)?)\s*)");
  std::smatch parts;
  const auto sql = std::regex_match(line, parts, shape) ? sql_of(parts[1]) : std::nullopt;
  if (!sql) {
    print_error(
        fmt::format("{}: not understood: \"{}\". An expectation is a measure (kernels, copies, passes, matches, "
                    "errors, pass NAME count, pass NAME matches, rule NAME fired, or SQL that gives one number), "
                    "one of = != < <= > >=, and a number.",
                    where, line));
    return Verdict::NotUnderstood;
  }
  const auto value = number_of(reader, *sql);
  if (!value) {
    print_error(fmt::format("{}: {}: {}.", where, line, value.error().message));
    return Verdict::Fails;
  }
  if (holds(*value, parts[2].str(), std::stod(parts[3]))) return Verdict::Holds;
  print_error(fmt::format("{}: {}: it is {}.", where, line, *value));
  return Verdict::Fails;
}

}  // namespace

int run_check(const CheckOptions& options) {
  auto reader = trace::Reader::open(options.trace);
  auto lines = reader ? LineReader::open(options.expect) : Result<LineReader>(tl::unexpected(reader.error()));
  if (!lines) {
    print_error(lines.error().message);
    return kFailed;
  }
  size_t number = 0, held = 0, failed = 0;
  bool understood = true;
  for (std::string line;;) {
    const auto more = lines->next(line);
    if (!more) {
      print_error(more.error().message);
      return kFailed;
    }
    if (!*more) break;
    ++number;
    const size_t text = line.find_first_not_of(" \t\r");
    if (text == std::string::npos || line[text] == '#') continue;
    switch (check_line(**reader, line, fmt::format("{}:{}", options.expect, number))) {
      case Verdict::Holds:
        ++held;
        break;
      case Verdict::NotUnderstood:
        understood = false;
        [[fallthrough]];
      case Verdict::Fails:
        ++failed;
        break;
    }
  }
  if (held + failed == 0) {
    print_error(options.expect + ": there is no expectation in it.");
    return kUsage;
  }
  fmt::print("{} of {} expectations hold\n", held, held + failed);
  if (!understood) return kUsage;
  return failed == 0 ? kOk : kFailed;
}

}  // namespace rangescope::app
