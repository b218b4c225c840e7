#include "viewer/lesson_dock.h"

#include <QDockWidget>
#include <QFileDialog>
#include <QSettings>

#include "viewer/model/qt_text.h"
#include "viewer/panels/lesson_panel.h"
#include "viewer/save_file.h"

namespace rangescope::viewer {

namespace {

QString bookmarksKey(const QString& program) {
  return QStringLiteral("bookmarks/") + QString::fromLatin1(program.toUtf8().toPercentEncoding());
}

}  // namespace

LessonDock::LessonDock(QMainWindow& window, QDockWidget* beside, TraceSession& session)
    : QObject(&window),
      session_(session),
      panel_(new LessonPanel(&window)),
      dock_(tabDock(window, tr("Lessons"), "lessonsDock", panel_, beside)) {
  for (const LessonFile& f : lessonFiles()) {
    const auto lesson = parseLesson(f.text);
    titles_ << (lesson ? qtText(lesson->title) : qtText(f.name));
  }
  panel_->setTitles(QStringList{tr("My bookmarks")} + titles_);
  panel_->showMessage(tr("Choose a lesson, or mark a step with B: bookmarks stand here, with a note."));
  connect(panel_, &LessonPanel::lessonChosen, this, &LessonDock::choose);
  connect(panel_, &LessonPanel::stepWanted, this, &LessonDock::showStep);
  connect(panel_, &LessonPanel::saveWanted, this, &LessonDock::save);
  connect(panel_, &LessonPanel::noteWritten, this, [this](const QString& text) {
    if (index_ != 0 || step_ >= static_cast<int>(bookmarks_.steps.size())) return;
    LessonStep& s = bookmarks_.steps[static_cast<size_t>(step_)];
    if (s.text == text.toStdString()) return;
    s.text = text.toStdString();
    store();
    panel_->showLesson(bookmarks_, step_, true);
  });
  connect(panel_, &LessonPanel::removeWanted, this, [this] {
    if (index_ != 0 || step_ >= static_cast<int>(bookmarks_.steps.size())) return;
    bookmarks_.steps.erase(bookmarks_.steps.begin() + step_);
    store();
    step_ = std::max(0, step_ - 1);
    choose(0);
  });
  connect(&session_, &TraceSession::placeFound, this, [this](const StepAddress& address, const QString& op, int nth) {
    leading_ = false;
    emit goTo(address, op, nth);
  });
  connect(&session_, &TraceSession::placeNotFound, this, [this](const QString& message) {
    leading_ = false;
    emit said(message);
  });
}

void LessonDock::addActions(const AddAction& add) {
  add(tr("Bookmark this step"), {QKeySequence(Qt::Key_B)}, [this] { bookmark(); });
  add(tr("Next step of the lesson"), {QKeySequence(Qt::Key_BracketRight)}, [this] { showStep(step_ + 1); });
  add(tr("Step of the lesson before"), {QKeySequence(Qt::Key_BracketLeft)}, [this] { showStep(step_ - 1); });
  add(tr("Lessons and bookmarks"), {QKeySequence(Qt::Key_F1)}, [this] {
    open();
    if (index_ == 0) choose(0);
  });
}

void LessonDock::open() {
  bringUp(dock_);
}

void LessonDock::choose(int index) {
  if (index > 0) {
    openLesson(index - 1);
    return;
  }
  index_ = 0;
  panel_->choose(0);
  if (bookmarks_.steps.empty()) {
    panel_->showMessage(session_.isOpen() ? tr("No bookmarks in this program yet: B marks the step that is on show.")
                                          : tr("Choose a lesson, or open a trace (Ctrl+O) and mark a step with B."));
    return;
  }
  step_ = std::min(step_, static_cast<int>(bookmarks_.steps.size()) - 1);
  panel_->showLesson(bookmarks_, step_, true);
}

bool LessonDock::openLesson(int index) {
  const auto files = lessonFiles();
  if (index < 0 || index >= static_cast<int>(files.size())) return false;
  auto lesson = parseLesson(files[static_cast<size_t>(index)].text);
  open();
  panel_->choose(index + 1);
  if (!lesson) {
    panel_->showMessage(qtText(lesson.error().message));
    return false;
  }
  if (!recorder_) {
    panel_->showMessage(tr("This program cannot record the lesson's trace."));
    return false;
  }
  lesson_ = std::move(*lesson);
  index_ = index + 1;
  recording_ = true;
  panel_->showMessage(tr("Recording the lesson's program..."));
  const std::string program(lessonProgram(lesson_.program));
  background_.request(
      "record", this,
      [this, program, codegen = lesson_.codegen, recorder = recorder_](const std::stop_token&) -> Background::Answer {
        const auto path = recorder(program, codegen);
        if (!path)
          return [this, message = qtText(path.error().message)] {
            recording_ = false;
            panel_->showMessage(message);
          };
        return [this, p = qtText(*path)] {
          recording_ = false;
          waitingFor_ = p;
          leading_ = true;
          emit openTrace(p);
        };
      });
  return true;
}

void LessonDock::cancel() {
  background_.cancel("record");
  recording_ = false;
  panel_->showMessage(tr("Stopped. Choose the lesson again to record its program."));
}

void LessonDock::traceOpened(const TraceSummary& summary) {
  const QByteArray kept = QSettings().value(bookmarksKey(summary.program)).toByteArray();
  const auto bookmarks = parseLesson(std::string_view(kept.constData(), static_cast<size_t>(kept.size())));
  bookmarks_ = bookmarks ? *bookmarks : Lesson{};
  bookmarks_.title = "My bookmarks";
  if (summary.path == waitingFor_) {
    waitingFor_.clear();
    showStep(0);
    return;
  }
  leading_ = false;
  step_ = 0;
  lookAs({});
  choose(0);
}

bool LessonDock::showStep(int step) {
  const Lesson& lesson = index_ == 0 ? bookmarks_ : lesson_;
  const int n = static_cast<int>(lesson.steps.size());
  const int last = lesson.questions.empty() && lesson.tryThis.empty() ? n - 1 : n;
  if (n == 0 || step < 0 || step > last) return false;
  open();
  step_ = step;
  panel_->showLesson(lesson, step, index_ == 0);
  // at the end the last step stays on show
  const LessonPlace& at = lesson.steps[static_cast<size_t>(std::min(step, n - 1))].at;
  lookAs(at);
  session_.findPlace(at);
  return true;
}

// What a step asks for goes with it; what a person chose stays.
void LessonDock::lookAs(const LessonPlace& place) {
  const QString panel = qtText(place.panel);
  const QString opened = panel == beside_ ? QString() : panel.isEmpty() ? QStringLiteral("rule") : panel;
  if (place.lens == lens_ && opened.isEmpty()) return;
  lens_ = place.lens, beside_ = panel;
  emit look(lens_, opened);
}

void LessonDock::bookmark() {
  if (!session_.isOpen() || address_.pass == 0) return;
  LessonStep s;
  s.at = placeOf(session_.summary().passes, address_);
  s.title = s.at.pass + (s.at.match > 0 ? ", match " + std::to_string(s.at.match) : ", input");
  bookmarks_.steps.push_back(std::move(s));
  store();
  step_ = static_cast<int>(bookmarks_.steps.size()) - 1;
  index_ = 0;
  open();
  choose(0);
  emit said(tr("Marked. A note can be written beside it; [ and ] walk the bookmarks."));
}

void LessonDock::store() const {
  QSettings().setValue(bookmarksKey(session_.summary().program), QByteArray::fromStdString(lessonJson(bookmarks_)));
}

void LessonDock::save() {
  const QString path = QFileDialog::getSaveFileName(panel_, tr("Save the bookmarks as a lesson"),
                                                    QStringLiteral("lesson.json"), tr("Lessons (*.json)"));
  if (path.isEmpty()) return;
  const auto saved = saveFile(path.toStdString(), QByteArray::fromStdString(lessonJson(bookmarks_)));
  emit said(saved ? tr("Written: %1").arg(path) : qtText(saved.error().message));
}

}  // namespace rangescope::viewer
