#include "viewer/panels/why_panel.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace rangescope::viewer {

WhyPanel::WhyPanel(QWidget* parent)
    : QWidget(parent), node_(new QLabel(this)), rule_(new QLineEdit(this)), answer_(new QPlainTextEdit(this)) {
  setObjectName(QStringLiteral("why"));
  rule_->setObjectName(QStringLiteral("whyRule"));
  rule_->setPlaceholderText(tr("Name of a rule; empty: every rule of the pass"));
  rule_->setClearButtonEnabled(true);
  answer_->setObjectName(QStringLiteral("whyAnswer"));
  answer_->setReadOnly(true);
  answer_->setFrameShape(QFrame::NoFrame);
  answer_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  answer_->setPlaceholderText(tr(
      "Select a node, and name a rule or none: what the rule's pattern wants there, and at which constraint the node "
      "fails, stands here."));
  auto* ask = new QPushButton(tr("Explain"), this);
  ask->setObjectName(QStringLiteral("whyAsk"));
  node_->setTextFormat(Qt::PlainText);
  auto* top = new QHBoxLayout;
  top->setContentsMargins(4, 4, 4, 0);
  top->setSpacing(8);
  top->addWidget(node_);
  top->addWidget(rule_, 1);
  top->addWidget(ask);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addLayout(top);
  layout->addWidget(answer_, 1);
  setSubject({}, {});
  connect(ask, &QPushButton::clicked, this, &WhyPanel::ask);
  connect(rule_, &QLineEdit::returnPressed, this, &WhyPanel::ask);
  for (QWidget* w : {static_cast<QWidget*>(rule_), static_cast<QWidget*>(answer_)}) w->installEventFilter(this);
}

void WhyPanel::setExplainer(RuleExplainer explainer) {
  explainer_ = std::move(explainer);
}

void WhyPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (rule_->completer() != nullptr || !explainer_.rules) return;
  QStringList names;
  for (const std::string& r : explainer_.rules()) names << QString::fromStdString(r);
  names.sort();
  auto* completer = new QCompleter(names, rule_);
  completer->setFilterMode(Qt::MatchContains);
  completer->setCaseSensitivity(Qt::CaseInsensitive);
  completer->setMaxVisibleItems(12);
  rule_->setCompleter(completer);
}

void WhyPanel::setSubject(const ExplainRequest& subject, const QString& node) {
  subject_ = subject;
  node_->setText(subject_.node == 0 ? tr("No node selected") : node);
}

void WhyPanel::focusLine() {
  rule_->setFocus(Qt::ShortcutFocusReason);
  rule_->selectAll();
}

void WhyPanel::ask() {
  if (!explainer_.explain) {
    answer_->setPlainText(tr("This window does not know the rules: open the trace with `rangescope view`."));
    return;
  }
  if (subject_.node == 0) {
    answer_->setPlainText(tr(
        "Select a node of the graph first. A node that was rebuilt only for this picture has no number in the trace: "
        "look at it at the step where a match made it."));
    return;
  }
  ExplainRequest request = subject_;
  request.rule = rule_->text().trimmed().toStdString();
  background_.request(
      "explain", this, [this, request, explain = explainer_.explain](const std::stop_token&) -> Background::Answer {
        const auto text = explain(request);
        return
            [this, said = QString::fromStdString(text ? *text : text.error().message)] { answer_->setPlainText(said); };
      });
}

bool WhyPanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Down || key == Qt::Key_Up) {
      event->accept();
      return true;
    }
  }
  if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    emit left();
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace rangescope::viewer
