#include "viewer/panels/script_panel.h"

#include <QFontDatabase>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSplitter>
#include <QVBoxLayout>

#include "viewer/panels/python_highlighter.h"

namespace rangescope::viewer {

namespace {
constexpr int kScriptRole = Qt::UserRole;
constexpr int kMostOutputLines = 20000;
}  // namespace

ScriptPanel::ScriptPanel(QWidget* parent)
    : QWidget(parent),
      examples_(new QListWidget(this)),
      editor_(new QPlainTextEdit(this)),
      output_(new QPlainTextEdit(this)),
      run_(new QPushButton(tr("Run"), this)),
      stop_(new QPushButton(tr("Stop"), this)),
      open_(new QPushButton(tr("Open..."), this)),
      save_(new QPushButton(tr("Save as..."), this)),
      said_(new QLabel(this)),
      split_(new QSplitter(Qt::Horizontal, this)),
      highlighter_(new PythonHighlighter(editor_->document())) {
  setObjectName(QStringLiteral("script"));
  const QFont mono = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  examples_->setObjectName(QStringLiteral("scriptExamples"));
  examples_->setFrameShape(QFrame::NoFrame);
  editor_->setObjectName(QStringLiteral("scriptEditor"));
  editor_->setFont(mono);
  editor_->setLineWrapMode(QPlainTextEdit::NoWrap);
  editor_->setTabStopDistance(2 * QFontMetricsF(mono).horizontalAdvance(QLatin1Char(' ')));
  editor_->setPlaceholderText(
      tr("from rangescope import Tensor\n\nTensor.rand(4, 8).softmax().realize()\n\nCtrl+Return runs it. Examples "
         "stand at the left."));
  output_->setObjectName(QStringLiteral("scriptOutput"));
  output_->setFont(mono);
  output_->setReadOnly(true);
  output_->setMaximumBlockCount(kMostOutputLines);
  output_->setPlaceholderText(
      tr("What the script prints stands here. Every program that it computes is recorded, and the recording opens "
         "with the first of them."));
  run_->setObjectName(QStringLiteral("scriptRun"));
  run_->setToolTip(tr("Ctrl+Return"));
  stop_->setObjectName(QStringLiteral("scriptStop"));
  stop_->setEnabled(false);
  said_->setObjectName(QStringLiteral("scriptSaid"));
  said_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  said_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);

  auto* buttons = new QHBoxLayout;
  buttons->setContentsMargins(4, 4, 8, 0);
  buttons->setSpacing(4);
  for (QPushButton* b : {run_, stop_, open_, save_}) buttons->addWidget(b);
  buttons->addWidget(said_, 1);
  split_->addWidget(examples_);
  split_->addWidget(editor_);
  split_->addWidget(output_);
  split_->setStretchFactor(0, 0);
  split_->setStretchFactor(1, 5);
  split_->setStretchFactor(2, 3);
  split_->setSizes({190, 700, 420});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addLayout(buttons);
  layout->addWidget(split_, 1);

  connect(run_, &QPushButton::clicked, this, &ScriptPanel::runWanted);
  connect(stop_, &QPushButton::clicked, this, &ScriptPanel::stopWanted);
  connect(open_, &QPushButton::clicked, this, &ScriptPanel::openWanted);
  connect(save_, &QPushButton::clicked, this, &ScriptPanel::saveWanted);
  connect(examples_, &QListWidget::itemClicked, this,
          [this](QListWidgetItem* item) { chooseExample(examples_->row(item)); });
  connect(examples_, &QListWidget::itemActivated, this, [this](QListWidgetItem* item) {
    chooseExample(examples_->row(item));
    editor_->setFocus();
  });
  for (QWidget* w : std::initializer_list<QWidget*>{examples_, editor_, output_}) w->installEventFilter(this);
}

void ScriptPanel::addExample(const QString& name, const QString& text) {
  auto* item = new QListWidgetItem(name, examples_);
  item->setData(kScriptRole, text);
  item->setToolTip(text.section(QLatin1Char('\n'), 0, 0).remove(QStringLiteral("\"\"\"")));
}

// What someone wrote stays within reach of undo.
void ScriptPanel::setScript(const QString& name, const QString& text) {
  name_ = name;
  if (text == editor_->toPlainText()) return;
  QTextCursor cursor(editor_->document());
  cursor.select(QTextCursor::Document);
  cursor.insertText(text);
  editor_->moveCursor(QTextCursor::Start);
}

void ScriptPanel::chooseExample(int row) {
  if (row < 0) return;
  const QListWidgetItem* item = examples_->item(row);
  setScript(item->text(), item->data(kScriptRole).toString());
  say(tr("%1. Ctrl+Return runs it.").arg(item->text()));
}

QString ScriptPanel::text() const {
  return editor_->toPlainText();
}

void ScriptPanel::setRunning(bool running) {
  run_->setEnabled(!running);
  stop_->setEnabled(running);
}

void ScriptPanel::setDark(bool dark) {
  dark_ = dark;
  highlighter_->setDark(dark);
}

void ScriptPanel::clearOutput() {
  output_->clear();
}

void ScriptPanel::print(const QString& text, bool error) {
  QTextCursor cursor(output_->document());
  cursor.movePosition(QTextCursor::End);
  QTextCharFormat format;
  if (error) format.setForeground(dark_ ? QColor(0xff9a8b) : QColor(0xb3261e));
  cursor.insertText(text, format);
  output_->verticalScrollBar()->setValue(output_->verticalScrollBar()->maximum());
}

void ScriptPanel::say(const QString& text) {
  said_->setText(text);
  said_->setToolTip(text);
}

bool ScriptPanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress)
    return QWidget::eventFilter(watched, event);
  auto* key = static_cast<QKeyEvent*>(event);
  const bool returns = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
  if (event->type() == QEvent::ShortcutOverride) {
    // letters and arrows are keys of the window, too
    if ((key->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == Qt::NoModifier &&
        key->key() != Qt::Key_Escape)
      event->accept();
    if (returns && key->modifiers().testFlag(Qt::ControlModifier)) event->accept();
    return QWidget::eventFilter(watched, event);
  }
  if (key->key() == Qt::Key_Escape) {
    emit left();
    return true;
  }
  if (returns && key->modifiers().testFlag(Qt::ControlModifier)) {
    if (run_->isEnabled()) emit runWanted();
    return true;
  }
  if (watched == editor_ && key->key() == Qt::Key_Tab && key->modifiers() == Qt::NoModifier) {
    editor_->insertPlainText(QStringLiteral("  "));
    return true;
  }
  // a new line begins where the one before did, and deeper after a colon
  if (watched == editor_ && returns && key->modifiers() == Qt::NoModifier) {
    const QString line = editor_->textCursor().block().text().left(editor_->textCursor().positionInBlock());
    qsizetype indent = 0;
    while (indent < line.size() && line[indent] == QLatin1Char(' ')) ++indent;
    editor_->insertPlainText(QLatin1Char('\n') + line.left(indent) +
                             (line.trimmed().endsWith(QLatin1Char(':')) ? QStringLiteral("  ") : QString()));
    editor_->ensureCursorVisible();
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace rangescope::viewer
