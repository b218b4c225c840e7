// A trace of what went wrong opens there, and says what and where.

#include <QLabel>
#include <QStatusBar>
#include <QToolButton>

#include "engine/trace/verification.h"
#include "tests/viewer/window/window_fixture.h"
#include "viewer/panels/message_bar.h"

namespace rangescope::viewer {
namespace {

class FailureTest : public WindowTest {
 protected:
  // Records sink(v + 0, 2 * w) under these rules after "clean".
  void record(const RuleSet& rules) {
    Store store;
    auto recorder = trace::Recorder::create(path_.toStdString(), store);
    ASSERT_TRUE(recorder);
    const UOp root = trace::sample_program(store);
    (*recorder)->begin_section("schedule", "sample", root);
    const ObserverScope scope(store, **recorder);
    try {
      const UOp clean = graph_rewrite(root, trace::drop_zero(), {.name = "clean"});
      graph_rewrite(clean, rules, {.name = "failing"});
    } catch (const GraphError& e) {
      (*recorder)->error_if_new(e.message());
    }
    ASSERT_TRUE((*recorder)->finish());
  }
  QString said() { return window_.messageBar().text().text(); }
};

TEST_F(FailureTest, ARuleThatRefusedIsWhereTheTraceOpens) {
  static const RuleSet refuse("refuse", {{"refuse-product", "", "", pat(Op::MUL),
                                          [](const Match&) -> UOp { throw GraphError("no products here"); }}});
  record(refuse);
  open();
  EXPECT_EQ(window_.navigator().address(), (StepAddress{2, 1}));
  EXPECT_TRUE(window_.messageBar().isVisible());
  EXPECT_TRUE(said().contains(QStringLiteral("Refused by refuse-product"))) << said().toStdString();
  EXPECT_TRUE(said().contains(QStringLiteral("no products here")));
  EXPECT_TRUE(said().contains(QStringLiteral("pass 2 (failing), match 1")));
  EXPECT_EQ(titles(NodeState::Match), std::vector<std::string>{"MUL"});
  // wandering off, and back by the link
  key(Qt::Key_Up);
  EXPECT_EQ(window_.navigator().address().pass, 1);
  emit window_.messageBar().text().linkActivated(QStringLiteral("-1"));
  ASSERT_TRUE(settle());
  EXPECT_EQ(window_.navigator().address(), (StepAddress{2, 1}));
  QTest::mouseClick(window_.findChild<QToolButton*>(QStringLiteral("messageBarClose")), Qt::LeftButton);
  EXPECT_FALSE(window_.messageBar().isVisible());
}

TEST_F(FailureTest, ACircleIsShownStepByStep) {
  using namespace captures;
  static const RuleSet circle("circle",
                              {{"product-to-shift", "", "", pat(Op::MUL, {var(x), var(y)}),
                                [](const Match& m) {
                                  return m.store().make(Op::SHL, {m[x], m[y]});
                                }},
                               {"shift-to-product", "", "", pat(Op::SHL, {var(x), var(y)}), [](const Match& m) {
                                  return m.store().make(Op::MUL, {m[x], m[y]});
                                }}});
  record(circle);
  open();
  EXPECT_TRUE(window_.messageBar().isVisible());
  EXPECT_TRUE(said().contains(QStringLiteral("Rewrites run in a circle"))) << said().toStdString();
  EXPECT_TRUE(said().contains(QStringLiteral("product-to-shift")));
  EXPECT_TRUE(said().contains(QStringLiteral("shift-to-product")));
  EXPECT_EQ(window_.navigator().address(), (StepAddress{2, 1}));
  ASSERT_TRUE(window_.canvas().frame()) << window_.statusBar()->currentMessage().toStdString()
                                        << window_.navigator().address().step;  // the step before it closes
}

TEST_F(FailureTest, AVerificationThatFoundAWrongRewriteOpensThere) {
  const auto noted = trace::note_verification(path_.toStdString(), {false, 3, 0, "element 0 is 4, was 2"});
  ASSERT_TRUE(noted) << noted.error().message;
  open();
  EXPECT_EQ(window_.navigator().address(), (StepAddress{3, 1}));
  EXPECT_TRUE(said().contains(QStringLiteral("double-by-adding changes the meaning of the program")))
      << said().toStdString();
  EXPECT_TRUE(said().contains(QStringLiteral("element 0 is 4, was 2")));
  // verified anew, and found well
  ASSERT_TRUE(trace::note_verification(path_.toStdString(), {}));
  window_.openTrace(path_);
  ASSERT_TRUE(waitFor([&] { return !window_.messageBar().isVisible() && window_.settled(); }));
}

}  // namespace
}  // namespace rangescope::viewer
