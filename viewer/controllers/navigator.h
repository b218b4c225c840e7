#pragma once
// Where the user is in the trace, how they got there, and playing. Knows no widgets and reads nothing: the window tells
// it how long passes are.

#include <QObject>
#include <QTimer>
#include <map>
#include <vector>

#include "viewer/model/pass_tree_model.h"
#include "viewer/model/step_scene.h"

namespace rangescope::viewer {

class Navigator : public QObject {
  Q_OBJECT

 public:
  explicit Navigator(PassTreeModel& passes, QObject* parent = nullptr);

  // `lengths`: matches of each pass, by pass number from 1.
  void setTrace(std::vector<int64_t> lengths);
  // The trace has grown: passes got longer, and more of them came. One stays where one is.
  void extend(std::vector<int64_t> lengths);
  const StepAddress& address() const { return address_; }
  int64_t length() const { return lengthOf(address_.pass); }
  bool playing() const { return timer_.isActive(); }
  double speed() const { return stepsPerSecond_; }
  bool canGoBack() const { return historyAt_ > 0; }
  bool canGoForward() const { return historyAt_ + 1 < history_.size(); }

  void go(const rangescope::viewer::StepAddress& address);  // out of range is brought into range
  void goToPass(qlonglong pass);  // at the step where the user left it, the first match at first
  void goToStep(qlonglong step);
  void stepBy(int steps);
  void firstStep();
  void lastStep();
  void nextPass();
  void previousPass();
  void back();
  void forward();
  void play();
  void pause();
  void togglePlay();
  void setSpeed(double stepsPerSecond);

 signals:
  // `byPlaying`: the next step follows soon.
  void moved(const rangescope::viewer::StepAddress& address);
  void playingChanged(bool playing);
  void historyChanged();

 private:
  int64_t lengthOf(int64_t pass) const;
  void enter(StepAddress address, bool remember);
  void playNext();

  PassTreeModel& passes_;
  std::vector<int64_t> lengths_;
  StepAddress address_;
  std::map<int64_t, int64_t> lastStep_;  // by pass
  std::vector<StepAddress> history_;
  size_t historyAt_ = 0;
  QTimer timer_;
  double stepsPerSecond_ = 2;
};

}  // namespace rangescope::viewer
