// Lessons, bookmarks, the lens and the loops, on the lessons' own programs.

#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QTextBrowser>
#include <algorithm>

#include "engine/ir/program.h"
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

void recordProgram(std::string_view text, const std::string& path) {
  const auto store = symbolic::make_store();
  auto p = read_program(text, *store);
  ASSERT_TRUE(p) << p.error().message;
  auto recorder = trace::Recorder::create(path, *store);
  ASSERT_TRUE(recorder) << recorder.error().message;
  (*recorder)->meta("program", p->name);
  {
    const ObserverScope scope(*store, **recorder);
    (*recorder)->begin_section("schedule", p->name, p->root);
    ASSERT_TRUE(schedule::get_kernel_graph(p->root));
  }
  ASSERT_TRUE((*recorder)->finish());
}

class LessonTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    window_.resize(1300, 850);
    window_.lessons().setRecorder([this](const std::string& program) -> Result<std::string> {
      const std::string path = folder_.file("lesson.rscope");
      recordProgram(program, path);
      return path;
    });
  }
  LessonPanel& panel() { return window_.lessons().panel(); }
  bool says(const QString& text) {
    return QTest::qWaitFor([&] { return panel().text().toPlainText().contains(text) && window_.settled(); }, 10000);
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
    recordProgram(program, path);
    const auto reader = trace::Reader::open(path);
    ASSERT_TRUE(reader);
    for (const LessonStep& s : lesson->steps) {
      const auto at = viewer::findPlace(**reader, s.at);
      ASSERT_TRUE(at) << f.name << ", " << s.title << ": " << at.error().message;
      EXPECT_FALSE(s.text.empty());
      if (s.at.select.empty()) continue;
      const auto scene = stepScene(**reader, *at, {});
      ASSERT_TRUE(scene) << f.name << ", " << s.title << ": " << scene.error().message;
      const auto there = std::ranges::count_if(scene->graph.nodes, [&](const SceneNode& n) {
        return n.title == s.at.select && n.state != NodeState::Ghost;
      });
      EXPECT_GE(there, s.at.selectNth) << f.name << ", " << s.title << ": " << s.at.select;
    }
    // written and read again
    const auto again = parseLesson(lessonJson(*lesson));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->steps.size(), lesson->steps.size());
    EXPECT_EQ(again->steps.back().at, lesson->steps.back().at);
  }
  EXPECT_EQ(questions, 10U);
}

TEST_F(LessonTest, ALessonIsWalkedWithNextAndPrevious) {
  for (QAction* a : window_.findChildren<QAction*>())
    if (a->text().startsWith(QStringLiteral("Lesson 1."))) a->trigger();
  ASSERT_TRUE(says(QStringLiteral("relu(x.permute(1, 0).sum(0))")));
  ASSERT_TRUE(QTest::qWaitFor([&] { return selectedTitle() == QStringLiteral("SINK"); }));
  QTest::mouseClick(&panel().next(), Qt::LeftButton);
  ASSERT_TRUE(says(QStringLiteral("one long row")));
  QTest::keyClick(&window_.canvas(), Qt::Key_BracketRight);
  ASSERT_TRUE(says(QStringLiteral("RESHAPE reads those 24 elements")));
  ASSERT_TRUE(QTest::qWaitFor([&] { return selectedTitle() == QStringLiteral("RESHAPE"); }));
  QTest::mouseClick(&panel().previous(), Qt::LeftButton);
  ASSERT_TRUE(says(QStringLiteral("one long row")));
  // on to a match, and to the questions at the end
  window_.lessons().showStep(8);
  ASSERT_TRUE(says(QStringLiteral("You see one match")));
  ASSERT_TRUE(QTest::qWaitFor([&] { return window_.navigator().address().step > 0 && window_.settled(); }));
  window_.lessons().showStep(10);
  ASSERT_TRUE(says(QStringLiteral("Questions")));
  EXPECT_FALSE(panel().text().toPlainText().contains(QStringLiteral("It is a ghost")));
  emit panel().text().anchorClicked(QUrl(QStringLiteral("answer:1")));
  EXPECT_TRUE(panel().text().toPlainText().contains(QStringLiteral("It is a ghost")));
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
  ASSERT_TRUE(QTest::qWaitFor([&] { return window_.navigator().address() == StepAddress{2, 1} && window_.settled(); }));
  ASSERT_TRUE(says(QStringLiteral("the product goes")));
  QTest::mouseClick(&panel().previous(), Qt::LeftButton);  // there is one only
  window_.lessons().showStep(0);
  ASSERT_TRUE(QTest::qWaitFor([&] { return window_.navigator().address() == StepAddress{3, 1}; }));
  emit panel().removeWanted();
  EXPECT_TRUE(panel().text().toPlainText().contains(QStringLiteral("No bookmarks")));
}

TEST_F(LessonTest, TheLensColoursRangesAndTheLoopsStandBeside) {
  ASSERT_TRUE(window_.lessons().openLesson(2));  // softmax
  ASSERT_TRUE(says(QStringLiteral("Two reductions")));
  window_.lessons().showStep(1);
  ASSERT_TRUE(says(QStringLiteral("Four stages")));
  ASSERT_TRUE(QTest::qWaitFor([&] { return selectedTitle() == QStringLiteral("STAGE"); }));
  QTest::keyClick(&window_.canvas(), Qt::Key_R);
  ASSERT_TRUE(QTest::qWaitFor([&] {
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
  EXPECT_TRUE(QTest::qWaitFor([&] { return window_.inspector().toPlainText().contains(QStringLiteral("realized")); }))
      << window_.inspector().toPlainText().toStdString();
  QTest::keyClick(&window_.canvas(), Qt::Key_L, Qt::AltModifier);
  auto& loops = window_.loops();
  const auto text = [&] {
    QString s;
    for (int i = 0; i < loops.count(); ++i) s += loops.item(i)->text() + QLatin1Char('\n');
    return s;
  };
  ASSERT_TRUE(QTest::qWaitFor([&] { return text().contains(QStringLiteral("for L0 in 0..8")); }))
      << text().toStdString();
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
  ASSERT_TRUE(QTest::qWaitFor([&] { return window_.inspector().toPlainText().startsWith(QStringLiteral("REDUCE")); }));
}

}  // namespace
}  // namespace rangescope::viewer
