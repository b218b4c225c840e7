// The window when a trace is opened, and while it grows.

#include <QDockWidget>
#include <QFileInfo>
#include <QLabel>
#include <QLocale>
#include <QStatusBar>
#include <algorithm>

#include "viewer/diff_dock.h"
#include "viewer/kernel_docks.h"
#include "viewer/kernel_workshop.h"
#include "viewer/lesson_dock.h"
#include "viewer/main_window.h"
#include "viewer/panels/inspector_panel.h"
#include "viewer/panels/kernel_panel.h"
#include "viewer/panels/message_bar.h"
#include "viewer/tool_docks.h"
#include "viewer/what_if_dock.h"

namespace rangescope::viewer {

void MainWindow::openTrace(const QString& path) {
  showMessage(tr("Opening %1 ...").arg(QFileInfo(path).fileName()));
  session_.open(path);
}

void MainWindow::startAt(int64_t pass, int64_t step) {
  start_ = {pass, step};
  startGiven_ = true;
}

namespace {

// Of every pass, in steps.
std::vector<int64_t> lengthsOf(const TraceSummary& t) {
  std::vector<int64_t> lengths;
  lengths.reserve(t.passes.size());
  for (const trace::Pass& p : t.passes) {
    // the match at which a rule refused the graph is a step too
    const bool refused = t.failure && t.failure->at.pass == p.id;
    lengths.push_back(std::max(p.matches, refused ? t.failure->at.step : 0));
  }
  return lengths;
}

}  // namespace

void MainWindow::showStatus() {
  const TraceSummary& t = session_.summary();
  const auto following = [this] {
    switch (session_.recording()) {
      case Recording::Gone:
        return tr("   (not closed, and nobody records it any more: shown up to its last batch)");
      case Recording::Quiet:
        return tr("   (not closed yet: nothing new since %1)")
            .arg(QLocale().toString(session_.lastCame().time(), QLocale::ShortFormat));
      default:
        return tr("   (not closed yet: what is added is shown)");
    }
  };
  status_->setText(tr("%1   %2 passes, %3 matches, %4 nodes%5")
                       .arg(t.program)
                       .arg(t.passes.size())
                       .arg(t.matches)
                       .arg(t.nodes)
                       .arg(t.complete   ? QString()
                            : t.followed ? following()
                                         : tr("   (not closed: shown up to its last batch)")));
}

// A trace that is followed fell silent, or nobody records it any more.
void MainWindow::recordingChanged() {
  showStatus();
  if (session_.recording() == Recording::Gone && navigator_.address().pass == 0)
    showMessage(tr("Nobody records this trace any more, and it holds no passes. Record it again."));
}

// More of a trace that is being recorded.
void MainWindow::traceGrew() {
  const TraceSummary& t = session_.summary();
  passes_.extend(t.sections, t.passes);
  navigator_.extend(lengthsOf(t));
  showStatus();
  if (t.failure && messageBar_->isHidden()) messageBar_->showFailure(*t.failure);
  tools_->traceGrew();
  if (t.complete) {
    kernels_->setRows(t.kernels);
    kernelDocks_->traceOpened(t.path, t.kernels);
    if (!t.kernels.empty()) kernelDock_->show();
    tools_->traceComplete();
    statusBar()->showMessage(tr("The recording is complete."));
  }
  if (navigator_.address().pass == 0)
    begin();
  else
    setFollowing(followAction_->isChecked());
}

void MainWindow::setFollowing(bool on) {
  followAction_->setChecked(on);
  if (!on || !session_.isOpen()) return;
  const auto& passes = session_.summary().passes;
  for (size_t i = passes.size(); i-- > 0;)
    if (!passes[i].group && passes[i].matches > 0) {
      navigator_.go({passes[i].id, INT64_MAX});
      return;
    }
}

void MainWindow::traceOpened() {
  const TraceSummary& t = session_.summary();
  rememberPlace();
  if (remembersPlaces_) places_.save();
  places_ = {};
  if (remembersPlaces_) places_.open(t.path, t.matches, t.nodes);
  setWindowTitle(QStringLiteral("%1 – Rangescope").arg(QFileInfo(t.path).fileName()));
  passes_.setTrace(t.sections, t.passes);
  navigator_.setTrace(lengthsOf(t));
  workshop_->traceOpened(t.path);
  kernels_->setRows(t.kernels);
  kernelDocks_->traceOpened(t.path, t.kernels);
  kernelDock_->setVisible(!t.kernels.empty());
  inspector_->showNothing();
  tools_->traceOpened(t.path);
  diff_->traceOpened(t);
  whatIf_->traceOpened(t);
  lessons_->traceOpened(t);
  messageBar_->hide();
  if (t.failure) messageBar_->showFailure(*t.failure);
  picture_.reset();
  shown_ = {};
  shownPass_ = 0;
  wantedNode_ = 0;
  items_.clear();
  showStatus();
  begin();
}

// Where a trace is first seen.
void MainWindow::begin() {
  const TraceSummary& t = session_.summary();
  if (lessons_->leads()) {
    showMessage({});  // the lesson knows where it begins
  } else if (startGiven_ && start_.pass != 0) {
    navigator_.go({start_.pass, start_.step < 0 ? INT64_MAX : start_.step});
  } else if (t.failure && t.failure->at.pass != 0) {
    goTo(t.failure->at, t.failure->node);  // what went wrong is what one wants to see
  } else if (const auto last = places_.last(); last && passes_.indexOf(last->pass).isValid()) {
    navigator_.go(*last);
  } else if (t.kernelGraph != 0 && !t.kernels.empty()) {
    navigator_.go({t.kernelGraph, 0});
  } else if (followAction_->isChecked() && t.matches > 0) {
    setFollowing(true);
  } else if (const int64_t first = passes_.firstPass()) {
    navigator_.goToPass(first);
  } else {
    showMessage(t.followed ? tr("This trace is being recorded: its passes are shown as they come.")
                           : tr("This trace holds no passes."));
  }
}

}  // namespace rangescope::viewer
