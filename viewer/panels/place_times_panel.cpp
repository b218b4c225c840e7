#include "viewer/panels/place_times_panel.h"

#include <QKeyEvent>
#include <QLabel>
#include <QTabBar>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "viewer/model/qt_text.h"
#include "viewer/panels/rows_look.h"

namespace rangescope::viewer {

namespace {
enum PlaceColumn { kPlace, kPlaceShare, kPlaceTime, kPlaceKernels, kPlaceColumns };
}

PlaceTimesPanel::PlaceTimesPanel(QWidget* parent)
    : QWidget(parent),
      tabs_(new QTabBar(this)),
      rows_(new QTableWidget(0, kPlaceColumns, this)),
      said_(new QLabel(this)) {
  setObjectName(QStringLiteral("places"));
  tabs_->setObjectName(QStringLiteral("placeTabs"));
  tabs_->addTab(tr("By script line"));
  tabs_->addTab(tr("By layer or method"));
  rows_->setObjectName(QStringLiteral("placeRows"));
  styleAnswers(*rows_, {tr("Place"), tr("Share"), tr("Time µs"), tr("Kernels")});
  stretchColumn(*rows_, kPlace);
  said_->setObjectName(QStringLiteral("placeSaid"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addLayout(tabRow(*tabs_, *said_));
  layout->addWidget(rows_, 1);
  connect(tabs_, &QTabBar::currentChanged, this, &PlaceTimesPanel::fill);
  connect(rows_, &QTableWidget::currentCellChanged, this, [this](int row) {
    if (!showing_ && row >= 0) emit itemChosen(itemOf(row));
  });
  connect(rows_, &QTableWidget::cellActivated, this, [this](int row) { emit itemActivated(itemOf(row)); });
  rows_->installEventFilter(this);
  tabs_->installEventFilter(this);
}

const std::vector<trace::PlaceTime>& PlaceTimesPanel::shown() const {
  return tabs_->currentIndex() == 0 ? times_->lines : times_->names;
}

qlonglong PlaceTimesPanel::itemOf(int row) const {
  const auto& all = shown();
  return row < 0 || row >= static_cast<int>(all.size()) ? 0 : all[static_cast<size_t>(row)].items.front();
}

void PlaceTimesPanel::showTimes(std::shared_ptr<const trace::TimeByPlace> times) {
  times_ = std::move(times);
  // a tab that says nothing is not the first to be seen
  const auto knows = [](const std::vector<trace::PlaceTime>& all) {
    return std::ranges::any_of(all, [](const trace::PlaceTime& p) { return !p.place.empty(); });
  };
  if (times_ && !knows(times_->lines) && knows(times_->names)) tabs_->setCurrentIndex(1);
  fill();
  if (!times_) return;
  setMessage(times_->ns == 0 ? tr("This trace has no times. Record it with --run to have its kernels timed.")
             : !knows(times_->lines) && !knows(times_->names)
                 ? tr("This trace does not say where in a program its nodes are from.")
                 : tr("A kernel counts for the place of the value that it computes."));
}

void PlaceTimesPanel::setMessage(const QString& text) {
  said_->setText(text);
}

void PlaceTimesPanel::fill() {
  showing_ = true;
  rows_->setRowCount(0);
  if (times_)
    for (const trace::PlaceTime& p : shown()) {
      const int row = rows_->rowCount();
      rows_->insertRow(row);
      const double share = times_->ns > 0 ? 100.0 * static_cast<double>(p.ns) / static_cast<double>(times_->ns) : 0;
      const QString texts[] = {p.place.empty() ? tr("(not known)") : qtText(p.place), tr("%1 %").arg(share, 0, 'f', 1),
                               QString::number(static_cast<double>(p.ns) / 1e3, 'f', 2),
                               qtCount(static_cast<int64_t>(p.items.size()))};
      for (int c = 0; c < kPlaceColumns; ++c) {
        auto* item = new QTableWidgetItem(texts[c]);
        item->setTextAlignment((c == kPlace ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        rows_->setItem(row, c, item);
      }
    }
  showing_ = false;
  select(item_);
}

void PlaceTimesPanel::select(qlonglong item) {
  item_ = item;
  if (!times_) return;
  showing_ = true;
  const auto& all = shown();
  const auto at = std::ranges::find_if(
      all, [&](const trace::PlaceTime& p) { return std::ranges::find(p.items, item) != p.items.end(); });
  if (at == all.end())
    rows_->setCurrentItem(nullptr);
  else
    rows_->setCurrentCell(static_cast<int>(at - all.begin()), kPlace);
  showing_ = false;
}

bool PlaceTimesPanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && watched == rows_ && walksRows(static_cast<QKeyEvent*>(event)->key()))
    event->accept();
  if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    emit left();
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace rangescope::viewer
