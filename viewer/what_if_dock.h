#pragma once
// What if: records the program of the open trace again with a rule switched off or a setting changed, in a process of
// its own, and shows the result beside it.

#include <QTemporaryDir>
#include <memory>
#include <vector>

#include "viewer/controllers/background.h"
#include "viewer/controllers/child_job.h"
#include "viewer/controllers/child_program.h"
#include "viewer/controllers/trace_session.h"
#include "viewer/docks.h"
#include "viewer/panels/what_if_panel.h"

namespace rangescope::viewer {

class WhatIfDock : public QObject {
  Q_OBJECT

 public:
  WhatIfDock(QMainWindow& window, QDockWidget* beside);

  void addActions(const AddAction& add);
  void setProgram(ChildProgram program) { program_ = std::move(program); }

  void traceOpened(const TraceSummary& summary);
  void open();
  // Opens with this rule chosen.
  void askAbout(const QString& rule);
  bool busy() const { return job_.running() || reading_; }
  WhatIfPanel& panel() { return *panel_; }

 signals:
  void compareWith(const QString& path);
  void timesKnown(const QString& path);  // of what it is compared with
  void openTrace(const QString& path);
  void keysToGraph();

 private:
  struct Tried {
    QString path, what;
    bool usable = false;
    TraceFigures figures;
  };
  void run();
  void start(const QString& out, bool kernels);
  void ended(const ChildJob::Outcome& outcome);
  void readFigures(int row);
  void figuresKnown(int row, const TraceFigures& figures);
  void choose(int row);

  ChildProgram program_;
  WhatIfPanel* panel_;
  QDockWidget* dock_;
  ChildJob job_;
  std::unique_ptr<QTemporaryDir> folder_;
  QString trace_;             // the open one
  std::vector<Tried> tried_;  // the first is the trace as it is
  bool filled_ = false;       // with the settings there are
  bool reading_ = false;
  bool timing_ = false;  // what was scheduled is run, too
  QStringList changes_;
  Background background_;
};

}  // namespace rangescope::viewer
