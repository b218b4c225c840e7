#include "viewer/panels/job_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>

namespace rangescope::viewer {

namespace {
constexpr int kLookMs = 100;
}

JobBar::JobBar(QWidget* parent)
    : QWidget(parent), text_(new QLabel(this)), progress_(new QProgressBar(this)), cancel_(new QToolButton(this)) {
  setObjectName(QStringLiteral("jobBar"));
  text_->setObjectName(QStringLiteral("jobText"));
  progress_->setFixedWidth(96);
  progress_->setTextVisible(false);
  cancel_->setObjectName(QStringLiteral("jobCancel"));
  cancel_->setText(tr("Cancel"));
  cancel_->setFocusPolicy(Qt::NoFocus);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 8, 0);
  layout->setSpacing(8);
  layout->addStretch(1);  // beside the bar, however wide the place is
  layout->addWidget(text_);
  layout->addWidget(progress_);
  layout->addWidget(cancel_);
  connect(cancel_, &QToolButton::clicked, this, [this] {
    if (!tag_.empty()) sources_[shown_].cancel(tag_);
    look();
  });
  connect(&timer_, &QTimer::timeout, this, &JobBar::look);
  timer_.start(kLookMs);
  hide();
}

void JobBar::look() {
  for (size_t i = 0; i < sources_.size(); ++i) {
    const auto job = sources_[i].running();
    if (!job || job->ms < kSlowMs) continue;
    const auto text = sources_[i].texts.find(job->tag);
    if (text == sources_[i].texts.end()) continue;
    shown_ = i;
    tag_ = job->tag;
    text_->setText(tr("%1, %2 s").arg(text->second).arg(job->ms / 1000.0, 0, 'f', 1));
    progress_->setRange(0, job->progress < 0 ? 0 : 100);
    progress_->setValue(job->progress < 0 ? 0 : static_cast<int>(job->progress * 100));
    show();
    return;
  }
  tag_.clear();
  hide();
}

}  // namespace rangescope::viewer
