#include "viewer/panels/diff_panel.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QTableWidget>
#include <QVBoxLayout>

#include "viewer/model/qt_text.h"
#include "viewer/panels/rows_look.h"

namespace rangescope::viewer {

namespace {

QString countsText(const DiffText& d) {
  const auto n = [&](NodeChange c) { return d.counts[static_cast<size_t>(c)]; };
  QStringList parts;
  const auto add = [&](size_t count, const QString& what) {
    if (count > 0) parts << qtCount(static_cast<int64_t>(count)) + QLatin1Char(' ') + what;
  };
  add(n(NodeChange::Added), DiffPanel::tr("added"));
  add(n(NodeChange::Removed), DiffPanel::tr("removed"));
  add(n(NodeChange::Resourced), DiffPanel::tr("read other sources"));
  add(n(NodeChange::Retyped), DiffPanel::tr("of another dtype"));
  add(n(NodeChange::Argument), DiffPanel::tr("with another argument"));
  if (parts.isEmpty()) return DiffPanel::tr("The two graphs are the same.");
  add(n(NodeChange::Same), DiffPanel::tr("the same"));
  return parts.join(QStringLiteral(", "));
}

}  // namespace

DiffPanel::DiffPanel(QWidget* parent)
    : QWidget(parent),
      model_(new DiffLinesModel(this)),
      mark_(new QPushButton(tr("Mark this step"), this)),
      on_(new QPushButton(tr("Diff with it"), this)),
      changesOnly_(new QCheckBox(tr("Changes only"), this)),
      marked_(new QLabel(this)),
      said_(new QLabel(this)),
      split_(new QSplitter(Qt::Horizontal, this)),
      parts_(new QTableWidget(0, 2, this)),
      lines_(new QTableView(this)) {
  setObjectName(QStringLiteral("diff"));
  mark_->setToolTip(tr("Later steps are held against this one (Shift+D)"));
  on_->setToolTip(tr("Both graphs in one picture, or the step alone (D)"));
  on_->setCheckable(true);
  on_->setObjectName(QStringLiteral("diffOn"));
  mark_->setObjectName(QStringLiteral("diffMark"));
  said_->setObjectName(QStringLiteral("diffSaid"));
  said_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  said_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  for (QPushButton* b : {mark_, on_}) b->setFocusPolicy(Qt::NoFocus);
  changesOnly_->setChecked(true);
  changesOnly_->setFocusPolicy(Qt::NoFocus);
  auto* top = new QHBoxLayout;
  top->setContentsMargins(4, 4, 8, 0);
  top->setSpacing(8);
  top->addWidget(mark_);
  top->addWidget(on_);
  top->addWidget(changesOnly_);
  top->addWidget(marked_);
  top->addWidget(said_, 1);

  parts_->setObjectName(QStringLiteral("diffParts"));
  styleAnswers(*parts_, {tr("Part"), tr("First difference")});
  parts_->setColumnWidth(0, 150);
  parts_->hide();
  lines_->setModel(model_);
  lines_->setObjectName(QStringLiteral("diffLines"));
  lines_->setSelectionBehavior(QAbstractItemView::SelectRows);
  styleAnswers(*lines_);
  lines_->setAlternatingRowColors(false);
  lines_->horizontalHeader()->setSectionResizeMode(DiffLinesModel::SignColumn, QHeaderView::Fixed);
  lines_->horizontalHeader()->setMinimumSectionSize(20);
  lines_->setColumnWidth(DiffLinesModel::SignColumn, 26);
  lines_->horizontalHeader()->setStretchLastSection(false);
  lines_->horizontalHeader()->setSectionResizeMode(DiffLinesModel::BeforeColumn, QHeaderView::Stretch);
  lines_->horizontalHeader()->setSectionResizeMode(DiffLinesModel::AfterColumn, QHeaderView::Stretch);
  split_->addWidget(parts_);
  split_->addWidget(lines_);
  split_->setStretchFactor(0, 2);
  split_->setStretchFactor(1, 5);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addLayout(top);
  layout->addWidget(split_, 1);

  connect(mark_, &QPushButton::clicked, this, &DiffPanel::markWanted);
  connect(on_, &QPushButton::clicked, this, &DiffPanel::toggled);
  connect(changesOnly_, &QCheckBox::toggled, this, &DiffPanel::fill);
  connect(lines_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
    const DiffLine* l = now.isValid() ? model_->line(now.row()) : nullptr;
    if (l != nullptr && !showing_) emit nodeChosen(l->key);
  });
  connect(parts_, &QTableWidget::currentCellChanged, this, [this](int row) {
    if (row >= 0 && !showing_) emit partChosen(row);
  });
  connect(parts_, &QTableWidget::cellClicked, this, [this](int row) { emit partChosen(row); });
  for (QAbstractItemView* view : std::initializer_list<QAbstractItemView*>{parts_, lines_})
    view->installEventFilter(this);
  clear();
}

void DiffPanel::clear() {
  shown_.reset();
  parts_->hide();
  parts_->setRowCount(0);
  on_->setChecked(false);
  setMarked({});
  model_->setTitles(tr("Before"), tr("After"));
  fill();
  said_->setText(tr("D holds this step against the input of its pass; mark a step to hold others against it."));
}

void DiffPanel::showMessage(const QString& message) {
  shown_.reset();
  fill();
  said_->setText(message);
  said_->setToolTip(message);
}

void DiffPanel::setMarked(const QString& where) {
  marked_->setText(where.isEmpty() ? QString() : tr("Marked: %1").arg(where));
  marked_->setVisible(!where.isEmpty());
}

void DiffPanel::setOn(bool on) {
  on_->setChecked(on);
}

void DiffPanel::showDiff(const DiffText& diff, const QString& before, const QString& after) {
  shown_ = diff.lines;
  model_->setTitles(before, after);
  fill();
  said_->setText(countsText(diff));
  said_->setToolTip(said_->text());
}

void DiffPanel::fill() {
  showing_ = true;
  model_->setLines(shown_, changesOnly_->isChecked());
  showing_ = false;
}

void DiffPanel::showParts(const std::vector<DiffRow>& rows) {
  showing_ = true;
  parts_->setRowCount(static_cast<int>(rows.size()));
  for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
    const DiffRow& r = rows[static_cast<size_t>(i)];
    auto *part = new QTableWidgetItem(r.part), *what = new QTableWidgetItem(r.what);
    if (r.differs && !r.inA.isEmpty()) what->setToolTip(tr("A: %1\nB: %2").arg(r.inA, r.inB));
    if (r.differs) {
      QFont bold = part->font();
      bold.setBold(true);
      part->setFont(bold);
    }
    parts_->setItem(i, 0, part);
    parts_->setItem(i, 1, what);
  }
  parts_->show();
  showing_ = false;
}

void DiffPanel::selectNode(quint32 key) {
  const int row = model_->rowOf(key);
  if (row < 0) return;
  showing_ = true;
  lines_->selectRow(row);
  lines_->scrollTo(model_->index(row, DiffLinesModel::BeforeColumn));
  showing_ = false;
}

void DiffPanel::setDark(bool dark) {
  model_->setDark(dark);
}

bool DiffPanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && walksRows(static_cast<QKeyEvent*>(event)->key())) event->accept();
  if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    emit left();
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace rangescope::viewer
