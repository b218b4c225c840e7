#pragma once
// Runs the chosen kernel again in a process of its own: beside what was edited, and for what its buffers hold.

#include <QTemporaryDir>
#include <memory>

#include "viewer/controllers/background.h"
#include "viewer/controllers/child_job.h"
#include "viewer/controllers/child_program.h"
#include "viewer/docks.h"

namespace rangescope::viewer {

class KernelPanel;
class ValuesPanel;

class KernelWorkshop : public QObject {
  Q_OBJECT

 public:
  KernelWorkshop(QMainWindow& window, QDockWidget* beside, KernelPanel& kernels);
  void setProgram(ChildProgram program) { program_ = std::move(program); }
  void traceOpened(const QString& path);
  void openValues();
  void setDark(bool dark);
  bool busy() const;
  ValuesPanel& values() { return *values_; }

 signals:
  void keysToGraph();

 private:
  void run(bool values);
  void readDetails(qlonglong kernel);
  void ended(const ChildJob::Outcome& outcome);
  void showTimes(const QJsonArray& variants);
  void showValues(const QJsonArray& buffers);

  ChildProgram program_;
  KernelPanel& kernels_;
  ValuesPanel* values_;
  QDockWidget* valuesDock_;
  ChildJob job_;
  std::unique_ptr<QTemporaryDir> folder_;
  QString trace_, edited_, kernel_, optimisations_, sizes_;
  qlonglong item_ = 0;
  int runs_ = 0;
  bool wantsValues_ = false;
  Background background_;  // last: its thread ends before what it uses
};

}  // namespace rangescope::viewer
