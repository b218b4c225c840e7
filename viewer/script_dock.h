#pragma once
// Scripts in the window, and files that are dropped on it: recorded in a process of its own, and opened.

#include <QTemporaryDir>
#include <QTimer>
#include <memory>

#include "viewer/controllers/child_job.h"
#include "viewer/controllers/child_program.h"
#include "viewer/docks.h"

namespace rangescope::viewer {

class ScriptPanel;

class ScriptDock : public QObject {
  Q_OBJECT

 public:
  ScriptDock(QMainWindow& window, QDockWidget* beside);

  void addActions(const AddAction& add);
  void setProgram(ChildProgram program) { program_ = std::move(program); }
  void open();
  // Whether a file is recorded rather than opened: a script, a model, programs.
  static bool isRecordable(const QString& path);
  // Records it, and opens what comes of it.
  void record(const QString& path);
  // Into the editor.
  void load(const QString& path);
  bool busy() const { return job_.running(); }
  ScriptPanel& panel() { return *panel_; }

 signals:
  void openTrace(const QString& path);
  void said(const QString& message);
  void keysToGraph();

 private:
  void run();
  void chooseFile();
  void save();
  void start(const QString& source, const QString& shown);
  void ended(const ChildJob::Outcome& outcome);
  bool openWhatThereIs();
  bool prepareFolder();

  QMainWindow& window_;
  ChildProgram program_;
  ScriptPanel* panel_;
  QDockWidget* dock_;
  ChildJob job_;
  std::unique_ptr<QTemporaryDir> folder_;
  QString shown_, trace_;  // what runs, and the recording of it
  int runs_ = 0;
  bool opened_ = false;  // the recording of what runs, which is followed then
  QTimer look_;
};

}  // namespace rangescope::viewer
