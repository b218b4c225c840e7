#pragma once
// The window on a small trace (tests/trace/recorded.h), and the keys that a person would press.

#include <gtest/gtest.h>

#include <QLabel>
#include <QTest>
#include <string>
#include <vector>

#include "tests/trace/recorded.h"
#include "tests/viewer/wait_for.h"
#include "viewer/canvas/graph_canvas.h"
#include "viewer/main_window.h"

namespace rangescope::viewer {

class WindowTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = QString::fromStdString(folder_.file("t.rscope"));
    trace::record_sample(path_.toStdString());
    window_.canvas().setReducedMotion(true);
    window_.QWidget::show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&window_));
  }
  void open() {
    window_.openTrace(path_);
    ASSERT_TRUE(settle());
  }
  bool settle() {
    return waitFor([&] { return window_.navigator().address().pass != 0 && window_.settled(); });
  }
  void key(Qt::Key k, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QTest::keyClick(&window_.canvas(), k, modifiers);
    ASSERT_TRUE(settle());
  }
  QString where() { return window_.findChild<QLabel*>(QStringLiteral("where"))->text(); }
  std::vector<std::string> titles(NodeState state) {
    std::vector<std::string> out;
    for (const SceneNode& n : window_.canvas().frame()->graph.nodes)
      if (n.state == state) out.push_back(n.title);
    return out;
  }

  trace::Folder folder_;
  QString path_;
  MainWindow window_;
};

}  // namespace rangescope::viewer
