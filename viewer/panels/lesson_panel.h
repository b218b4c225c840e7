#pragma once
// A lesson, or one's own bookmarks: words about a place beside the graph, next and previous, questions at the end.

#include <QWidget>
#include <set>

#include "viewer/model/lesson.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTextBrowser;

namespace rangescope::viewer {

class LessonPanel : public QWidget {
  Q_OBJECT

 public:
  explicit LessonPanel(QWidget* parent = nullptr);
  // Entries of the list of lessons; the first is one's own bookmarks.
  void setTitles(const QStringList& titles);
  void choose(int index);  // without saying so
  // `note`: the words can be written.
  void showLesson(const Lesson& lesson, int step, bool note);
  void showMessage(const QString& message);
  int step() const { return step_; }

  QComboBox& list() { return *list_; }
  QTextBrowser& text() { return *text_; }
  QPushButton& next() { return *next_; }
  QPushButton& previous() { return *previous_; }
  QLineEdit& note() { return *note_; }

 signals:
  void lessonChosen(int index);
  void stepWanted(int step);  // below 0 and past the end are not asked for
  void noteWritten(const QString& text);
  void removeWanted();
  void saveWanted();

 private:
  void render();

  QComboBox* list_;
  QTextBrowser* text_;
  QLabel* where_;
  QPushButton *previous_, *next_, *remove_, *save_;
  QLineEdit* note_;
  Lesson lesson_;
  int step_ = 0;
  std::set<int> answered_;
};

}  // namespace rangescope::viewer
