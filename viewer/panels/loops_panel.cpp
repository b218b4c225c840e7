#include "viewer/panels/loops_panel.h"

#include <QFontDatabase>
#include <QKeyEvent>
#include <algorithm>

#include "viewer/model/qt_text.h"
#include "viewer/panels/rows_look.h"

namespace rangescope::viewer {

LoopsPanel::LoopsPanel(QWidget* parent) : QListWidget(parent) {
  setObjectName(QStringLiteral("loops"));
  setFrameShape(QFrame::NoFrame);
  setUniformItemSizes(true);
  setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  connect(this, &QListWidget::currentRowChanged, this, [this](int row) {
    if (showing_ || row < 0 || row >= static_cast<int>(lines_.size())) return;
    const LoopLine& l = lines_[static_cast<size_t>(row)];
    if (!l.keys.empty()) emit nodeChosen(l.keys.front());
  });
  showMessage(tr("The loops of the graph stand here, once ranges are handed out."));
}

void LoopsPanel::showMessage(const QString& message) {
  showing_ = true;
  lines_.clear();
  clear();
  setWordWrap(true);
  auto* item = new QListWidgetItem(message, this);
  item->setFlags(Qt::NoItemFlags);
  showing_ = false;
}

void LoopsPanel::showLoops(const LoopNest& nest) {
  if (nest.lines.empty() || !nest.ranges) {
    showMessage(nest.lines.empty() ? tr("Nothing is stored in this graph.")
                                   : tr("There are no ranges in this graph yet: rangeify hands them out in the pass "
                                        "\"apply rangeify\"."));
    return;
  }
  showing_ = true;
  clear();
  setWordWrap(false);
  lines_ = nest.lines;
  const QFont mono = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  for (const LoopLine& l : lines_) {
    auto* item = new QListWidgetItem(QString(qsizetype{2} * l.indent, QLatin1Char(' ')) + qtText(l.text), this);
    item->setFont(mono);
    item->setToolTip(qtText(l.text));
  }
  if (nest.cut) {
    auto* item = new QListWidgetItem(tr("... there is more"), this);
    item->setFlags(Qt::NoItemFlags);
  }
  showing_ = false;
}

void LoopsPanel::selectNode(quint32 key) {
  // the line about the node, else one that reads it
  int best = -1;
  for (int i = 0; i < static_cast<int>(lines_.size()); ++i) {
    const auto& keys = lines_[static_cast<size_t>(i)].keys;
    if (!keys.empty() && keys.front() == key) {
      best = i;
      break;
    }
    if (best < 0 && std::ranges::find(keys, key) != keys.end()) best = i;
  }
  showing_ = true;
  if (best >= 0)
    setCurrentRow(best);
  else
    setCurrentItem(nullptr);
  showing_ = false;
}

bool LoopsPanel::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && walksRows(static_cast<QKeyEvent*>(event)->key())) {
    event->accept();
    return true;
  }
  return QListWidget::event(event);
}

void LoopsPanel::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) emit left();
  QListWidget::keyPressEvent(event);
}

}  // namespace rangescope::viewer
