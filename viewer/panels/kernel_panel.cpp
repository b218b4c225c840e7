#include "viewer/panels/kernel_panel.h"

#include <QComboBox>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "viewer/panels/glsl_highlighter.h"
#include "viewer/panels/rows_look.h"

namespace rangescope::viewer {

KernelPanel::KernelPanel(QWidget* parent)
    : QSplitter(Qt::Horizontal, parent),
      model_(new KernelTableModel(this)),
      sorted_(new QSortFilterProxyModel(this)),
      table_(new QTableView(this)),
      source_(new QPlainTextEdit(this)),
      kind_(new QComboBox(this)),
      edit_(new QPushButton(tr("Edit"), this)),
      run_(new QPushButton(tr("Run"), this)),
      stop_(new QPushButton(tr("Stop"), this)),
      values_(new QPushButton(tr("Values"), this)),
      opts_(new QLineEdit(this)),
      sizes_(new QLineEdit(this)),
      said_(new QLabel(this)),
      highlighter_(new GlslHighlighter(source_->document())) {
  sorted_->setSourceModel(model_);
  sorted_->setSortRole(KernelTableModel::SortRole);
  table_->setModel(sorted_);
  table_->setObjectName(QStringLiteral("kernels"));
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSortingEnabled(true);
  table_->sortByColumn(KernelTableModel::OrderColumn, Qt::AscendingOrder);
  styleRows(*table_);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  addWidget(buildSource());
  setStretchFactor(0, 3);
  setStretchFactor(1, 2);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
    if (!now.isValid()) return;
    const int row = sorted_->mapToSource(now).row();
    showSource(row);
    if (!showing_) emit itemChosen(model_->row(row).item);
  });
  connect(table_, &QTableView::activated, this,
          [this](const QModelIndex& at) { emit itemActivated(model_->row(sorted_->mapToSource(at).row()).item); });
}

QWidget* KernelPanel::buildSource() {
  source_->setReadOnly(true);
  source_->setObjectName(QStringLiteral("kernelSource"));
  source_->setLineWrapMode(QPlainTextEdit::NoWrap);
  source_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  source_->setPlaceholderText(tr("This trace has no kernels. Record it with --run to have them generated and timed."));
  kind_->addItems({tr("GLSL"), tr("SPIR-V"), tr("Operations")});
  kind_->setItemData(2, tr("The linear list of operations that the code is written from"), Qt::ToolTipRole);
  kind_->setObjectName(QStringLiteral("kernelKind"));
  edit_->setCheckable(true);
  edit_->setObjectName(QStringLiteral("kernelEdit"));
  run_->setObjectName(QStringLiteral("kernelRun"));
  stop_->setObjectName(QStringLiteral("kernelStop"));
  values_->setObjectName(QStringLiteral("kernelValues"));
  opts_->setObjectName(QStringLiteral("kernelOpts"));
  opts_->setPlaceholderText(tr("optimisations: UPCAST:0:4 LOCAL:0:16"));
  opts_->setToolTip(tr("Also time the kernel generated anew with these, op:axis:amount each; none: -"));
  sizes_->setObjectName(QStringLiteral("kernelSizes"));
  sizes_->setPlaceholderText(tr("sizes: r0=128"));
  said_->setObjectName(QStringLiteral("kernelSaid"));
  said_->setWordWrap(true);
  said_->setMargin(4);
  said_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* buttons = new QHBoxLayout;
  buttons->setContentsMargins(4, 4, 4, 0);
  buttons->setSpacing(4);
  for (QWidget* w : std::initializer_list<QWidget*>{kind_, edit_, run_, stop_, values_}) buttons->addWidget(w);
  buttons->addWidget(opts_, 3);
  buttons->addWidget(sizes_, 2);
  auto* right = new QWidget(this);
  auto* layout = new QVBoxLayout(right);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addLayout(buttons);
  layout->addWidget(source_, 1);
  layout->addWidget(said_);
  said_->hide();

  connect(kind_, &QComboBox::currentIndexChanged, this, [this] { showSource(row_); });
  connect(edit_, &QPushButton::toggled, this, &KernelPanel::setEditing);
  connect(run_, &QPushButton::clicked, this, &KernelPanel::runWanted);
  connect(stop_, &QPushButton::clicked, this, &KernelPanel::stopWanted);
  connect(values_, &QPushButton::clicked, this, &KernelPanel::valuesWanted);
  for (QLineEdit* tried : {opts_, sizes_}) connect(tried, &QLineEdit::returnPressed, run_, &QPushButton::click);
  connect(source_, &QPlainTextEdit::textChanged, this, [this] {
    if (filling_ || source_->isReadOnly() || row_ < 0) return;
    const KernelRow& r = model_->row(row_);
    const QString text = source_->toPlainText();
    if (text == QString::fromStdString(r.source))
      edits_.erase(r.kernel);
    else
      edits_[r.kernel] = text;
  });
  for (QWidget* w : std::initializer_list<QWidget*>{source_, opts_, sizes_}) w->installEventFilter(this);
  updateButtons();
  return right;
}

void KernelPanel::setRows(std::vector<KernelRow> rows) {
  // a column without a figure says nothing
  const auto known = [&rows](double KernelRow::*figure) {
    return std::ranges::any_of(rows, [&](const KernelRow& r) { return r.*figure >= 0; });
  };
  table_->setColumnHidden(KernelTableModel::GflopsColumn, !known(&KernelRow::gflops));
  table_->setColumnHidden(KernelTableModel::BandwidthColumn, !known(&KernelRow::gbs));
  model_->setRows(std::move(rows));
  edits_.clear();
  details_.clear();
  sizes_->clear();
  row_ = -1;
  edit_->setChecked(false);
  say({});
  filling_ = true;
  source_->clear();
  filling_ = false;
  if (model_->rowCount() > 0) showSource(0);
  updateButtons();
}

void KernelPanel::showItem(qlonglong item) {
  for (int row = 0; row < model_->rowCount(); ++row)
    if (model_->row(row).item == item) {
      showing_ = true;
      table_->setCurrentIndex(sorted_->mapFromSource(model_->index(row, KernelTableModel::OrderColumn)));
      showing_ = false;
    }
}

void KernelPanel::setDark(bool dark) {
  highlighter_->setDark(dark);
}

void KernelPanel::showSource(int row) {
  if (row < 0 || row >= model_->rowCount()) return;
  const KernelRow& r = model_->row(row);
  const auto known = details_.find(r.kernel);
  const KernelDetails details = known == details_.end() ? KernelDetails() : known->second;
  if (row != row_) {
    say({});
    sizes_->clear();
  }
  row_ = row;
  if (known == details_.end() && r.kernel != 0) {
    details_[r.kernel] = {};  // asked for once
    emit detailsWanted(r.kernel);
  }
  sizes_->setPlaceholderText(details.sizes.isEmpty() ? tr("sizes: r0=128") : tr("sizes: %1").arg(details.sizes));
  sizes_->setToolTip(tr("Also time the kernel with other sizes of its ranges or variables, on buffers of its own.%1")
                         .arg(details.sizes.isEmpty() ? QString() : tr("\nAs recorded: %1").arg(details.sizes)));
  kind_->setItemText(0, r.source.empty() ? tr("GLSL") : languageOf(QString::fromStdString(r.source)));
  const bool glsl = kind_->currentIndex() == 0;
  const bool operations = kind_->currentIndex() == 2;
  QString text = operations ? details.operations : QString::fromStdString(glsl ? r.source : r.disassembly);
  if (r.source.empty())
    text = tr("%1 has no source: it is not a generated kernel.").arg(QString::fromStdString(r.name));
  else if (text.isEmpty())
    text = (operations ? tr("This trace holds no operations of %1.") : tr("This trace holds no disassembly of %1."))
               .arg(QString::fromStdString(r.name));
  if (const auto edited = edits_.find(r.kernel); glsl && edit_->isChecked() && edited != edits_.end())
    text = edited->second;
  filling_ = true;
  source_->setPlainText(text);
  filling_ = false;
  updateButtons();
}

void KernelPanel::setEditing(bool on) {
  if (on) kind_->setCurrentIndex(0);
  showSource(row_);
  updateButtons();
  if (on) source_->setFocus();
}

bool KernelPanel::isOurs() const {
  return row_ >= 0 && isGlsl(QString::fromStdString(model_->row(row_).source));
}

void KernelPanel::setDetails(qlonglong kernel, const KernelDetails& details) {
  details_[kernel] = details;
  if (row_ >= 0 && model_->row(row_).kernel == kernel && source_->isReadOnly()) showSource(row_);
}

void KernelPanel::updateButtons() {
  const bool there = isOurs();
  const QString foreign = row_ >= 0 && !there && !model_->row(row_).source.empty()
                              ? tr("This is the code of another compiler (%1): GLSL alone is compiled and run here")
                                    .arg(languageOf(QString::fromStdString(model_->row(row_).source)))
                              : QString();
  edit_->setToolTip(foreign.isEmpty() ? tr("Write in the source. What is edited stays until another trace is opened")
                                      : foreign);
  run_->setToolTip(
      foreign.isEmpty()
          ? tr("Compile and time the kernel, and what was edited beside it, on the same buffers (Ctrl+Return)")
          : foreign);
  values_->setToolTip(foreign.isEmpty() ? tr("What the kernel's buffers hold after it") : foreign);
  for (QLineEdit* tried : {opts_, sizes_}) tried->setEnabled(there);
  edit_->setEnabled(there);
  run_->setEnabled(there && !running_);
  values_->setEnabled(there && !running_);
  stop_->setEnabled(running_);
  source_->setReadOnly(!there || !edit_->isChecked() || kind_->currentIndex() != 0);
}

qlonglong KernelPanel::item() const {
  return row_ < 0 ? 0 : model_->row(row_).item;
}

QString KernelPanel::kernelName() const {
  return row_ < 0 ? QString() : QString::fromStdString(model_->row(row_).name);
}

QString KernelPanel::editedSource() const {
  if (row_ < 0 || !edit_->isChecked()) return {};
  const auto edited = edits_.find(model_->row(row_).kernel);
  return edited == edits_.end() ? QString() : edited->second;
}

QString KernelPanel::optimisations() const {
  return opts_->text().trimmed();
}

QString KernelPanel::sizes() const {
  return sizes_->text().trimmed();
}

void KernelPanel::setRunning(bool running) {
  running_ = running;
  updateButtons();
}

void KernelPanel::say(const QString& text) {
  said_->setText(text);
  said_->setVisible(!text.isEmpty());
}

bool KernelPanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress)
    return QSplitter::eventFilter(watched, event);
  auto* key = static_cast<QKeyEvent*>(event);
  const bool runs =
      (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) && key->modifiers().testFlag(Qt::ControlModifier);
  // what is only read leaves the keys to the window
  const bool writes = watched == opts_ || watched == sizes_ || (watched == source_ && !source_->isReadOnly());
  if (event->type() == QEvent::ShortcutOverride) {
    if (writes && (runs || ((key->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == Qt::NoModifier &&
                            key->key() != Qt::Key_Escape)))
      event->accept();
    return QSplitter::eventFilter(watched, event);
  }
  if (key->key() == Qt::Key_Escape) {
    emit left();
    return true;
  }
  if (writes && runs) {
    run_->click();
    return true;
  }
  return QSplitter::eventFilter(watched, event);
}

}  // namespace rangescope::viewer
