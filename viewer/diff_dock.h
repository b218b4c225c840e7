#pragma once
// Diff in the window: which step is marked, whether the picture is of two graphs, and the trace that is compared with
// the open one.

#include <optional>

#include "viewer/controllers/diff_controller.h"
#include "viewer/docks.h"

namespace rangescope::viewer {

class DiffPanel;
class GraphCanvas;
class TimesDiffPanel;

class DiffDock : public QObject {
  Q_OBJECT

 public:
  DiffDock(QMainWindow& window, QDockWidget* beside, TraceSession& session, GraphCanvas& canvas);

  void addActions(const AddAction& add);

  void traceOpened(const TraceSummary& summary);
  // Compares the open trace with this one, and goes to where they part.
  void compareWith(const QString& path);
  // The same trace, run meanwhile: its times alone.
  void timesOf(const QString& path);
  void movedTo(const StepAddress& address) { address_ = address; }
  void showPicture(const StepPicture& picture);
  void showFailure(const QString& message);
  void themeChanged(bool dark);

  // What the step is to be held against; none: a picture of the step alone.
  std::optional<DiffAgainst> against(const StepAddress& address) const;
  bool on() const { return on_; }
  bool busy() const { return controller_.busy() || timing_.busy(); }
  DiffController& controller() { return controller_; }
  void open();
  void hold();  // as D does: the step against the marked one, or the input of its pass
  DiffPanel& panel() { return *panel_; }
  TimesDiffPanel& times() { return *times_; }

 signals:
  void changed();  // the picture is to be made anew
  void goTo(const rangescope::viewer::StepAddress& address);
  void nodeChosen(quint32 key);
  void itemChosen(qlonglong item);  // a kernel of the open trace
  void keysToGraph();

 private:
  void compareTimes();
  void mark();
  void setOn(bool on);
  void choosePart(int row);
  QString describe(const StepAddress& address, bool other) const;

  TraceSession& session_;
  GraphCanvas& canvas_;
  DiffController controller_;
  DiffPanel* panel_;
  TimesDiffPanel* times_;
  QDockWidget *dock_, *timesDock_;
  StepAddress address_;
  std::optional<StepAddress> marked_;
  std::vector<DiffRow> parts_;
  int part_ = -1;  // of two traces; below 0: of one
  QString other_;
  bool on_ = false;
  Background timing_;
};

}  // namespace rangescope::viewer
