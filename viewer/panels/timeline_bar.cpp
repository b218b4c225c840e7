#include "viewer/panels/timeline_bar.h"

#include <QComboBox>
#include <QFontMetrics>
#include <QHBoxLayout>
#include <QLabel>
#include <QSlider>
#include <QStyle>
#include <QToolButton>

namespace rangescope::viewer {

TimelineBar::TimelineBar(Navigator& navigator, QWidget* parent) : QWidget(parent), navigator_(navigator) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(8, 4, 8, 4);
  const auto button = [&](QStyle::StandardPixmap icon, const QString& tip, auto slot) {
    auto* b = new QToolButton(this);
    b->setIcon(style()->standardIcon(icon));
    b->setToolTip(tip);
    b->setAutoRaise(true);
    b->setFocusPolicy(Qt::NoFocus);
    connect(b, &QToolButton::clicked, &navigator_, slot);
    layout->addWidget(b);
    return b;
  };
  button(QStyle::SP_MediaSkipBackward, tr("To the pass's input (Home)"), &Navigator::firstStep);
  button(QStyle::SP_MediaSeekBackward, tr("Match before (Left)"), [this] {
    navigator_.stepBy(-1);
  })->setObjectName(QStringLiteral("stepBack"));
  play_ = button(QStyle::SP_MediaPlay, tr("Play or pause (P)"), &Navigator::togglePlay);
  play_->setObjectName(QStringLiteral("play"));
  button(QStyle::SP_MediaSeekForward, tr("Next match (Right)"), [this] {
    navigator_.stepBy(1);
  })->setObjectName(QStringLiteral("stepForward"));
  button(QStyle::SP_MediaSkipForward, tr("To the pass's end (End)"), &Navigator::lastStep);

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
  layout->addWidget(slider_, 1);
  where_ = new QLabel(this);
  where_->setObjectName(QStringLiteral("where"));
  where_->setMinimumWidth(QFontMetrics(where_->font()).horizontalAdvance(QStringLiteral("match 00000 of 00000")));
  layout->addWidget(where_);
  rule_ = new QLabel(this);
  rule_->setObjectName(QStringLiteral("ruleName"));
  rule_->setMinimumWidth(QFontMetrics(rule_->font()).horizontalAdvance(QLatin1Char('m')) * 20);
  layout->addWidget(rule_);

  measure_ = new QComboBox(this);
  measure_->setObjectName(QStringLiteral("measure"));
  measure_->setToolTip(tr("What is shown over the kernels (M); T hides it"));
  measure_->setFocusPolicy(Qt::NoFocus);
  for (const QString& name : {tr("Time"), tr("GFLOP/s"), tr("GB/s"), tr("Share of time")}) measure_->addItem(name);
  connect(measure_, &QComboBox::activated, this, &TimelineBar::measureChosen);
  layout->addWidget(measure_);
  measure_->hide();

  connect(slider_, &QSlider::valueChanged, this, [this](int value) {
    if (!refreshing_) navigator_.goToStep(value);
  });
  connect(&navigator_, &Navigator::moved, this, &TimelineBar::refresh);
  connect(&navigator_, &Navigator::historyChanged, this, &TimelineBar::refresh);
  connect(&navigator_, &Navigator::playingChanged, this, [this](bool playing) {
    play_->setIcon(style()->standardIcon(playing ? QStyle::SP_MediaPause : QStyle::SP_MediaPlay));
  });
  refresh();
}

bool TimelineBar::scrubbing() const {
  return slider_->isSliderDown();
}

void TimelineBar::setRule(const QString& name) {
  rule_->setText(name);
  rule_->setToolTip(name);
}

void TimelineBar::showMeasures(bool shown) {
  measure_->setVisible(shown);
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
