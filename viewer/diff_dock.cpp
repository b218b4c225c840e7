#include "viewer/diff_dock.h"

#include <QDockWidget>
#include <QFileInfo>
#include <QTableWidget>
#include <algorithm>

#include "engine/trace/compare_times.h"
#include "viewer/canvas/graph_canvas.h"
#include "viewer/panels/diff_panel.h"
#include "viewer/panels/times_diff_panel.h"

namespace rangescope::viewer {

DiffDock::DiffDock(QMainWindow& window, QDockWidget* beside, TraceSession& session, GraphCanvas& canvas)
    : QObject(&window),
      session_(session),
      canvas_(canvas),
      panel_(new DiffPanel(&window)),
      times_(new TimesDiffPanel(&window)),
      dock_(tabDock(window, tr("Diff"), "diffDock", panel_, beside)),
      timesDock_(tabDock(window, tr("Times of both"), "timesDiffDock", times_, dock_)) {
  connect(times_, &TimesDiffPanel::itemChosen, this, &DiffDock::itemChosen);
  connect(times_, &TimesDiffPanel::left, this, &DiffDock::keysToGraph);
  connect(panel_, &DiffPanel::markWanted, this, &DiffDock::mark);
  connect(panel_, &DiffPanel::toggled, this, &DiffDock::setOn);
  connect(panel_, &DiffPanel::nodeChosen, this, &DiffDock::nodeChosen);
  connect(panel_, &DiffPanel::partChosen, this, &DiffDock::choosePart);
  connect(panel_, &DiffPanel::left, this, &DiffDock::keysToGraph);
  connect(&canvas_, &GraphCanvas::nodeClicked, panel_, &DiffPanel::selectNode);
  connect(&controller_, &DiffController::failed, panel_, &DiffPanel::showMessage);
  connect(&controller_, &DiffController::compared, this, [this](const std::vector<DiffRow>& rows) {
    parts_ = rows;
    panel_->showParts(rows);
    const auto first = std::ranges::find_if(rows, [](const DiffRow& r) { return r.differs && r.a.pass && r.b.pass; });
    if (first != rows.end()) {
      const int row = static_cast<int>(first - rows.begin());
      part_ = -1;
      panel_->parts().setCurrentCell(row, 0);
      if (part_ != row) choosePart(row);  // it was the current one of the traces compared before, too
    } else {
      const bool same = std::ranges::none_of(rows, &DiffRow::differs);
      panel_->showMessage(same ? tr("The two traces are the same.") : tr("They part where there is no graph to show."));
    }
  });
}

void DiffDock::addActions(const AddAction& add) {
  add(tr("Diff with the marked step"), {QKeySequence(Qt::Key_D)}, [this] {
    open();
    setOn(!on_);
  });
  add(tr("Mark this step for a diff"), {QKeySequence(Qt::SHIFT | Qt::Key_D)}, [this] {
    open();
    mark();
  });
}

void DiffDock::open() {
  bringUp(dock_);
}

void DiffDock::hold() {
  open();
  setOn(true);
}

void DiffDock::traceOpened(const TraceSummary&) {
  controller_.cancel();  // it is about the trace before
  marked_.reset();
  parts_.clear();
  part_ = -1;
  other_.clear();
  on_ = false;
  panel_->clear();
  times_->showTimes({});
  timesDock_->hide();
  canvas_.setLegend({});
}

void DiffDock::compareWith(const QString& path) {
  open();
  other_ = path;
  panel_->showMessage(tr("Comparing with %1 ...").arg(QFileInfo(path).fileName()));
  session_.openOther(path);
  controller_.compare(session_.summary().path, path);
  compareTimes();
}

void DiffDock::timesOf(const QString& path) {
  if (other_.isEmpty()) return;
  other_ = path;
  compareTimes();
}

// Where both were run, their kernels stand side by side, too.
void DiffDock::compareTimes() {
  times_->showTimes({});
  timesDock_->hide();
  timing_.request("times", this,
                  [this, a = session_.summary().path, b = other_](const std::stop_token&) -> Background::Answer {
                    const auto ra = trace::Reader::open(a.toStdString()), rb = trace::Reader::open(b.toStdString());
                    if (!ra || !rb) return {};
                    const auto times = trace::compare_times(**ra, **rb);
                    if (!times) return {};
                    return [this, b, times = *times] {
                      if (b != other_) return;
                      times_->showTimes(times);
                      timesDock_->show();
                      dock_->raise();
                    };
                  });
}

void DiffDock::mark() {
  if (address_.pass == 0) return;
  marked_ = address_;
  part_ = -1;
  panel_->setMarked(describe(address_, false));
  if (on_)
    emit changed();
  else
    panel_->showMessage(tr("Marked. Go to another step or pass, and D holds it against this one."));
}

void DiffDock::setOn(bool on) {
  on_ = on && address_.pass != 0;
  panel_->setOn(on_);
  if (!on_) {
    canvas_.setLegend({});
    panel_->showMessage(
        tr("D holds the step against %1.").arg(marked_ ? tr("the marked one") : tr("the input of its pass")));
  }
  emit changed();
}

void DiffDock::choosePart(int row) {
  if (row < 0 || row >= static_cast<int>(parts_.size())) return;
  const DiffRow& r = parts_[static_cast<size_t>(row)];
  if (r.a.pass == 0 || r.b.pass == 0) {
    panel_->showMessage(r.differs ? tr("%1: %2").arg(r.part, r.what) : tr("%1 is %2").arg(r.part, r.what));
    return;
  }
  part_ = row;
  on_ = true;
  panel_->setOn(true);
  const bool there = address_ == r.a;
  emit goTo(r.a);
  if (there) emit changed();
}

std::optional<DiffAgainst> DiffDock::against(const StepAddress& address) const {
  if (!on_) return std::nullopt;
  if (part_ >= 0) {
    // passes up to the difference are the same, so those of the other trace stand as far from it
    const DiffRow& r = parts_[static_cast<size_t>(part_)];
    const int64_t pass = address.pass + r.b.pass - r.a.pass;
    return DiffAgainst{{pass, address == r.a ? r.b.step : address.step}, true};
  }
  if (marked_) return DiffAgainst{*marked_, false};
  return DiffAgainst{{address.pass, 0}, false};
}

QString DiffDock::describe(const StepAddress& address, bool other) const {
  const auto& passes = session_.summary().passes;
  const QString step = address.step == 0 ? tr("input") : tr("match %1").arg(address.step);
  if (other) return tr("B, %1: pass %2, %3").arg(QFileInfo(other_).fileName()).arg(address.pass).arg(step);
  const QString name = address.pass >= 1 && address.pass <= static_cast<int64_t>(passes.size())
                           ? QString::fromStdString(passes[static_cast<size_t>(address.pass - 1)].name)
                           : QString();
  return tr("%1 (pass %2), %3").arg(name).arg(address.pass).arg(step);
}

void DiffDock::showPicture(const StepPicture& picture) {
  if (!picture.diff) return;
  const DiffAgainst& against = picture.diff->against;
  QString before = describe(against.address, against.other), after = describe(picture.scene.address, false);
  if (against.other) {
    std::swap(before, after);
    before = tr("A, %1").arg(before);
  }
  panel_->showDiff(*picture.diff, before, after);
  const CanvasTheme& t = canvas_.theme();
  const auto gone = against.other ? tr("in A alone") : tr("removed"),
             come = against.other ? tr("in B alone") : tr("added");
  canvas_.setLegend({{t.added, come},
                     {t.ghost, gone},
                     {t.resourced, tr("reads another source")},
                     {t.match, tr("another dtype or argument")}});
}

void DiffDock::showFailure(const QString& message) {
  if (on_) panel_->showMessage(message);
}

void DiffDock::themeChanged(bool dark) {
  panel_->setDark(dark);
  times_->setDark(dark);
  if (on_) emit changed();
}

}  // namespace rangescope::viewer
