#pragma once
// A Python script that computes with tensors: the examples, an editor, and what the script says when it runs.

#include <QWidget>

class QLabel;
class QListWidget;
class QPlainTextEdit;
class QPushButton;
class QSplitter;

namespace rangescope::viewer {

class PythonHighlighter;

class ScriptPanel : public QWidget {
  Q_OBJECT

 public:
  explicit ScriptPanel(QWidget* parent = nullptr);

  void addExample(const QString& name, const QString& text);
  // Into the editor, as a script of this name.
  void setScript(const QString& name, const QString& text);
  QString name() const { return name_; }
  QString text() const;
  void setRunning(bool running);
  void setDark(bool dark);
  void clearOutput();
  void print(const QString& text, bool error);
  void say(const QString& text);

  QListWidget& examples() { return *examples_; }
  QPlainTextEdit& editor() { return *editor_; }
  QPlainTextEdit& output() { return *output_; }
  QPushButton& run() { return *run_; }
  QPushButton& stop() { return *stop_; }
  QLabel& said() { return *said_; }

 signals:
  void runWanted();
  void stopWanted();
  void openWanted();
  void saveWanted();
  void left();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void chooseExample(int row);

  QListWidget* examples_;
  QPlainTextEdit *editor_, *output_;
  QPushButton *run_, *stop_, *open_, *save_;
  QLabel* said_;
  QSplitter* split_;
  PythonHighlighter* highlighter_;
  QString name_ = QStringLiteral("script.py");
  bool dark_ = false;
};

}  // namespace rangescope::viewer
