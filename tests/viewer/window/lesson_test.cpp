// Lessons, bookmarks, the lens and the loops, on the lessons' own programs.

#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QTextBrowser>
#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "engine/codegen/pipeline.h"
#include "engine/ir/op.h"
#include "engine/ir/program.h"
#include "engine/schedule/create_schedule.h"
#include "engine/schedule/pipeline.h"
#include "engine/symbolic/make_store.h"
#include "tests/viewer/window/window_fixture.h"
#include "viewer/lesson_dock.h"
#include "viewer/model/lens.h"
#include "viewer/panels/inspector_panel.h"
#include "viewer/panels/lesson_panel.h"
#include "viewer/panels/loops_panel.h"

namespace rangescope::viewer {
namespace {

void recordProgram(std::string_view text, const std::string& path, bool codegen) {
  const auto store = symbolic::make_store();
  auto p = read_program(text, *store);
  ASSERT_TRUE(p) << p.error().message;
  auto recorder = trace::Recorder::create(path, *store);
  ASSERT_TRUE(recorder) << recorder.error().message;
  (*recorder)->meta("program", p->name);
  {
    const ObserverScope scope(*store, **recorder);
    (*recorder)->begin_section("schedule", p->name, p->root);
    const auto graph = schedule::get_kernel_graph(p->root);
    ASSERT_TRUE(graph);
    const auto schedule = schedule::create_schedule(*graph);
    ASSERT_TRUE(schedule);
    for (size_t i = 0; codegen && i < schedule->calls.size(); ++i) {
      (*recorder)->begin_section("kernel", "kernel " + std::to_string(i + 1), schedule->calls[i].ast);
      ASSERT_TRUE(codegen::generate(schedule->calls[i].ast));
    }
  }
  ASSERT_TRUE((*recorder)->finish());
}

using Json = nlohmann::json;

std::string wordsOf(const SceneNode& n) {
  std::string s = n.title;
  for (const std::string& line : n.lines) s += " " + line;
  for (const SceneBadge& b : n.badges) s += " " + b.text;
  return s;
}

bool isThere(const SceneGraph& g, const std::string& op, NodeState state) {
  return std::ranges::any_of(g.nodes, [&](const SceneNode& n) { return n.title == op && n.state == state; });
}

int64_t howMany(const SceneGraph& g, const std::string& op) {
  return std::ranges::count_if(g.nodes,
                               [&](const SceneNode& n) { return n.title == op && n.state != NodeState::Ghost; });
}

// Ops that a text names: words in capitals that are one.
std::vector<std::string> opsIn(const std::string& text) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : text + " ") {
    if ((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_') {
      word += c;
      continue;
    }
    if (word.size() > 1 && op_from_name(word)) out.push_back(word);
    word.clear();
  }
  return out;
}

// What a step says must be so in its picture. `shows` of the lesson's file says what the words do not: which ops are
// new, gone or outlined, how many there are, and what the selected node is like.
void checkWords(const LessonStep& s, const Json& shows, const SceneGraph& g) {
  const auto list = [&](const char* key) { return shows.value(key, std::vector<std::string>()); };
  const auto besides = list("besides");
  for (const std::string& op : opsIn(s.text + " " + s.title)) {
    const bool drawn = std::ranges::any_of(
        g.nodes, [&](const SceneNode& n) { return n.title == op || wordsOf(n).find(op) != std::string::npos; });
    EXPECT_TRUE(drawn || std::ranges::find(besides, op) != besides.end()) << op << " is named and not in the picture";
  }
  for (const std::string& op : list("new")) EXPECT_TRUE(isThere(g, op, NodeState::New)) << op << " is not new";
  for (const std::string& op : list("gone")) EXPECT_TRUE(isThere(g, op, NodeState::Ghost)) << op << " is no ghost";
  for (const std::string& op : list("outlined"))
    EXPECT_TRUE(isThere(g, op, NodeState::Match)) << op << " is not outlined";
  for (const std::string& op : list("lacks")) EXPECT_EQ(howMany(g, op), 0) << op;
  const auto counts = shows.value("count", std::map<std::string, int64_t>());
  for (const auto& [op, n] : counts) EXPECT_EQ(howMany(g, op), n) << op;
  if (s.at.select.empty()) return;
  EXPECT_GE(howMany(g, s.at.select), s.at.selectNth) << s.at.select;
  // where there are several, the file says which one is meant
  const bool said = shows.contains("selected") || shows.contains("reads");
  EXPECT_TRUE(said || howMany(g, s.at.select) == 1) << s.at.select << ": which of them?";
  int64_t left = s.at.selectNth;
  for (size_t v = 0; v < g.nodes.size(); ++v) {
    const SceneNode& n = g.nodes[v];
    if (n.title != s.at.select || n.state == NodeState::Ghost || --left != 0) continue;
    for (const std::string& words : list("selected"))
      EXPECT_NE(wordsOf(n).find(words), std::string::npos) << words << " is not in: " << wordsOf(n);
    EXPECT_TRUE(n.state == NodeState::New || !shows.value("selected_new", false)) << n.title << " is not new";
    for (const std::string& words : list("reads")) {
      std::string sources;
      for (const SceneEdge& e : g.edges)
        if (e.to == v && g.nodes[e.from].state != NodeState::Ghost) sources += wordsOf(g.nodes[e.from]) + "; ";
      EXPECT_NE(sources.find(words), std::string::npos) << words << " is not in the sources: " << sources;
    }
  }
}

class LessonTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    window_.resize(1300, 850);
    window_.lessons().setRecorder([this](const std::string& program, bool codegen) -> Result<std::string> {
      const std::string path = folder_.file("lesson.rscope");
      recordProgram(program, path, codegen);
      return path;
    });
  }
  LessonPanel& panel() { return window_.lessons().panel(); }
  bool says(const QString& text) {
    return waitFor([&] { return panel().text().toPlainText().contains(text) && window_.settled(); });
  }
  QString selectedTitle() {
    const auto selected = window_.canvas().selected();
    if (!window_.canvas().frame()) return {};
    for (const SceneNode& n : window_.canvas().frame()->graph.nodes)
      if (selected && n.key == *selected) return QString::fromStdString(n.title);
    return {};
  }
};

TEST_F(LessonTest, EveryPlaceOfEveryLessonIsThere) {
  ASSERT_EQ(lessonFiles().size(), 5U);
  size_t questions = 0;
  for (const LessonFile& f : lessonFiles()) {
    const auto lesson = parseLesson(f.text);
    ASSERT_TRUE(lesson) << f.name << ": " << lesson.error().message;
    EXPECT_GE(lesson->steps.size(), 8U) << f.name;
    EXPECT_LE(lesson->steps.size(), 15U) << f.name;
    EXPECT_FALSE(lesson->tryThis.empty()) << f.name;
    questions += lesson->questions.size();
    const std::string_view program = lessonProgram(lesson->program);
    ASSERT_FALSE(program.empty()) << lesson->program;
    const std::string path = folder_.file("check.rscope");
    recordProgram(program, path, lesson->codegen);
    const auto reader = trace::Reader::open(path);
    ASSERT_TRUE(reader);
    const Json file = Json::parse(f.text);
    for (size_t i = 0; i < lesson->steps.size(); ++i) {
      const LessonStep& s = lesson->steps[i];
      const auto at = viewer::findPlace(**reader, s.at);
      ASSERT_TRUE(at) << f.name << ", " << s.title << ": " << at.error().message;
      EXPECT_FALSE(s.text.empty());
      const auto scene = stepScene(**reader, *at, {});
      ASSERT_TRUE(scene) << f.name << ", " << s.title << ": " << scene.error().message;
      const testing::ScopedTrace where(__FILE__, __LINE__,
                                       std::string(f.name) + ", step " + std::to_string(i + 1) + ": " + s.title);
      checkWords(s, file["steps"][i].value("shows", Json::object()), scene->graph);
    }
    // written and read again
    const auto again = parseLesson(lessonJson(*lesson));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->steps.size(), lesson->steps.size());
    EXPECT_EQ(again->steps.back().at, lesson->steps.back().at);
  }
  EXPECT_EQ(questions, 10U);
}

TEST_F(LessonTest, WhatAStepSpeaksOfIsOfReadingSize) {
  window_.resize(1440, 900);
  for (const int lesson : {2, 4}) {  // of softmax, which does not fit a window
    ASSERT_TRUE(window_.lessons().openLesson(lesson));
    const auto parsed = parseLesson(lessonFiles()[static_cast<size_t>(lesson)].text);
    ASSERT_TRUE(parsed);
    ASSERT_TRUE(says(QString::fromStdString(parsed->steps[0].title)));
    const auto reader = trace::Reader::open(folder_.file("lesson.rscope"));
    ASSERT_TRUE(reader);
    for (size_t i = 0; i < parsed->steps.size(); ++i) {
      const LessonStep& s = parsed->steps[i];
      window_.lessons().showStep(static_cast<int>(i));
      const auto at = viewer::findPlace(**reader, s.at);
      ASSERT_TRUE(at);
      ASSERT_TRUE(waitFor([&] {
        return window_.settled() && window_.navigator().address() == *at &&
               selectedTitle() == QString::fromStdString(s.at.select);
      })) << s.title;
      const GraphCanvas& canvas = window_.canvas();
      EXPECT_GE(canvas.view().scale, 0.6) << s.title;
      const QRectF screen(canvas.rect());
      if (canvas.selected()) {
        EXPECT_TRUE(screen.contains(canvas.nodeRect(*canvas.selected()))) << s.title;
      } else if (!canvas.frame()->changed.empty()) {
        EXPECT_TRUE(screen.intersects(canvas.view().toScreen(canvas.frame()->changed))) << s.title;
      }
    }
  }
}

TEST_F(LessonTest, AStepBringsTheLensAndThePanelThatItSpeaksOf) {
  ASSERT_TRUE(window_.lessons().openLesson(0));
  ASSERT_TRUE(says(QStringLiteral("relu(x.permute(1, 0).sum(0))")));
  const auto grey = [&] {
    const auto frame = window_.canvas().frame();
    return frame && std::ranges::any_of(frame->graph.nodes, [](const SceneNode& n) {
             return n.title == "MAX" && n.fill != opColor("MAX", Palette::Known);
           });
  };
  const auto loops = [&] { return !window_.loops().viewport()->visibleRegion().isEmpty(); };  // not a tab behind
  window_.lessons().showStep(11);
  ASSERT_TRUE(says(QStringLiteral("rangeify lens")));
  EXPECT_TRUE(waitFor([&] { return grey() && loops(); }));
  // they go with it; at the end the last step is on show, though one came from elsewhere
  window_.lessons().showStep(10);
  EXPECT_TRUE(waitFor([&] { return window_.settled() && !grey() && !loops(); }));
  window_.lessons().showStep(12);
  ASSERT_TRUE(says(QStringLiteral("Questions")));
  EXPECT_TRUE(waitFor([&] { return grey() && loops(); }));
}

TEST_F(LessonTest, ACallSaysWhatItsKernelStores) {
  const std::string path = folder_.file("calls.rscope");
  recordProgram(lessonProgram("softmax.jsonl"), path, false);
  const auto reader = trace::Reader::open(path);
  ASSERT_TRUE(reader);
  const auto scene = stepScene(**reader, {kernelGraphPass(**reader), 0}, {});
  ASSERT_TRUE(scene);
  std::vector<std::string> calls;
  for (const SceneNode& n : scene->graph.nodes)
    if (n.title == "CALL") calls.push_back(wordsOf(n));
  const std::vector<std::string> expected{"CALL stores REDUCE MAX for L1 < 8", "CALL stores REDUCE ADD for L1 < 8",
                                          "CALL stores MUL for L0 < 8, L1 < 16"};
  EXPECT_EQ(calls, expected);
}

TEST_F(LessonTest, ALessonIsWalkedWithNextAndPrevious) {
  for (QAction* a : window_.findChildren<QAction*>())
    if (a->text().startsWith(QStringLiteral("Lesson 1."))) a->trigger();
  ASSERT_TRUE(says(QStringLiteral("relu(x.permute(1, 0).sum(0))")));
  ASSERT_TRUE(waitFor([&] { return selectedTitle() == QStringLiteral("SINK"); }));
  QTest::mouseClick(&panel().next(), Qt::LeftButton);
  ASSERT_TRUE(says(QStringLiteral("one long row")));
  QTest::keyClick(&window_.canvas(), Qt::Key_BracketRight);
  ASSERT_TRUE(says(QStringLiteral("RESHAPE reads those 24 elements")));
  ASSERT_TRUE(waitFor([&] { return selectedTitle() == QStringLiteral("RESHAPE"); }));
  QTest::mouseClick(&panel().previous(), Qt::LeftButton);
  ASSERT_TRUE(says(QStringLiteral("one long row")));
  // on to a match, and to the questions at the end
  window_.lessons().showStep(8);
  ASSERT_TRUE(says(QStringLiteral("One match")));
  ASSERT_TRUE(waitFor([&] { return window_.navigator().address().step > 0 && window_.settled(); }));
  window_.lessons().showStep(12);
  ASSERT_TRUE(says(QStringLiteral("Questions")));
  EXPECT_FALSE(panel().text().toPlainText().contains(QStringLiteral("no number would be moved")));
  emit panel().text().anchorClicked(QUrl(QStringLiteral("answer:1")));
  EXPECT_TRUE(panel().text().toPlainText().contains(QStringLiteral("no number would be moved")));
  EXPECT_FALSE(panel().next().isEnabled());
}

TEST_F(LessonTest, BookmarksAreKeptWithTheirNotes) {
  open();
  key(Qt::Key_Down);
  QTest::keyClick(&window_.canvas(), Qt::Key_B);
  ASSERT_TRUE(panel().isVisible());
  QTest::keyClicks(&panel().note(), QStringLiteral("the product goes"));
  EXPECT_TRUE(panel().text().toPlainText().contains(QStringLiteral("the product goes")));
  key(Qt::Key_Up);
  // opened anew
  window_.openTrace(path_);
  ASSERT_TRUE(waitFor([&] { return window_.navigator().address() == StepAddress{2, 1} && window_.settled(); }));
  ASSERT_TRUE(says(QStringLiteral("the product goes")));
  QTest::mouseClick(&panel().previous(), Qt::LeftButton);  // there is one only
  window_.lessons().showStep(0);
  ASSERT_TRUE(waitFor([&] { return window_.navigator().address() == StepAddress{3, 1}; }));
  emit panel().removeWanted();
  EXPECT_TRUE(panel().text().toPlainText().contains(QStringLiteral("No bookmarks")));
}

TEST_F(LessonTest, TheLensColoursRangesAndTheLoopsStandBeside) {
  ASSERT_TRUE(window_.lessons().openLesson(2));  // softmax
  ASSERT_TRUE(says(QStringLiteral("8 rows of 16")));
  window_.lessons().showStep(5);  // without the lens
  ASSERT_TRUE(says(QStringLiteral("remove-stage decides")));
  ASSERT_TRUE(waitFor([&] { return selectedTitle() == QStringLiteral("STAGE") && window_.settled(); }));
  QTest::keyClick(&window_.canvas(), Qt::Key_R);
  ASSERT_TRUE(waitFor([&] {
    bool reduceRange = false, removable = false;
    for (const SceneNode& n : window_.canvas().frame()->graph.nodes) {
      reduceRange = reduceRange || (n.title == "RANGE" && n.fill == axisColor("REDUCE"));
      for (const SceneBadge& b : n.badges) removable = removable || b.text == "may be removed";
    }
    return reduceRange && removable;
  }));
  // every one says why it is there, and the inspector says it in full
  const auto stageSays = [&](const std::string& what) {
    return std::ranges::any_of(window_.canvas().frame()->graph.nodes, [&](const SceneNode& n) {
      return n.title == "STAGE" &&
             std::ranges::any_of(n.lines, [&](const std::string& l) { return l.find(what) != std::string::npos; });
    });
  };
  EXPECT_TRUE(stageSays("would compute it again"));
  EXPECT_TRUE(waitFor([&] { return window_.inspector().toPlainText().contains(QStringLiteral("realized")); }))
      << window_.inspector().toPlainText().toStdString();
  QTest::keyClick(&window_.canvas(), Qt::Key_L, Qt::AltModifier);
  auto& loops = window_.loops();
  const auto text = [&] {
    QString s;
    for (int i = 0; i < loops.count(); ++i) s += loops.item(i)->text() + QLatin1Char('\n');
    return s;
  };
  ASSERT_TRUE(waitFor([&] { return text().contains(QStringLiteral("for L0 in 0..8")); })) << text().toStdString();
  EXPECT_TRUE(text().contains(QStringLiteral("max with"))) << text().toStdString();
  EXPECT_TRUE(text().contains(QStringLiteral("stage1["))) << text().toStdString();
  // a line selects its node
  for (int i = 0; i < loops.count(); ++i)
    if (loops.item(i)->text().contains(QStringLiteral("max with"))) {
      loops.scrollToItem(loops.item(i));
      QTest::mouseClick(loops.viewport(), Qt::LeftButton, {}, loops.visualItemRect(loops.item(i)).center());
      break;
    }
  EXPECT_EQ(selectedTitle(), QStringLiteral("REDUCE"));
  ASSERT_TRUE(waitFor([&] { return window_.inspector().toPlainText().startsWith(QStringLiteral("REDUCE")); }));
}

}  // namespace
}  // namespace rangescope::viewer
