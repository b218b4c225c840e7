#pragma once
// Lessons and bookmarks: places in a trace with words about them. A place is told by names (the pass, the rule that
// fires), so that it is found again in a trace that was recorded anew.

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/trace/reader.h"
#include "viewer/model/step_scene.h"

namespace rangescope::viewer {

struct LessonPlace {
  std::string pass;    // its name
  int64_t nth = 1;     // of the passes of that name
  std::string rule;    // after a firing of this rule; empty: after `match` matches
  int64_t fires = 1;   // which of its firings in the pass
  int64_t match = 0;   // below 0: the end of the pass
  std::string select;  // op of a node to be selected
  int64_t selectNth = 1;
  bool lens = false;  // seen through the rangeify lens
  std::string panel;  // opened beside it, by the name that MainWindow::openPanel knows
  bool operator==(const LessonPlace&) const = default;
};

struct LessonStep {
  LessonPlace at;
  std::string title, text;
};

struct Lesson {
  std::string title, program;  // program: name of the file that it is about; empty: bookmarks of the open trace
  bool codegen = false;        // its kernels are generated, too: the trace has those passes as well
  std::vector<LessonStep> steps;
  std::string tryThis;
  std::vector<std::pair<std::string, std::string>> questions;  // and answers
};

Result<Lesson> parseLesson(std::string_view json);
std::string lessonJson(const Lesson& lesson);

Result<StepAddress> findPlace(trace::Reader& reader, const LessonPlace& place);
// The other way round, for bookmarks.
LessonPlace placeOf(std::span<const trace::Pass> passes, const StepAddress& address);

// Those that come along (resources/lessons), in order: file name and text.
struct LessonFile {
  std::string_view name, text;
};
std::span<const LessonFile> lessonFiles();
// The text of a program of a lesson; empty: there is none of that name.
std::string_view lessonProgram(std::string_view name);

}  // namespace rangescope::viewer
