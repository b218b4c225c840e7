#include "viewer/panels/dispatch_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "viewer/model/qt_text.h"

namespace rangescope::viewer {

DispatchPanel::DispatchPanel(QWidget* parent)
    : QWidget(parent), view_(new DispatchView(this)), said_(new QLabel(this)) {
  setObjectName(QStringLiteral("timeline"));
  auto* top = new QHBoxLayout;
  top->setContentsMargins(4, 4, 8, 0);
  const auto button = [&](const QString& text, const QString& tip, auto does) {
    auto* b = new QToolButton(this);
    b->setText(text);
    b->setToolTip(tip);
    b->setFocusPolicy(Qt::NoFocus);
    connect(b, &QToolButton::clicked, view_, does);
    top->addWidget(b);
  };
  button(tr("Fit"), tr("All of it (Space)"), &DispatchView::fit);
  button(tr("Selection"), tr("The selected kernel (Return)"), &DispatchView::fitSelection);
  button(QStringLiteral("+"), tr("Zoom in (Up, or the wheel)"), [this] { view_->zoom(1.5, view_->width() / 2.0); });
  button(QStringLiteral("\u2212"), tr("Zoom out (Down, or the wheel)"),
         [this] { view_->zoom(1 / 1.5, view_->width() / 2.0); });
  said_->setObjectName(QStringLiteral("timelineSaid"));
  said_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  top->addSpacing(8);
  top->addWidget(said_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addLayout(top);
  layout->addWidget(view_, 1);
  connect(view_, &DispatchView::said, said_, &QLabel::setText);
  view_->setMessage(tr("Open a trace (Ctrl+O) that was recorded with --run."));
}

void DispatchPanel::setTimeline(const std::shared_ptr<const DispatchTimeline>& timeline) {
  view_->setTimeline(timeline);
  if (!timeline) {
    said_->clear();
    view_->setMessage(tr("Reading the dispatches..."));
    return;
  }
  view_->setMessage(tr("This trace has no times. Record it with --run to have its kernels timed."));
  if (timeline->count > 0)
    said_->setText(
        tr("%1 dispatches%2. Drag pans, the wheel zooms, Shift and drag (or the ruler) measures.")
            .arg(qtCount(static_cast<int64_t>(timeline->count)),
                 timeline->placed ? QString() : tr(", end to end: this trace does not say when they began")));
}

}  // namespace rangescope::viewer
