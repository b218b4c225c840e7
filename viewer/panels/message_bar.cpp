#include "viewer/panels/message_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "viewer/model/qt_text.h"

namespace rangescope::viewer {

MessageBar::MessageBar(QWidget* parent) : QFrame(parent), text_(new QLabel(this)) {
  setObjectName(QStringLiteral("messageBar"));
  text_->setObjectName(QStringLiteral("messageBarText"));
  text_->setWordWrap(true);
  text_->setTextFormat(Qt::RichText);
  text_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard |
                                 Qt::TextSelectableByMouse);
  auto* close = new QToolButton(this);
  close->setObjectName(QStringLiteral("messageBarClose"));
  close->setText(QStringLiteral("\u00d7"));
  close->setToolTip(tr("Close"));
  close->setAutoRaise(true);
  close->setFocusPolicy(Qt::NoFocus);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(12, 8, 8, 8);
  layout->addWidget(text_, 1);
  layout->addWidget(close, 0, Qt::AlignTop);
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
  connect(text_, &QLabel::linkActivated, this, [this](const QString& link) {
    const int i = link.toInt();
    if (i < 0)
      emit goTo(failure_.at, failure_.node);
    else if (i < static_cast<int>(failure_.circle.size()))
      emit goTo({failure_.circle[static_cast<size_t>(i)].at.pass, failure_.circle[static_cast<size_t>(i)].at.step - 1},
                failure_.circle[static_cast<size_t>(i)].node);
  });
  setDark(false);
  hide();
}

void MessageBar::setDark(bool dark) {
  dark_ = dark;
  setStyleSheet(dark ? QStringLiteral("#messageBar{background:#4a2327;border-bottom:1px solid #7b3a40}"
                                      "#messageBarText{color:#f4e4e5}")
                     : QStringLiteral("#messageBar{background:#fbe6e7;border-bottom:1px solid #e3a9ad}"
                                      "#messageBarText{color:#3a1214}"));
  render();
}

void MessageBar::showFailure(const Failure& failure) {
  failure_ = failure;
  render();
  show();
}

void MessageBar::render() {
  const QString ink = dark_ ? QStringLiteral("#ffb3b8") : QStringLiteral("#8a1420");
  const auto link = [&](int i, const QString& text) {
    return QStringLiteral("<a href='%1' style='color:%2'>%3</a>").arg(i).arg(ink, text.toHtmlEscaped());
  };
  QString s = QStringLiteral("<b>%1</b>").arg(qtText(failure_.title).toHtmlEscaped());
  if (!failure_.where.empty())
    s += tr(" at ") +
         (failure_.at.pass != 0 ? link(-1, qtText(failure_.where)) : qtText(failure_.where).toHtmlEscaped());
  QString message = qtText(failure_.message);
  if (message.size() > 400) message = message.left(399) + QStringLiteral("\u2026");
  if (!message.isEmpty()) s += QStringLiteral("<br>") + message.toHtmlEscaped();
  if (!failure_.circle.empty()) {
    s += tr("<br>The circle:");
    for (int i = 0; i < static_cast<int>(failure_.circle.size()); ++i)
      s += QStringLiteral("<br>&nbsp;&nbsp;%1 ").arg(i + 1) +
           link(i, qtText(failure_.circle[static_cast<size_t>(i)].text));
  }
  text_->setText(s);
}

}  // namespace rangescope::viewer
