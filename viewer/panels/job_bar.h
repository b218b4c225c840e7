#pragma once
// What runs behind the window for longer than a moment: what it is, how far, and Cancel. Looks at the background
// threads now and then; they know nothing of it.

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>
#include <functional>
#include <map>
#include <vector>

#include "viewer/controllers/background.h"

class QLabel;
class QProgressBar;
class QToolButton;

namespace rangescope::viewer {

class JobBar : public QWidget {
  Q_OBJECT

 public:
  explicit JobBar(QWidget* parent = nullptr);
  // A thread to look at. Of its jobs those are shown whose tag has a text.
  struct Source {
    std::function<std::optional<RunningJob>()> running;
    std::map<std::string, QString> texts;
    std::function<void(const std::string& tag)> cancel;
  };
  void watch(Source source) { sources_.push_back(std::move(source)); }
  QLabel& text() { return *text_; }
  QToolButton& cancelButton() { return *cancel_; }

 private:
  void look();

  std::vector<Source> sources_;
  size_t shown_ = 0;
  std::string tag_;  // of the job on show; empty: none
  QLabel* text_;
  QProgressBar* progress_;
  QToolButton* cancel_;
  QTimer timer_;
};

}  // namespace rangescope::viewer
