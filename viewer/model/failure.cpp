#include "viewer/model/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "engine/ir/text.h"
#include "engine/trace/verification.h"

namespace rangescope::viewer {

namespace {

constexpr int64_t kMostMatches = 1000000, kAtATime = 4096;  // looked through for a circle
constexpr size_t kMostSteps = 16;                           // of one

std::string placeText(const trace::Pass& pass, int64_t step) {
  return fmt::format("pass {} ({}){}", pass.id, pass.name, step > 0 ? fmt::format(", match {}", step) : "");
}

std::string nodeText(trace::Reader& reader, int64_t number) {
  const auto u = reader.node(number);
  return u ? short_label(*u, 40) : fmt::format("node {}", number);
}

FailureStep stepOf(trace::Reader& reader, const trace::StepMatch& m, int64_t index) {
  return {{m.pass, index + 1},
          m.before,
          fmt::format("match {}, {}: {} \u2192 {}", index + 1, reader.rule_name(m.rule), nodeText(reader, m.before),
                      m.after == 0 ? "refused" : nodeText(reader, m.after))};
}

// The replacements that lead from a node back to itself, from where that first happens; empty: it does not.
std::vector<FailureStep> circleIn(trace::Reader& reader, const trace::Pass& pass) {
  struct Seen {
    trace::StepMatch match;
    int64_t index = 0;
  };
  std::unordered_map<int64_t, Seen> by;  // by the node before
  for (int64_t from = 0; from < kMostMatches; from += kAtATime) {
    const auto matches = reader.matches(pass.id, from, kAtATime);
    if (!matches || matches->empty()) return {};
    for (size_t i = 0; i < matches->size(); ++i) {
      const trace::StepMatch& m = (*matches)[i];
      by[m.before] = {m, from + static_cast<int64_t>(i)};
      std::vector<Seen> way{by[m.before]};
      for (auto it = by.find(m.after); it != by.end() && way.size() < kMostSteps;
           it = by.find(way.back().match.after)) {
        if (it->first == m.before) {
          std::vector<FailureStep> steps;
          steps.reserve(way.size());
          for (const Seen& s : way) steps.push_back(stepOf(reader, s.match, s.index));
          return steps;
        }
        way.push_back(it->second);
      }
    }
  }
  return {};
}

// The innermost pass that was not finished.
const trace::Pass* unfinished(const trace::Reader& reader) {
  const trace::Pass* found = nullptr;
  for (const trace::Pass& p : reader.passes())
    if (!p.group && p.input != 0 && p.output == 0) found = &p;
  return found;
}

Failure raised(trace::Reader& reader, const trace::TraceError& e) {
  Failure f;
  f.title = "The program was refused";
  f.message = e.message;
  const trace::Pass* pass = reader.pass(e.pass);
  const auto match = e.match != 0 ? reader.match(e.match) : Result<std::optional<trace::StepMatch>>(std::nullopt);
  if (pass != nullptr && match && *match) {
    const auto index = reader.index_in_pass(**match);
    if (!index) return f;
    f.title = "Refused by " + reader.rule_name((*match)->rule);
    f.at = {pass->id, *index + 1};
    f.node = (*match)->before;
    f.where = placeText(*pass, *index + 1);
    return f;
  }
  if (pass == nullptr) pass = reader.complete() ? unfinished(reader) : nullptr;
  if (pass == nullptr) return f;
  f.circle = circleIn(reader, *pass);
  f.at = {pass->id, pass->matches};
  if (!f.circle.empty()) {
    f.title = "Rewrites run in a circle";
    // where the last of them has not closed it yet: behind it there is no graph
    const auto last = std::ranges::max_element(f.circle, {}, [](const FailureStep& s) { return s.at.step; });
    f.at = {pass->id, last->at.step - 1};
    f.node = last->node;
  }
  f.where = placeText(*pass, f.at.step);
  return f;
}

std::optional<Failure> changedMeaning(trace::Reader& reader) {
  const auto found = trace::verification(reader);
  if (!found || found->kept) return std::nullopt;
  const trace::Pass* pass = reader.pass(found->pass);
  Failure f;
  f.title = "A rewrite changes the meaning of the program";
  f.message = found->text;
  if (pass == nullptr) return f;
  const int64_t match = found->match < pass->matches ? found->match : -1;
  f.at = {pass->id, match < 0 ? pass->matches : match + 1};
  if (match >= 0)
    if (const auto m = reader.matches(pass->id, match, 1); m && !m->empty()) {
      f.node = m->front().after;
      f.title = reader.rule_name(m->front().rule) + " changes the meaning of the program";
    }
  f.where = placeText(*pass, f.at.step);
  return f;
}

}  // namespace

std::optional<Failure> failureOf(trace::Reader& reader) {
  if (!reader.errors().empty()) return raised(reader, reader.errors().front());
  return changedMeaning(reader);
}

}  // namespace rangescope::viewer
