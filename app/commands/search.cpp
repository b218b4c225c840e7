#include "engine/trace/search.h"

#include <fmt/format.h>

#include "app/commands.h"
#include "app/console.h"
#include "app/exit_code.h"
#include "engine/ir/json_reader.h"

namespace rangescope::app {

namespace {

void print_hit(const trace::SearchHit& h) {
  const std::string where = h.place.pass == 0 ? "" : fmt::format("{}:{}", h.place.pass, h.place.step);
  fmt::print("{:<6}  {:>10}  {}  |  {}\n", trace::hit_kind_name(h.kind), where, h.title, h.detail);
}

void print_json(const trace::SearchHit& h) {
  std::string s = fmt::format(R"({{"kind":"{}")", trace::hit_kind_name(h.kind));
  const auto number = [&](std::string_view name, int64_t v) {
    if (v != 0) s += fmt::format(R"(,"{}":{})", name, v);
  };
  if (h.place.pass != 0) s += fmt::format(R"(,"pass":{},"step":{})", h.place.pass, h.place.step);
  number("match", h.match);
  number("node", h.node);
  number("rule", h.rule);
  number("kernel", h.kernel);
  s += R"(,"title":)";
  append_json_string(s, h.title);
  s += R"(,"detail":)";
  append_json_string(s, h.detail);
  fmt::print("{}}}\n", s);
}

}  // namespace

int run_search(const SearchOptions& options) {
  std::string text;
  for (const std::string& w : options.words) text += (text.empty() ? "" : " ") + w;
  const auto query = trace::parse_search(text);
  if (!query) return failed(query.error());
  auto searcher = trace::Searcher::open(options.trace);
  if (!searcher) return failed(searcher.error());
  int64_t shown = 0;
  const auto summary =
      (*searcher)->run(*query, static_cast<size_t>(options.rows), [&](const trace::SearchUpdate& update) {
        for (const trace::SearchHit& h : update.hits) options.json ? print_json(h) : print_hit(h);
        shown += static_cast<int64_t>(update.hits.size());
      });
  if (!summary) return failed(summary.error());
  if (shown == 0) {
    print_error(fmt::format("nothing in {} fits \"{}\".", options.trace, text));
    return kFailed;
  }
  if (summary->cut) {
    std::string all;
    for (size_t k = 0; k < trace::kHitKinds; ++k) {
      const int64_t found = summary->found[k];
      const std::string_view name = trace::hit_kind_name(static_cast<trace::HitKind>(k));
      if (found > options.rows)
        all += fmt::format("{}{} {}{}", all.empty() ? "" : ", ", found, name, name == "pass" ? "es" : "s");
    }
    print_error(fmt::format("{} of each kind are shown, there are {}{}. --rows raises the limit.", options.rows,
                            query->shape.empty() ? "" : "at least ", all));
  }
  return kOk;
}

}  // namespace rangescope::app
