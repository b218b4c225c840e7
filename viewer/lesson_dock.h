#pragma once
// Lessons and bookmarks: which is open, at which step, and how one gets there. A lesson records its program when it is
// opened, through whoever knows how to schedule.

#include <QMainWindow>
#include <functional>
#include <optional>

#include "viewer/controllers/background.h"
#include "viewer/controllers/trace_session.h"
#include "viewer/model/lesson.h"

class QDockWidget;

namespace rangescope::viewer {

class LessonPanel;

// Schedules a program (its text, as JSON lines) and gives the path of the trace. Called on a thread of its own.
using LessonRecorder = std::function<Result<std::string>(const std::string& program)>;

class LessonDock : public QObject {
  Q_OBJECT

 public:
  LessonDock(QMainWindow& window, QDockWidget* beside, TraceSession& session);

  using AddAction =
      std::function<void(const QString& text, const QList<QKeySequence>& keys, std::function<void()> does)>;
  void addActions(const AddAction& add);
  void setRecorder(LessonRecorder recorder) { recorder_ = std::move(recorder); }
  void traceOpened(const TraceSummary& summary);
  // The lesson's steps begin where its trace opens: the window need not choose a place.
  bool leads() const { return leading_; }
  void movedTo(const StepAddress& address) { address_ = address; }
  void open();
  bool openLesson(int index);  // of those that come along, from 0
  bool showStep(int step);
  void bookmark();
  bool busy() const { return recording_; }
  std::optional<RunningJob> running() const { return background_.running(); }
  void cancel();
  LessonPanel& panel() { return *panel_; }
  // Of the lessons that come along.
  const QStringList& titles() const { return titles_; }

 signals:
  void openTrace(const QString& path);
  // Goes there, and selects the nth node of this op, if one is named.
  void goTo(const rangescope::viewer::StepAddress& address, const QString& op, int nth);
  void said(const QString& message);

 private:
  void choose(int index);
  void store() const;
  void save();

  TraceSession& session_;
  LessonRecorder recorder_;
  LessonPanel* panel_;
  QDockWidget* dock_;
  QStringList titles_;
  Lesson lesson_, bookmarks_;
  int index_ = 0;  // of the list: 0 are the bookmarks
  int step_ = 0;
  StepAddress address_;
  QString waitingFor_;  // the path of a trace that is being opened for a lesson
  bool recording_ = false, leading_ = false;
  Background background_;  // last: its thread ends before what it uses
};

}  // namespace rangescope::viewer
