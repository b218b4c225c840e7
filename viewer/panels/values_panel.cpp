#include "viewer/panels/values_panel.h"

#include <QAbstractTableModel>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <cmath>

#include "viewer/model/qt_text.h"
#include "viewer/panels/array_views.h"
#include "viewer/panels/rows_look.h"

namespace rangescope::viewer {

namespace {
constexpr int kMostArrayColumns = 65536, kArrayColumnWidth = 84;
}  // namespace

// The numbers where they lie: a cell is read when it is drawn.
class ArrayModel : public QAbstractTableModel {
 public:
  using QAbstractTableModel::QAbstractTableModel;
  void setArray(std::shared_ptr<const ArrayFile> array, int width, bool dark) {
    beginResetModel();
    array_ = std::move(array);
    width_ = std::max(1, width);
    dark_ = dark;
    endResetModel();
  }
  int rowCount(const QModelIndex& parent = {}) const override {
    if (parent.isValid() || !array_) return 0;
    return static_cast<int>(std::min<int64_t>((array_->count() + width_ - 1) / width_, INT32_MAX / 64));
  }
  int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() || !array_ ? 0 : width_; }
  QVariant headerData(int section, Qt::Orientation, int role) const override {
    return role == Qt::DisplayRole ? QVariant(section) : QVariant();
  }
  QVariant data(const QModelIndex& index, int role) const override {
    const int64_t i = int64_t{index.row()} * width_ + index.column();
    if (!array_ || i >= array_->count()) return {};
    if (role == Qt::DisplayRole) return array_->shortText(i);
    if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole) return QStringLiteral("element %1: %2").arg(qtCount(i), array_->text(i));
    if (role == Qt::BackgroundRole && array_->isFloat() && !std::isfinite(array_->at(i)))
      return QColor(dark_ ? 0x7a1f6b : 0xffc4f2);
    return {};
  }

 private:
  std::shared_ptr<const ArrayFile> array_;
  int width_ = 1;
  bool dark_ = false;
};

ValuesPanel::ValuesPanel(QWidget* parent)
    : QWidget(parent),
      buffers_(new QComboBox(this)),
      columns_(new QSpinBox(this)),
      firstBad_(new QPushButton(this)),
      said_(new QLabel(this)),
      tabs_(new QTabWidget(this)),
      table_(new QTableView(this)),
      model_(new ArrayModel(this)),
      histogram_(new ArrayHistogram(this)),
      image_(new ArrayImage(this)) {
  setObjectName(QStringLiteral("values"));
  buffers_->setObjectName(QStringLiteral("valuesBuffers"));
  buffers_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  columns_->setObjectName(QStringLiteral("valuesColumns"));
  columns_->setRange(1, kMostArrayColumns);
  columns_->setPrefix(tr("rows of "));
  firstBad_->setObjectName(QStringLiteral("valuesFirstBad"));
  said_->setObjectName(QStringLiteral("valuesSaid"));
  said_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  table_->setObjectName(QStringLiteral("valuesTable"));
  table_->setModel(model_);
  styleAnswers(*table_);
  table_->setAlternatingRowColors(true);
  table_->horizontalHeader()->setStretchLastSection(false);
  table_->horizontalHeader()->setDefaultSectionSize(kArrayColumnWidth);
  table_->verticalHeader()->show();
  tabs_->setDocumentMode(true);
  tabs_->addTab(table_, tr("Table"));
  tabs_->addTab(histogram_, tr("Histogram"));
  tabs_->addTab(image_, tr("Image"));
  auto* top = new QHBoxLayout;
  top->setContentsMargins(4, 4, 8, 0);
  top->setSpacing(8);
  top->addWidget(buffers_);
  top->addWidget(columns_);
  top->addWidget(firstBad_);
  top->addWidget(said_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addLayout(top);
  layout->addWidget(tabs_, 1);
  connect(buffers_, &QComboBox::currentIndexChanged, this, &ValuesPanel::choose);
  connect(columns_, &QSpinBox::valueChanged, this, [this] { fill(); });
  connect(firstBad_, &QPushButton::clicked, this, [this] { goTo(figures_.firstBad()); });
  connect(image_, &ArrayImage::elementChosen, this, &ValuesPanel::goTo);
  for (QWidget* w : std::initializer_list<QWidget*>{table_, columns_, buffers_}) w->installEventFilter(this);
  clear();
}

void ValuesPanel::clear() {
  setKernel({}, {}, 0);
  say(
      tr("Values in the panel of kernels runs the program up to the chosen kernel and shows what its buffers hold "
         "then. The "
         "program's inputs are filled with made-up numbers."));
}

void ValuesPanel::setKernel(const QString& name, const std::vector<ValuesFile>& buffers, int first) {
  kernel_ = name;
  files_ = buffers;
  array_.reset();
  figures_ = {};
  const QSignalBlocker quiet(buffers_);
  buffers_->clear();
  for (const ValuesFile& f : files_) buffers_->addItem(f.what);
  buffers_->setCurrentIndex(first);
  buffers_->setEnabled(!files_.empty());
  choose(buffers_->currentIndex());
}

void ValuesPanel::say(const QString& text) {
  said_->setText(text);
  said_->setToolTip(text);
}

void ValuesPanel::choose(int buffer) {
  array_.reset();
  figures_ = {};
  if (buffer >= 0 && buffer < static_cast<int>(files_.size())) {
    const auto opened = ArrayFile::open(files_[static_cast<size_t>(buffer)].path);
    if (opened)
      array_ = *opened;
    else
      say(qtText(opened.error().message));
  }
  columns_->setEnabled(array_ != nullptr);
  firstBad_->hide();
  if (array_) {
    const QSignalBlocker quiet(columns_);
    const int64_t width = array_->width() > 0 ? array_->width() : std::min<int64_t>(array_->count(), 16);
    columns_->setValue(static_cast<int>(std::clamp<int64_t>(width, 1, kMostArrayColumns)));
    say(tr("Reading ..."));
  }
  fill();
  if (!array_) return;
  background_.request("figures", this, [this, array = array_](const std::stop_token& stop) -> Background::Answer {
    const ArrayFigures f = figuresOf(*array, stop);
    return [this, array, f] {
      if (array != array_) return;
      figures_ = f;
      const int64_t bad = f.firstBad();
      firstBad_->setVisible(bad >= 0);
      firstBad_->setText(bad == f.firstNan ? tr("First NaN: %1").arg(qtCount(bad))
                                           : tr("First infinity: %1").arg(qtCount(bad)));
      QString text = tr("%1: %2 to %3, mean %4, %5 zeros")
                         .arg(kernel_)
                         .arg(f.least, 0, 'g', 5)
                         .arg(f.most, 0, 'g', 5)
                         .arg(f.mean, 0, 'g', 5)
                         .arg(qtCount(f.zeros));
      if (f.nans > 0) text += tr(", %1 NaN").arg(qtCount(f.nans));
      if (f.infinities > 0) text += tr(", %1 infinite").arg(qtCount(f.infinities));
      say(text);
      fill();
      if (bad >= 0) goTo(bad);
    };
  });
}

void ValuesPanel::fill() {
  model_->setArray(array_, columns_->value(), palette().color(QPalette::Base).lightness() < 128);
  histogram_->setFigures(figures_);
  image_->setArray(array_, figures_, columns_->value());
}

void ValuesPanel::goTo(int64_t element) {
  if (!array_ || element < 0) return;
  const QModelIndex at =
      model_->index(static_cast<int>(element / columns_->value()), static_cast<int>(element % columns_->value()));
  table_->setCurrentIndex(at);
  table_->scrollTo(at, QAbstractItemView::PositionAtCenter);
}

void ValuesPanel::setDark(bool dark) {
  histogram_->setDark(dark);
  image_->setDark(dark);
  fill();
}

bool ValuesPanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool aside = key->key() == Qt::Key_Left || key->key() == Qt::Key_Right;
    const bool digits = watched == columns_ && !key->text().isEmpty() && key->key() != Qt::Key_Escape;
    if (key->modifiers() == Qt::NoModifier && (aside || digits || walksRows(key->key()))) event->accept();
  }
  if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    emit left();
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace rangescope::viewer
