#pragma once
// Lessons and bookmarks: which is open, at which step, and how one gets there. A lesson records its program when it is
// opened, through whoever knows how to schedule.

#include <functional>
#include <optional>

#include "viewer/controllers/background.h"
#include "viewer/controllers/trace_session.h"
#include "viewer/docks.h"
#include "viewer/model/lesson.h"

namespace rangescope::viewer {

class LessonPanel;

// Schedules a program (its text, as JSON lines), with `codegen` generates its kernels, too, and gives the path of the
// trace. Called on a thread of its own.
using LessonRecorder = std::function<Result<std::string>(const std::string& program, bool codegen)>;

class LessonDock : public QObject {
  Q_OBJECT

 public:
  LessonDock(QMainWindow& window, QDockWidget* beside, TraceSession& session);

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
  // A lesson is on show, and no bookmarks.
  bool inLesson() const { return index_ > 0; }
  std::optional<RunningJob> running() const { return background_.running(); }
  void cancel();
  LessonPanel& panel() { return *panel_; }
  // Of the lessons that come along.
  const QStringList& titles() const { return titles_; }

 signals:
  void openTrace(const QString& path);
  // Goes there, and selects the nth node of this op, if one is named.
  void goTo(const rangescope::viewer::StepAddress& address, const QString& op, int nth);
  // How a lesson's step wants to be seen: through the lens or not, with this panel opened (empty: as they are).
  void look(bool lens, const QString& panel);
  void said(const QString& message);

 private:
  void choose(int index);
  void lookAs(const LessonPlace& place);
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
  bool lens_ = false;   // put on by a step
  QString beside_;      // the panel that a step opened
  QString waitingFor_;  // the path of a trace that is being opened for a lesson
  bool recording_ = false, leading_ = false;
  Background background_;  // last: its thread ends before what it uses
};

}  // namespace rangescope::viewer
