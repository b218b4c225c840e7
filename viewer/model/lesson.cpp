#include "viewer/model/lesson.h"

#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>

namespace rangescope::viewer {

namespace {

using Json = nlohmann::json;

std::string text(const Json& j, const char* key) {
  const auto it = j.find(key);
  if (it == j.end()) return {};
  if (it->is_string()) return it->get<std::string>();
  // long texts stand as a list of lines
  std::string s;
  if (it->is_array())
    for (const Json& line : *it)
      if (line.is_string()) s += (s.empty() ? "" : "\n") + line.get<std::string>();
  return s;
}

int64_t integer(const Json& j, const char* key, int64_t otherwise) {
  const auto it = j.find(key);
  return it != j.end() && it->is_number_integer() ? it->get<int64_t>() : otherwise;
}

bool flag(const Json& j, const char* key) {
  const auto it = j.find(key);
  return it != j.end() && it->is_boolean() && it->get<bool>();
}

LessonPlace place(const Json& j) {
  LessonPlace p;
  p.pass = text(j, "pass"), p.rule = text(j, "rule"), p.select = text(j, "select");
  p.nth = integer(j, "nth", 1), p.fires = integer(j, "fires", 1), p.match = integer(j, "match", 0);
  p.selectNth = integer(j, "select_nth", 1);
  p.lens = flag(j, "lens"), p.panel = text(j, "panel");
  return p;
}

}  // namespace

Result<Lesson> parseLesson(std::string_view json) {
  const Json j = Json::parse(json, nullptr, false);
  if (!j.is_object()) return tl::unexpected(Error{"this is no lesson: it is not a JSON object."});
  Lesson l;
  l.title = text(j, "title"), l.program = text(j, "program"), l.tryThis = text(j, "try");
  l.codegen = flag(j, "codegen");
  if (const auto steps = j.find("steps"); steps != j.end() && steps->is_array())
    for (const Json& s : *steps) {
      if (!s.is_object() || !s.contains("at") || !s["at"].is_object())
        return tl::unexpected(Error{fmt::format("step {} of this lesson has no place \"at\".", l.steps.size() + 1)});
      l.steps.push_back({place(s["at"]), text(s, "title"), text(s, "text")});
    }
  if (const auto questions = j.find("questions"); questions != j.end() && questions->is_array())
    for (const Json& q : *questions)
      if (q.is_object()) l.questions.emplace_back(text(q, "question"), text(q, "answer"));
  return l;
}

std::string lessonJson(const Lesson& lesson) {
  Json steps = Json::array(), questions = Json::array();
  for (const LessonStep& s : lesson.steps) {
    Json at{{"pass", s.at.pass}};
    if (s.at.nth != 1) at["nth"] = s.at.nth;
    if (!s.at.rule.empty()) at["rule"] = s.at.rule;
    if (s.at.fires != 1) at["fires"] = s.at.fires;
    if (s.at.match != 0) at["match"] = s.at.match;
    if (!s.at.select.empty()) at["select"] = s.at.select;
    if (s.at.selectNth != 1) at["select_nth"] = s.at.selectNth;
    if (s.at.lens) at["lens"] = true;
    if (!s.at.panel.empty()) at["panel"] = s.at.panel;
    steps.push_back({{"at", at}, {"title", s.title}, {"text", s.text}});
  }
  for (const auto& [q, a] : lesson.questions) questions.push_back({{"question", q}, {"answer", a}});
  Json j{{"title", lesson.title}, {"steps", steps}};
  if (!lesson.program.empty()) j["program"] = lesson.program;
  if (lesson.codegen) j["codegen"] = true;
  if (!lesson.tryThis.empty()) j["try"] = lesson.tryThis;
  if (!questions.empty()) j["questions"] = questions;
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<StepAddress> findPlace(trace::Reader& reader, const LessonPlace& place) {
  int64_t left = place.nth;
  const trace::Pass* pass = nullptr;
  for (const trace::Pass& p : reader.passes())
    if (p.name == place.pass && p.input != 0 && --left == 0) {
      pass = &p;
      break;
    }
  if (pass == nullptr)
    return tl::unexpected(Error{place.nth == 1
                                    ? fmt::format("this trace has no pass \"{}\".", place.pass)
                                    : fmt::format("this trace has no pass \"{}\" number {}.", place.pass, place.nth)});
  if (place.rule.empty()) {
    if (place.match > pass->matches)
      return tl::unexpected(
          Error{fmt::format("pass \"{}\" has {} matches here, not {}.", place.pass, pass->matches, place.match)});
    return StepAddress{pass->id, place.match < 0 ? pass->matches : place.match};
  }
  constexpr int64_t kAtATime = 4096;
  left = place.fires;
  for (int64_t from = 0; from < pass->matches; from += kAtATime) {
    const auto matches = reader.matches(pass->id, from, kAtATime);
    if (!matches) return tl::unexpected(matches.error());
    for (size_t i = 0; i < matches->size(); ++i)
      if (reader.rule_name((*matches)[i].rule) == place.rule && --left == 0)
        return StepAddress{pass->id, from + static_cast<int64_t>(i) + 1};
  }
  return tl::unexpected(
      Error{fmt::format("rule {} does not fire {} times in pass \"{}\".", place.rule, place.fires, place.pass)});
}

LessonPlace placeOf(std::span<const trace::Pass> passes, const StepAddress& address) {
  LessonPlace p;
  if (address.pass < 1 || address.pass > static_cast<int64_t>(passes.size())) return p;
  const trace::Pass& pass = passes[static_cast<size_t>(address.pass - 1)];
  p.pass = pass.name;
  p.nth = 1 + std::ranges::count_if(passes.first(static_cast<size_t>(address.pass - 1)),
                                    [&](const trace::Pass& q) { return q.name == pass.name && q.input != 0; });
  p.match = address.step;
  return p;
}

}  // namespace rangescope::viewer
