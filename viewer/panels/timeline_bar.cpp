#include "viewer/panels/timeline_bar.h"

#include <QComboBox>
#include <QEvent>
#include <QFontMetrics>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QSlider>
#include <QToolButton>

namespace rangescope::viewer {

namespace {

using Sign = TimelineBar::Sign;

QPixmap signPixmap(Sign sign, QColor color, double ratio) {
  constexpr int kSide = 16;
  QPixmap pixmap(QSize(kSide, kSide) * ratio);
  pixmap.setDevicePixelRatio(ratio);
  pixmap.fill(Qt::transparent);
  QPainter p(&pixmap);
  p.setRenderHint(QPainter::Antialiasing);
  p.setPen(Qt::NoPen);
  p.setBrush(color);
  const auto triangle = [&](double from, double to) {
    p.drawPolygon(QPolygonF{QPointF(from, 3), QPointF(from, 13), QPointF(to, 8)});
  };
  const auto bar = [&](double x) { p.drawRect(QRectF(x, 3, 2.5, 10)); };
  switch (sign) {
    case Sign::First:
      bar(2), triangle(14, 5);
      break;
    case Sign::Back:
      triangle(12, 4);
      break;
    case Sign::Play:
      p.drawPolygon(QPolygonF{QPointF(4, 2), QPointF(4, 14), QPointF(14, 8)});
      break;
    case Sign::Pause:
      bar(4), bar(9.5);
      break;
    case Sign::Forward:
      triangle(4, 12);
      break;
    case Sign::Last:
      triangle(2, 11), bar(11.5);
      break;
  }
  return pixmap;
}

}  // namespace

TimelineBar::TimelineBar(Navigator& navigator, QWidget* parent) : QWidget(parent), navigator_(navigator) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(8, 4, 8, 4);
  layout->setSizeConstraint(QLayout::SetNoConstraint);  // what does not fit is hidden
  const auto button = [&](Sign sign, const QString& tip, auto slot) {
    auto* b = new QToolButton(this);
    icons_.emplace_back(b, sign);
    b->setToolTip(tip);
    b->setAutoRaise(true);
    b->setFocusPolicy(Qt::NoFocus);
    connect(b, &QToolButton::clicked, &navigator_, slot);
    layout->addWidget(b);
    return b;
  };
  QToolButton* first = button(Sign::First, tr("To the pass's input (Home)"), &Navigator::firstStep);
  QToolButton* back = button(Sign::Back, tr("Match before (Left)"), [this] { navigator_.stepBy(-1); });
  back->setObjectName(QStringLiteral("stepBack"));
  play_ = button(Sign::Play, tr("Play or pause (P)"), &Navigator::togglePlay);
  play_->setObjectName(QStringLiteral("play"));
  QToolButton* forward = button(Sign::Forward, tr("Next match (Right)"), [this] { navigator_.stepBy(1); });
  forward->setObjectName(QStringLiteral("stepForward"));
  QToolButton* last = button(Sign::Last, tr("To the pass's end (End)"), &Navigator::lastStep);

  auto* speed = new QComboBox(this);
  speed->setToolTip(tr("Matches a second while playing"));
  speed->setFocusPolicy(Qt::NoFocus);
  for (const double s : {0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 60.0}) speed->addItem(tr("%1/s").arg(s), s);
  speed->setCurrentIndex(2);
  speed->setObjectName(QStringLiteral("speed"));
  connect(speed, &QComboBox::currentIndexChanged, this,
          [this, speed](int i) { navigator_.setSpeed(speed->itemData(i).toDouble()); });
  layout->addWidget(speed);

  slider_ = new QSlider(Qt::Horizontal, this);
  slider_->setObjectName(QStringLiteral("steps"));
  slider_->setFocusPolicy(Qt::NoFocus);
  slider_->setMinimumWidth(120);
  layout->addWidget(slider_, 2);
  where_ = new QLabel(this);
  where_->setObjectName(QStringLiteral("where"));
  where_->setMinimumWidth(QFontMetrics(where_->font()).horizontalAdvance(QStringLiteral("match 00000 of 00000")));
  layout->addWidget(where_);
  rule_ = new QLabel(this);
  rule_->setObjectName(QStringLiteral("ruleName"));
  // as wide as there is room for; what does not fit is cut
  rule_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  layout->addWidget(rule_, 1);

  measure_ = new QComboBox(this);
  measure_->setObjectName(QStringLiteral("measure"));
  measure_->setToolTip(tr("What is shown over the kernels (M); T hides it"));
  measure_->setFocusPolicy(Qt::NoFocus);
  for (const QString& name : {tr("Time"), tr("GFLOP/s"), tr("GB/s"), tr("Share of time")}) measure_->addItem(name);
  connect(measure_, &QComboBox::activated, this, &TimelineBar::measureChosen);
  layout->addWidget(measure_);
  measure_->hide();
  byImportance_ = {back, forward, where_, play_, slider_, measure_, first, last, speed};

  connect(slider_, &QSlider::valueChanged, this, [this](int value) {
    if (!refreshing_) navigator_.goToStep(value);
  });
  connect(&navigator_, &Navigator::moved, this, &TimelineBar::refresh);
  connect(&navigator_, &Navigator::historyChanged, this, &TimelineBar::refresh);
  connect(&navigator_, &Navigator::playingChanged, this, [this](bool playing) {
    for (auto& [b, sign] : icons_)
      if (b == play_) sign = playing ? Sign::Pause : Sign::Play;
    drawIcons();
  });
  drawIcons();
  refresh();
}

bool TimelineBar::scrubbing() const {
  return slider_->isSliderDown();
}

void TimelineBar::setRule(const QString& name) {
  rule_->setToolTip(name);
  elideRule();
}

void TimelineBar::elideRule() {
  rule_->setText(
      QFontMetrics(rule_->font()).elidedText(rule_->toolTip(), Qt::ElideRight, std::max(rule_->width(), 20)));
}

void TimelineBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
  elideRule();
}

namespace {

int leastWidth(const QWidget& w) {
  return w.minimumWidth() > 0 ? w.minimumWidth() : w.minimumSizeHint().width();
}

}  // namespace

int TimelineBar::roomFor(size_t count) const {
  const QMargins margins = layout()->contentsMargins();
  // the name of the rule takes what is left, and a gap beside it
  int room = margins.left() + margins.right();
  for (size_t i = 0; i < count; ++i)
    if (byImportance_[i] != measure_ || measures_) room += leastWidth(*byImportance_[i]) + layout()->spacing();
  return room;
}

// In a narrow window only what matters most is there, whole.
void TimelineBar::arrange() {
  for (size_t i = 0; i < byImportance_.size(); ++i)
    byImportance_[i]->setVisible(roomFor(i + 1) <= width() && (byImportance_[i] != measure_ || measures_));
}

int TimelineBar::wholeWidth() const {
  return roomFor(byImportance_.size());
}

QSize TimelineBar::minimumSizeHint() const {
  return {roomFor(3), layout()->minimumSize().height()};
}

// The style's own icons are dark ones, unreadable on a dark ground.
void TimelineBar::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) drawIcons();
}

void TimelineBar::drawIcons() {
  const QColor ink = palette().color(QPalette::ButtonText),
               faint = palette().color(QPalette::Disabled, QPalette::ButtonText);
  for (const auto& [button, sign] : icons_) {
    QIcon icon;
    icon.addPixmap(signPixmap(sign, ink, devicePixelRatioF()));
    icon.addPixmap(signPixmap(sign, faint, devicePixelRatioF()), QIcon::Disabled);
    button->setIcon(icon);
  }
}

void TimelineBar::showMeasures(bool shown) {
  measures_ = shown;
  arrange();
}

void TimelineBar::setMeasure(int index) {
  measure_->setCurrentIndex(index);
}

void TimelineBar::refresh() {
  refreshing_ = true;
  const auto length = static_cast<int>(navigator_.length());
  slider_->setRange(0, length);
  slider_->setEnabled(length > 0);
  slider_->setPageStep(std::max(1, length / 20));
  slider_->setValue(static_cast<int>(navigator_.address().step));
  if (navigator_.address().pass == 0)
    where_->clear();
  else if (length == 0)
    where_->setText(tr("no matches"));
  else if (navigator_.address().step == 0)
    where_->setText(tr("input, %1 matches").arg(length));
  else
    where_->setText(tr("match %1 of %2").arg(navigator_.address().step).arg(length));
  refreshing_ = false;
}

}  // namespace rangescope::viewer
