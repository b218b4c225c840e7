#include "viewer/panels/times_diff_panel.h"

#include <QHeaderView>
#include <QKeyEvent>

#include "viewer/model/qt_text.h"
#include "viewer/panels/rows_look.h"

namespace rangescope::viewer {

namespace {

enum TimesColumn { kName, kA, kSpreadA, kB, kSpreadB, kSaid, kTimesColumns };

// Sorts by what it stands for.
class NumberItem : public QTableWidgetItem {
 public:
  NumberItem(const QString& text, double value) : QTableWidgetItem(text), value_(value) {
    setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  }
  bool operator<(const QTableWidgetItem& other) const override {
    const auto* n = dynamic_cast<const NumberItem*>(&other);
    return n == nullptr ? QTableWidgetItem::operator<(other) : value_ < n->value_;
  }

 private:
  double value_;
};

}  // namespace

TimesDiffPanel::TimesDiffPanel(QWidget* parent) : QTableWidget(0, kTimesColumns, parent) {
  setObjectName(QStringLiteral("timesDiff"));
  styleAnswers(*this,
               {tr("Kernel"), tr("A: median µs"), tr("± µs"), tr("B: median µs"), tr("± µs"), tr("B against A")});
  setColumnWidth(kName, 260);
  for (const int c : {kA, kB}) setColumnWidth(c, 110);
  for (const int c : {kSpreadA, kSpreadB}) setColumnWidth(c, 80);
  connect(this, &QTableWidget::cellClicked, this, [this](int row) {
    if (const qlonglong i = item(row, kName)->data(Qt::UserRole).toLongLong(); i != 0) emit itemChosen(i);
  });
}

void TimesDiffPanel::showTimes(const trace::TimesComparison& times) {
  times_ = times;
  fill();
}

void TimesDiffPanel::setDark(bool dark) {
  dark_ = dark;
  fill();
}

void TimesDiffPanel::fill() {
  setSortingEnabled(false);
  setRowCount(0);
  if (times_.kernels.empty()) return;
  const auto add = [this](const QString& name, qlonglong item, const trace::TimeStatistics& a,
                          const trace::TimeStatistics& b, const QString& alone, bool all) {
    const int row = rowCount();
    insertRow(row);
    const auto number = [&](int column, const trace::TimeStatistics& t, int64_t ns, int decimals) {
      setItem(row, column,
              new NumberItem(t.n == 0 ? QString() : QString::number(static_cast<double>(ns) / 1e3, 'f', decimals),
                             static_cast<double>(ns)));
    };
    auto* first = new QTableWidgetItem(name);
    first->setData(Qt::UserRole, item);
    setItem(row, kName, first);
    number(kA, a, a.median, 2);
    number(kSpreadA, a, a.spread / 2, 2);
    number(kB, b, b.median, 2);
    number(kSpreadB, b, b.spread / 2, 2);
    const trace::TimeChange change = trace::change_of(a, b);
    // how far from as fast, on both sides alike
    const double ratio =
        a.median > 0 && b.median > 0 ? static_cast<double>(b.median) / static_cast<double>(a.median) : 1;
    auto* said = new NumberItem(alone.isEmpty() ? qtText(trace::describe_change(a, b)) : alone,
                                change == trace::TimeChange::Noise ? 1 : ratio);
    said->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    if (alone.isEmpty() && change != trace::TimeChange::Noise)
      said->setForeground(change == trace::TimeChange::Faster ? (dark_ ? QColor(0x8fd19e) : QColor(0x1b6e2f))
                                                              : (dark_ ? QColor(0xff9a8b) : QColor(0xb3261e)));
    setItem(row, kSaid, said);
    if (all)
      for (int c = 0; c < kTimesColumns; ++c) {
        QFont bold = this->font();
        bold.setBold(true);
        this->item(row, c)->setFont(bold);
      }
  };
  add(tr("all together"), 0, times_.all_a, times_.all_b, {}, true);
  for (const trace::KernelChange& k : times_.kernels)
    add(qtText(k.name), k.item_a, k.a, k.b,
        k.item_a == 0   ? tr("in B alone")
        : k.item_b == 0 ? tr("in A alone")
                        : QString(),
        false);
  setSortingEnabled(true);
  horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
}

bool TimesDiffPanel::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && walksRows(static_cast<QKeyEvent*>(event)->key())) event->accept();
  return QTableWidget::event(event);
}

void TimesDiffPanel::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape)
    emit left();
  else
    QTableWidget::keyPressEvent(event);
}

}  // namespace rangescope::viewer
