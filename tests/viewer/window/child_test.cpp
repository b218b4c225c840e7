// What the window has other processes do: what if a rule were off, scripts, files that are dropped.

#include <QCheckBox>
#include <QComboBox>
#include <QDropEvent>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QTextBlock>

#include "tests/onnx/message.h"
#include "tests/viewer/window/window_fixture.h"
#include "viewer/diff_dock.h"
#include "viewer/panels/diff_panel.h"
#include "viewer/panels/rule_panel.h"
#include "viewer/panels/script_panel.h"
#include "viewer/script_dock.h"
#include "viewer/what_if_dock.h"

namespace rangescope::viewer {
namespace {

const auto kProgram = QStringLiteral(RANGESCOPE_PROGRAM);
const auto kExample = QStringLiteral(RANGESCOPE_EXAMPLE);
constexpr int kPatience = 60000;  // other processes start, schedule and record

class ChildTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    window_.setChildProgram({RANGESCOPE_PROGRAM, [] {
                               return std::vector<Setting>{{"PCONTIG", "how far partial realization goes", 0},
                                                           {"SPLIT_REDUCEOP", "split a large reduce", 1}};
                             }});
  }
  void openExample() {
    const QString trace = QString::fromStdString(folder_.file("block.rscope"));
    ASSERT_EQ(QProcess::execute(kProgram, {QStringLiteral("record"), kExample, QStringLiteral("-o"), trace}), 0);
    window_.openTrace(trace);
    ASSERT_TRUE(settle());
  }
  static bool wait(const std::function<bool()>& until) { return waitFor(until, kPatience); }
  WhatIfPanel& whatIf() { return window_.whatIf().panel(); }
  ScriptPanel& script() { return window_.script().panel(); }
  QString cell(int row, int column) { return whatIf().rows().item(row, column)->text(); }
  // two graphs that are not the same are on show
  bool compared() {
    const QString text = window_.diff().panel().said().text();
    return window_.diff().on() && (text.contains(QStringLiteral("added")) || text.contains(QStringLiteral("removed")) ||
                                   text.contains(QStringLiteral("read other sources")));
  }
  static void click(QWidget& button) { QTest::mouseClick(&button, Qt::LeftButton); }
  void drop(const QString& path) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window_, &enter);
    ASSERT_TRUE(enter.isAccepted());
    QDropEvent event(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window_, &event);
  }
};

TEST_F(ChildTest, WhatIfARuleDidNotFireStandsBesideWhatIsOpen) {
  openExample();
  ASSERT_TRUE(wait([&] { return whatIf().rows().rowCount() == 1 && !cell(0, 1).isEmpty(); }));
  // at a firing of the rule, its panel asks
  auto reader = trace::Reader::open(window_.session().summary().path.toStdString());
  ASSERT_TRUE(reader);
  const auto& rules = (*reader)->rules();
  const auto rule = std::ranges::find(rules, "remove-stage", &trace::RuleInfo::name);
  ASSERT_NE(rule, rules.end());
  const auto match =
      (*reader)->database().integer("SELECT min(id) FROM matches WHERE rule = " + std::to_string(rule->id));
  ASSERT_TRUE(match);
  window_.session().findMatch(*match);
  ASSERT_TRUE(wait([&] { return window_.rulePanel().toPlainText().startsWith(QStringLiteral("remove-stage")); }));
  RulePanel& panel = window_.rulePanel();
  QTextCursor link = panel.document()->find(QStringLiteral("what if it did not fire"));
  ASSERT_FALSE(link.isNull());
  panel.setTextCursor(link);
  panel.ensureCursorVisible();
  QTextCursor at(panel.document());
  at.setPosition(link.selectionStart() + 3);
  QTest::mouseClick(panel.viewport(), Qt::LeftButton, {}, panel.cursorRect(at).center());
  ASSERT_TRUE(wait([&] { return whatIf().isVisible(); }));
  EXPECT_EQ(whatIf().rule().currentText(), QStringLiteral("remove-stage"));
  QElapsedTimer clock;
  clock.start();
  click(whatIf().run());
  EXPECT_TRUE(whatIf().stop().isEnabled());
  EXPECT_FALSE(whatIf().run().isEnabled());
  DiffPanel& diff = window_.diff().panel();
  ASSERT_TRUE(wait([&] { return compared() && window_.settled(); }))
      << whatIf().said().text().toStdString() << diff.said().text().toStdString();
  RecordProperty("milliseconds_to_the_result", static_cast<int>(clock.elapsed()));
  ASSERT_TRUE(wait([&] { return whatIf().said().text().contains(QStringLiteral("kernels instead of")); }));
  EXPECT_GT(cell(1, 1).toInt(), cell(0, 1).toInt());
  EXPECT_EQ(cell(1, 0), QStringLiteral("without remove-stage"));
  EXPECT_TRUE(diff.parts().item(0, 1)->text().contains(QStringLiteral("rule")) ||
              diff.parts().item(0, 1)->text().contains(QStringLiteral("match")));
  // a setting instead, and then each by its row
  whatIf().rule().lineEdit()->clear();
  whatIf().setting().setCurrentText(QStringLiteral("PCONTIG"));
  EXPECT_EQ(whatIf().value().value(), 2);
  click(whatIf().run());
  ASSERT_TRUE(
      wait([&] { return whatIf().rows().rowCount() == 3 && !window_.whatIf().busy() && !cell(2, 1).isEmpty(); }));
  EXPECT_EQ(cell(2, 0), QStringLiteral("PCONTIG=2"));
  const QRect row = whatIf().rows().visualRect(whatIf().rows().model()->index(1, 0));
  QTest::mouseClick(whatIf().rows().viewport(), Qt::LeftButton, {}, row.center());
  ASSERT_TRUE(wait([&] { return compared() && window_.settled(); }));
  // it takes the place of the trace, and the table stays
  click(whatIf().open());
  ASSERT_TRUE(wait(
      [&] { return window_.session().summary().path.endsWith(QStringLiteral("/1.rscope")) && window_.settled(); }));
  EXPECT_EQ(whatIf().rows().rowCount(), 3);
}

TEST_F(ChildTest, WhatCannotBeDoneIsSaid) {
  open();  // a trace whose rules are none of the engine's
  QTest::keyClick(&window_.canvas(), Qt::Key_W, Qt::ShiftModifier);
  ASSERT_TRUE(wait([&] { return whatIf().isVisible(); }));
  EXPECT_FALSE(whatIf().run().isEnabled());  // nothing is chosen
  QTest::keyClicks(whatIf().rule().lineEdit(), QStringLiteral("double-by-addin"));
  QTest::keyClick(whatIf().rule().lineEdit(), Qt::Key_Return);
  ASSERT_TRUE(wait([&] { return whatIf().said().text().contains(QStringLiteral("there is no rule")); }))
      << whatIf().said().text().toStdString();
  EXPECT_EQ(cell(1, 1), QStringLiteral("failed"));
  EXPECT_TRUE(window_.session().isOpen());
  // a program that cannot be started
  window_.setChildProgram({"/nonexistent/rangescope", {}});
  click(whatIf().run());
  ASSERT_TRUE(wait([&] { return whatIf().said().text().contains(QStringLiteral("cannot be started")); }));
}

TEST_F(ChildTest, ProgramsThatAreDroppedAreRecordedAndOpened) {
  drop(kExample);
  ASSERT_TRUE(wait([&] {
    return window_.session().isOpen() && window_.settled() && window_.navigator().address().pass != 0;
  })) << script().said().text().toStdString();
  EXPECT_GT(window_.session().summary().matches, 500);
  EXPECT_TRUE(script().output().toPlainText().contains(QStringLiteral("matches recorded")));
  // what is no program is refused, and what is open stays open
  const QString broken = QString::fromStdString(folder_.file("broken.jsonl"));
  QFile file(broken);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("{\"name\": 1\n");
  file.close();
  const QString before = window_.session().summary().path;
  drop(broken);
  ASSERT_TRUE(wait([&] {
    return !window_.script().busy() && script().said().text().contains(QStringLiteral("line 1"));
  })) << script().said().text().toStdString();
  EXPECT_EQ(window_.session().summary().path, before);
}

TEST_F(ChildTest, AModelThatIsDroppedIsRecordedAndOpened) {
  using namespace onnx::testing;
  const auto write = [&](const char* name, const std::string& bytes) {
    QFile file(QString::fromStdString(folder_.file(name)));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(bytes.data(), static_cast<qint64>(bytes.size()));
    return file.fileName();
  };
  const auto sum = [&](const char* op) {
    return model(graph({node("Relu", {"x"}, {"r"}), node(op, {"r"}, {"y"}, {attribute("keepdims", 0)}, "total")},
                       {value_info("x", kFloat, {4, 8})}, {value_info("y", kFloat, {})}))
        .bytes();
  };
  drop(write("small.onnx", sum("ReduceSum")));
  ASSERT_TRUE(wait([&] {
    return window_.session().isOpen() && window_.settled() && window_.navigator().address().pass != 0;
  })) << script().said().text().toStdString();
  EXPECT_TRUE(window_.session().summary().path.contains(QStringLiteral("small")));
  EXPECT_TRUE(script().isVisible());
  EXPECT_TRUE(script().output().toPlainText().contains(QStringLiteral("matches recorded")));
  // one with an operator that is not there names it, and what is open stays open
  const QString before = window_.session().summary().path;
  drop(write("odd.onnx", sum("Nonsense")));
  ASSERT_TRUE(wait([&] { return !window_.script().busy(); }));
  EXPECT_TRUE(script().output().toPlainText().contains(QStringLiteral("Nonsense")))
      << script().output().toPlainText().toStdString();
  EXPECT_EQ(window_.session().summary().path, before);
}

#ifdef RANGESCOPE_HAS_PYTHON
TEST_F(ChildTest, AScriptThatIsDroppedIsOnShowWhileItRuns) {
  const QString path = QString::fromStdString(folder_.file("slow.py")), go = QString::fromStdString(folder_.file("go"));
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(QStringLiteral("import os, time\n"
                            "from rangescope import Tensor\n"
                            "print((Tensor([1.0, 2.0]) + 1).tolist(), flush=True)\n"
                            "while not os.path.exists('%1'): time.sleep(0.05)\n"
                            "print(Tensor([3.0, 4.0]).softmax().tolist())\n")
                 .arg(go)
                 .toUtf8());
  file.close();
  drop(path);
  // the script waits, its first program is there to be looked at
  ASSERT_TRUE(wait([&] { return window_.session().isOpen() && window_.settled(); }))
      << script().output().toPlainText().toStdString();
  ASSERT_TRUE(wait([&] { return window_.navigator().address().pass != 0 && window_.settled(); }));
  EXPECT_TRUE(window_.script().busy());
  EXPECT_FALSE(window_.session().summary().complete);
  EXPECT_TRUE(script().text().contains(QStringLiteral("while not os.path.exists")));
  EXPECT_TRUE(script().output().toPlainText().contains(QStringLiteral("[2.0, 3.0]")));
  const int64_t matches = window_.session().summary().matches;
  const StepAddress at = window_.navigator().address();
  // and grows with the second, while one stays where one is
  QFile begin(go);
  ASSERT_TRUE(begin.open(QIODevice::WriteOnly));
  begin.close();
  ASSERT_TRUE(wait([&] { return !window_.script().busy() && window_.session().summary().complete; }))
      << script().output().toPlainText().toStdString();
  ASSERT_TRUE(wait([&] { return window_.session().summary().matches > matches && window_.settled(); }));
  EXPECT_EQ(window_.navigator().address(), at);
}

TEST_F(ChildTest, AnExampleRunsAndItsTraceOpens) {
  QTest::keyClick(&window_.canvas(), Qt::Key_S, Qt::AltModifier);
  ASSERT_TRUE(wait([&] { return script().isVisible(); }));
  EXPECT_GE(script().examples().count(), 11);
  QListWidgetItem* softmax = script().examples().findItems(QStringLiteral("softmax.py"), Qt::MatchExactly).value(0);
  ASSERT_NE(softmax, nullptr);
  script().examples().scrollToItem(softmax);
  QTest::mouseClick(script().examples().viewport(), Qt::LeftButton, {},
                    script().examples().visualItemRect(softmax).center());
  EXPECT_TRUE(script().text().startsWith(QStringLiteral("\"\"\"Softmax takes three kernels.")));
  // a change of one's own, with the keyboard
  script().editor().setFocus();
  script().editor().moveCursor(QTextCursor::End);
  QTest::keyClicks(&script().editor(), QStringLiteral("print('mine, too')"));
  QTest::keyClick(&script().editor(), Qt::Key_Return, Qt::ControlModifier);
  ASSERT_TRUE(wait([&] { return !window_.script().busy() && window_.session().isOpen(); }))
      << script().output().toPlainText().toStdString();
  ASSERT_TRUE(wait([&] { return window_.settled() && window_.navigator().address().pass != 0; }));
  EXPECT_TRUE(script().output().toPlainText().contains(QStringLiteral("mine, too")));
  EXPECT_TRUE(script().output().toPlainText().contains(QStringLiteral("kernels: 3")));
  EXPECT_TRUE(window_.session().summary().path.contains(QStringLiteral("softmax")));
}

TEST_F(ChildTest, AScriptThatRaisesSaysWhereAndOneThatHangsIsStopped) {
  window_.script().open();
  const auto type = [&](const QString& text) {
    script().editor().selectAll();
    script().editor().setFocus();
    for (const QString& line : text.split(QLatin1Char('\n'))) {
      QTest::keyClicks(&script().editor(), line);
      QTest::keyClick(&script().editor(), Qt::Key_Return);
    }
  };
  type(QStringLiteral("from rangescope import Tensor\nTensor.ones(2).reshape(3)"));
  click(script().run());
  ASSERT_TRUE(wait([&] { return !window_.script().busy(); }));
  EXPECT_TRUE(script().output().toPlainText().contains(QStringLiteral("script.py:2: Error: cannot reshape")))
      << script().output().toPlainText().toStdString();
  EXPECT_FALSE(window_.session().isOpen());
  // letters that are keys of the window stand in the text
  type(QStringLiteral("print('up', flush=True)\nwhile True: pass"));
  EXPECT_TRUE(script().text().contains(QStringLiteral("while True: pass"))) << script().text().toStdString();
  click(script().run());
  ASSERT_TRUE(wait([&] { return script().output().toPlainText().contains(QStringLiteral("up")); }));
  EXPECT_TRUE(window_.script().busy());
  click(script().stop());
  ASSERT_TRUE(wait([&] { return !window_.script().busy(); }));
  EXPECT_TRUE(script().said().text().contains(QStringLiteral("stopped after")));
  // a crash is not the window's
  type(QStringLiteral("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)"));
  click(script().run());
  ASSERT_TRUE(wait([&] { return !window_.script().busy(); }));
  EXPECT_TRUE(script().output().toPlainText().contains(QStringLiteral("signal 11")))
      << script().output().toPlainText().toStdString();
}
#endif

}  // namespace
}  // namespace rangescope::viewer
