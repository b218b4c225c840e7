#include "viewer/script_dock.h"

#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QPlainTextEdit>
#include <algorithm>

#include "engine/trace/reader.h"
#include "viewer/examples.h"
#include "viewer/model/qt_text.h"
#include "viewer/panels/script_panel.h"

namespace rangescope::viewer {

ScriptDock::ScriptDock(QMainWindow& window, QDockWidget* beside)
    : QObject(&window),
      window_(window),
      panel_(new ScriptPanel(&window)),
      dock_(tabDock(window, tr("Script"), "scriptDock", panel_, beside)) {
  for (const Example& e : examples())
    panel_->addExample(QString::fromUtf8(e.name.data(), static_cast<qsizetype>(e.name.size())),
                       QString::fromUtf8(e.text.data(), static_cast<qsizetype>(e.text.size())));
  connect(panel_, &ScriptPanel::runWanted, this, &ScriptDock::run);
  connect(panel_, &ScriptPanel::stopWanted, &job_, &ChildJob::stop);
  connect(panel_, &ScriptPanel::openWanted, this, &ScriptDock::chooseFile);
  connect(panel_, &ScriptPanel::saveWanted, this, &ScriptDock::save);
  connect(panel_, &ScriptPanel::left, this, &ScriptDock::keysToGraph);
  connect(&job_, &ChildJob::said, panel_, &ScriptPanel::print);
  connect(&job_, &ChildJob::finished, this, &ScriptDock::ended);
  look_.setInterval(300);
  connect(&look_, &QTimer::timeout, this, [this] {
    if (openWhatThereIs()) look_.stop();
  });
}

void ScriptDock::addActions(const AddAction& add) {
  add(tr("Write and run a script"), {QKeySequence(Qt::ALT | Qt::Key_S)}, [this] { open(); });
}

void ScriptDock::open() {
  bringUp(dock_, &panel_->editor());
}

bool ScriptDock::isRecordable(const QString& path) {
  const auto names = {".py", ".onnx", ".jsonl", ".jsonl.gz"};
  return std::ranges::any_of(
      names, [&](const char* ending) { return path.endsWith(QLatin1String(ending), Qt::CaseInsensitive); });
}

bool ScriptDock::prepareFolder() {
  if (!folder_) folder_ = std::make_unique<QTemporaryDir>();
  if (program_.path.empty() || !folder_->isValid()) {
    panel_->say(program_.path.empty() ? tr("This window knows no program that could record.")
                                      : tr("There is no place for temporary files: %1").arg(folder_->errorString()));
    return false;
  }
  return true;
}

void ScriptDock::run() {
  if (job_.running() || !prepareFolder()) return;
  if (panel_->text().trimmed().isEmpty()) {
    panel_->say(tr("There is no script to run: write one, or choose an example at the left."));
    return;
  }
  // under its own name, which stands at every node that a line of it makes
  const QString path = folder_->filePath(panel_->name());
  QFile file(path);
  const QByteArray text = panel_->text().toUtf8();
  if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate) || file.write(text) != text.size() || !file.flush()) {
    panel_->say(tr("%1 cannot be written: %2").arg(path, file.errorString()));
    return;
  }
  file.close();
  start(path, panel_->name());
}

void ScriptDock::record(const QString& path) {
  bringUp(dock_);
  if (job_.running()) {
    panel_->say(tr("%1 is still running: stop it first.").arg(shown_));
    return;
  }
  if (!prepareFolder()) return;
  if (path.endsWith(QLatin1String(".py"), Qt::CaseInsensitive)) load(path);
  start(path, QFileInfo(path).fileName());
}

void ScriptDock::start(const QString& source, const QString& shown) {
  shown_ = shown;
  trace_ = folder_->filePath(QStringLiteral("%1-%2.rscope").arg(QFileInfo(shown).baseName()).arg(++runs_));
  panel_->clearOutput();
  panel_->setRunning(true);
  panel_->say(tr("Running %1 ...").arg(shown_));
  emit said(tr("Running %1 ...").arg(shown_));
  opened_ = false;
  look_.start();
  job_.start(QString::fromStdString(program_.path), {QStringLiteral("record"), source, QStringLiteral("-o"), trace_});
}

void ScriptDock::ended(const ChildJob::Outcome& outcome) {
  panel_->setRunning(false);
  look_.stop();
  if (!outcome.ok && !outcome.stopped && outcome.errors.isEmpty())
    panel_->print(outcome.failure + QLatin1Char('\n'), true);
  const QString how =
      outcome.ok ? tr("ran in %1 s").arg(outcome.seconds, 0, 'f', 1) : outcome.failure.section(QLatin1Char('\n'), 0, 0);
  panel_->say(tr("%1: %2").arg(shown_, how));
  emit said(tr("%1: %2").arg(shown_, how));
  // what was computed until it failed is worth seeing, if there is any
  if (!openWhatThereIs() && outcome.ok)
    panel_->say(tr("%1 %2, but computed nothing: realize() a tensor, or look at its values.").arg(shown_, how));
}

// A recording opens with its first program, and grows from there.
bool ScriptDock::openWhatThereIs() {
  if (opened_ || !QFileInfo::exists(trace_)) return opened_;
  const auto reader = trace::Reader::open(trace_.toStdString());
  opened_ = reader && !(*reader)->passes().empty();
  if (opened_) emit openTrace(trace_);
  return opened_;
}

void ScriptDock::load(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) {
    panel_->say(tr("%1 cannot be read: %2").arg(path, file.errorString()));
    return;
  }
  panel_->setScript(QFileInfo(path).fileName(), QString::fromUtf8(file.readAll()));
}

void ScriptDock::chooseFile() {
  const QString path =
      QFileDialog::getOpenFileName(&window_, tr("Open script"), {}, tr("Scripts (*.py);;All files (*)"));
  if (!path.isEmpty()) load(path);
}

void ScriptDock::save() {
  const QString path = QFileDialog::getSaveFileName(&window_, tr("Save script"), panel_->name(), tr("Scripts (*.py)"));
  if (path.isEmpty()) return;
  QFile file(path);
  const QByteArray text = panel_->text().toUtf8();
  const bool written =
      file.open(QIODevice::WriteOnly | QIODevice::Truncate) && file.write(text) == text.size() && file.flush();
  panel_->say(written ? tr("Written: %1").arg(path) : tr("%1 cannot be written: %2").arg(path, file.errorString()));
}

}  // namespace rangescope::viewer
