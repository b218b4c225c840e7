#include "viewer/panels/what_if_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <limits>

#include "viewer/model/qt_text.h"
#include "viewer/panels/rows_look.h"

namespace rangescope::viewer {

namespace {

enum Tried { kTriedWith, kTriedKernels, kTriedMatches, kTriedTime, kTriedColumns };

// What one would try first.
int proposed(const Setting& s) {
  if (s.name == "PCONTIG") return 2;
  return s.usual == 0 ? 1 : s.usual == 1 ? 0 : static_cast<int>(s.usual);
}

}  // namespace

WhatIfPanel::WhatIfPanel(QWidget* parent)
    : QWidget(parent),
      rule_(new QComboBox(this)),
      setting_(new QComboBox(this)),
      value_(new QSpinBox(this)),
      kernels_(new QCheckBox(tr("Run the kernels, too"), this)),
      run_(new QPushButton(tr("What if?"), this)),
      stop_(new QPushButton(tr("Stop"), this)),
      open_(new QPushButton(tr("Open"), this)),
      rows_(new QTableWidget(0, kTriedColumns, this)),
      said_(new QLabel(this)) {
  setObjectName(QStringLiteral("whatif"));
  rule_->setObjectName(QStringLiteral("whatIfRule"));
  rule_->setEditable(true);
  rule_->setInsertPolicy(QComboBox::NoInsert);
  rule_->completer()->setFilterMode(Qt::MatchContains);
  rule_->completer()->setCompletionMode(QCompleter::PopupCompletion);
  rule_->lineEdit()->setPlaceholderText(tr("no rule"));
  rule_->lineEdit()->setClearButtonEnabled(true);
  setting_->setObjectName(QStringLiteral("whatIfSetting"));
  for (QComboBox* box : {rule_, setting_}) {
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(10);
    box->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  }
  value_->setObjectName(QStringLiteral("whatIfValue"));
  value_->setRange(std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
  value_->setFixedWidth(84);
  run_->setObjectName(QStringLiteral("whatIfRun"));
  stop_->setObjectName(QStringLiteral("whatIfStop"));
  open_->setObjectName(QStringLiteral("whatIfOpen"));
  open_->setToolTip(tr("Open the chosen one in place of the trace that is open"));
  rows_->setObjectName(QStringLiteral("whatIfRows"));
  styleAnswers(*rows_, {tr("With"), tr("Kernels"), tr("Matches"), tr("Time")});
  stretchColumn(*rows_, kTriedWith);
  said_->setObjectName(QStringLiteral("whatIfSaid"));
  said_->setWordWrap(true);
  said_->setMargin(4);
  said_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  said_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  said_->setMinimumHeight(3 * fontMetrics().lineSpacing() + 8);

  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(8, 8, 8, 4);
  grid->setHorizontalSpacing(8);
  grid->setVerticalSpacing(4);
  grid->addWidget(new QLabel(tr("Without rule"), this), 0, 0);
  grid->addWidget(rule_, 0, 1, 1, 2);
  grid->addWidget(new QLabel(tr("Setting"), this), 1, 0);
  grid->addWidget(setting_, 1, 1);
  grid->addWidget(value_, 1, 2);
  grid->addWidget(kernels_, 2, 0, 1, 3);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(4);
  for (QPushButton* b : {run_, stop_}) buttons->addWidget(b);
  buttons->addStretch(1);
  buttons->addWidget(open_);
  grid->addLayout(buttons, 3, 0, 1, 3);
  grid->addWidget(rows_, 4, 0, 1, 3);
  grid->addWidget(said_, 5, 0, 1, 3);
  grid->setRowStretch(4, 1);
  grid->setColumnStretch(1, 1);

  connect(run_, &QPushButton::clicked, this, &WhatIfPanel::runWanted);
  connect(rule_->lineEdit(), &QLineEdit::returnPressed, this, [this] {
    if (run_->isEnabled()) emit runWanted();
  });
  connect(stop_, &QPushButton::clicked, this, &WhatIfPanel::stopWanted);
  connect(open_, &QPushButton::clicked, this, [this] { emit openWanted(rows_->currentRow()); });
  connect(rule_, &QComboBox::editTextChanged, this, &WhatIfPanel::updateButtons);
  connect(setting_, &QComboBox::currentIndexChanged, this, [this](int i) {
    if (i > 0 && i <= static_cast<int>(settings_.size()))
      value_->setValue(proposed(settings_[static_cast<size_t>(i - 1)]));
    updateButtons();
  });
  connect(rows_, &QTableWidget::cellClicked, this, [this](int row) { emit rowChosen(row); });
  connect(rows_, &QTableWidget::cellActivated, this, [this](int row) { emit openWanted(row); });
  connect(rows_, &QTableWidget::currentCellChanged, this, &WhatIfPanel::updateButtons);
  for (QWidget* w : std::initializer_list<QWidget*>{rows_, rule_->lineEdit(), setting_, value_})
    w->installEventFilter(this);
  setSettings({});
  clear();
}

void WhatIfPanel::setRules(const QStringList& names, const QStringList& explanations) {
  const QString now = rule_->currentText();
  rule_->clear();
  rule_->addItems(names);
  for (int i = 0; i < names.size(); ++i) rule_->setItemData(i, explanations.value(i), Qt::ToolTipRole);
  rule_->setCurrentIndex(-1);
  rule_->setEditText(now);
  updateButtons();
}

void WhatIfPanel::setSettings(std::vector<Setting> settings) {
  settings_ = std::move(settings);
  setting_->clear();
  setting_->addItem(tr("as it is"));
  for (const Setting& s : settings_) {
    setting_->addItem(QString::fromStdString(s.name));
    setting_->setItemData(setting_->count() - 1,
                          tr("%1 (usually %2)").arg(QString::fromStdString(s.meaning)).arg(s.usual), Qt::ToolTipRole);
  }
  updateButtons();
}

void WhatIfPanel::chooseRule(const QString& rule) {
  rule_->setEditText(rule);
  setting_->setCurrentIndex(0);
}

QStringList WhatIfPanel::changes() const {
  QStringList out;
  if (const QString rule = rule_->currentText().trimmed(); !rule.isEmpty()) out << QStringLiteral("--without") << rule;
  if (setting_->currentIndex() > 0)
    out << QStringLiteral("--flag") << QStringLiteral("%1=%2").arg(setting_->currentText()).arg(value_->value());
  return out;
}

bool WhatIfPanel::runsKernels() const {
  return kernels_->isChecked();
}

void WhatIfPanel::clear() {
  rows_->setRowCount(0);
  say(
      tr("Choose a rule that shall not fire, or a setting. The program of the trace is scheduled again with that, and "
         "both results are shown in one graph."));
  updateButtons();
}

int WhatIfPanel::addRow(const QString& what) {
  const int row = rows_->rowCount();
  rows_->insertRow(row);
  for (int c = 0; c < kTriedColumns; ++c) {
    auto* item = new QTableWidgetItem(c == kTriedWith ? what : QString());
    if (c == kTriedWith) item->setToolTip(what);
    item->setTextAlignment((c == kTriedWith ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    rows_->setItem(row, c, item);
  }
  return row;
}

void WhatIfPanel::setFigures(int row, const TraceFigures& f) {
  if (row < 0 || row >= rows_->rowCount()) return;
  rows_->item(row, kTriedKernels)->setText(f.refused.isEmpty() ? qtCount(f.kernels) : tr("refused"));
  rows_->item(row, kTriedKernels)->setToolTip(f.refused);
  rows_->item(row, kTriedMatches)->setText(qtCount(f.matches));
  rows_->item(row, kTriedTime)
      ->setText(f.ns ? tr("%1 ms").arg(static_cast<double>(*f.ns) / 1e6, 0, 'f', 3) : QString());
}

void WhatIfPanel::setFailure(int row, const QString& why) {
  if (row < 0 || row >= rows_->rowCount()) return;
  rows_->item(row, kTriedKernels)->setText(tr("failed"));
  rows_->item(row, kTriedKernels)->setToolTip(why);
}

void WhatIfPanel::setRunning(bool running) {
  running_ = running;
  updateButtons();
}

void WhatIfPanel::say(const QString& text) {
  said_->setText(text);
}

void WhatIfPanel::updateButtons() {
  run_->setEnabled(!running_ && !changes().isEmpty());
  run_->setToolTip(run_->isEnabled() ? QString() : tr("Choose a rule or a setting first"));
  stop_->setEnabled(running_);
  value_->setEnabled(setting_->currentIndex() > 0);
  open_->setEnabled(rows_->currentRow() > 0);
}

bool WhatIfPanel::eventFilter(QObject* watched, QEvent* event) {
  // the window's keys are letters and arrows, which belong to who types or walks rows here
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if ((key->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == Qt::NoModifier &&
        key->key() != Qt::Key_Escape && (watched != rows_ || walksRows(key->key())))
      event->accept();
  }
  if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    emit left();
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace rangescope::viewer
