#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string_view>

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

// The words of an expectation that stand for a query: all of it, or what stands before and after a name.
struct Measure {
  std::string_view before, after;  // without `after`, `before` is all
  const char* sql;
};
constexpr Measure kMeasures[] = {
    {"kernels", "", "SELECT count(*) FROM schedule WHERE kind = 'kernel'"},
    {"copies", "", "SELECT count(*) FROM schedule WHERE kind = 'copy'"},
    {"passes", "", "SELECT count(*) FROM passes WHERE NOT is_group"},
    {"matches", "", "SELECT count(*) FROM matches"},
    {"errors", "", "SELECT count(*) FROM errors"},
    {"pass ", " count", "SELECT count(*) FROM passes WHERE name = {} AND NOT is_group"},
    {"pass ", " matches", "SELECT sum(matches) FROM passes WHERE name = {} AND NOT is_group"},
    {"rule ", " fired",
     "SELECT count(*) FROM matches WHERE rule IN (SELECT id FROM rules WHERE name = {0} OR ref = {0})"},
};

std::optional<std::string> sql_of(std::string_view subject) {
  for (const std::string_view verb : {"SELECT ", "select ", "WITH ", "with "})
    if (subject.starts_with(verb)) return std::string(subject);
  for (const Measure& m : kMeasures) {
    if (m.after.empty() ? subject == m.before
                        : subject.size() > m.before.size() + m.after.size() && subject.starts_with(m.before) &&
                              subject.ends_with(m.after)) {
      if (m.after.empty()) return m.sql;
      subject.remove_prefix(m.before.size());
      subject.remove_suffix(m.after.size());
      return fmt::format(fmt::runtime(m.sql), quoted(std::string(subject)));
    }
  }
  return std::nullopt;
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && std::string_view(" \t\r").find(s.front()) != std::string_view::npos) s.remove_prefix(1);
  while (!s.empty() && std::string_view(" \t\r").find(s.back()) != std::string_view::npos) s.remove_suffix(1);
  return s;
}

// A line in its parts: what is measured, one of = == != < <= > >=, and a number.
struct Expectation {
  std::string_view subject, relation;
  double bound = 0;
};

std::optional<Expectation> parse(std::string_view line) {
  constexpr std::string_view kRelation = "=!<>";
  Expectation e;
  const size_t end = line.find_last_of(kRelation);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view number = trimmed(line.substr(end + 1));
  const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), e.bound);
  if (error != std::errc() || stop != number.data() + number.size()) return std::nullopt;
  size_t begin = end;
  if (begin > 0 && kRelation.find(line[begin - 1]) != std::string_view::npos) --begin;
  e.relation = line.substr(begin, end + 1 - begin);
  e.subject = trimmed(line.substr(0, begin));
  constexpr std::string_view kKnown[] = {"=", "==", "!=", "<", "<=", ">", ">="};
  if (e.subject.empty() || std::find(std::begin(kKnown), std::end(kKnown), e.relation) == std::end(kKnown))
    return std::nullopt;
  return e;
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
  const auto e = parse(line);
  const auto sql = e ? sql_of(e->subject) : std::nullopt;
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
  if (holds(*value, e->relation, e->bound)) return Verdict::Holds;
  print_error(fmt::format("{}: {}: it is {}.", where, line, *value));
  return Verdict::Fails;
}

}  // namespace

int run_check(const CheckOptions& options) {
  auto reader = trace::Reader::open(options.trace);
  auto lines = reader ? LineReader::open(options.expect) : Result<LineReader>(tl::unexpected(reader.error()));
  if (!lines) return failed(lines.error());
  size_t number = 0, held = 0, broken = 0;
  bool understood = true;
  for (std::string line;;) {
    const auto more = lines->next(line);
    if (!more) return failed(more.error());
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
        ++broken;
        break;
    }
  }
  if (held + broken == 0) {
    print_error(options.expect + ": there is no expectation in it.");
    return kUsage;
  }
  fmt::print("{} of {} expectations hold\n", held, held + broken);
  if (!understood) return kUsage;
  return broken == 0 ? kOk : kFailed;
}

}  // namespace rangescope::app
