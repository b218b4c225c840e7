#include "viewer/panels/pathology_panel.h"

#include <QKeyEvent>
#include <QLabel>
#include <QTabBar>
#include <QVBoxLayout>

#include "viewer/model/qt_text.h"
#include "viewer/panels/jump_table.h"

namespace rangescope::viewer {

namespace {

enum Tab { Rules, Idle, Growth, Undone };

QString msText(int64_t ns) {
  return QString::number(static_cast<double>(ns) / 1e6, 'f', 3);
}

}  // namespace

PathologyPanel::PathologyPanel(SearchController& search, QWidget* parent)
    : QWidget(parent), search_(search), model_(new JumpModel(this)), tabs_(new QTabBar(this)), said_(new QLabel(this)) {
  setObjectName(QStringLiteral("pathologies"));
  table_ = new JumpTable(model_, this);
  table_->setObjectName(QStringLiteral("pathologyTable"));
  tabs_->setObjectName(QStringLiteral("pathologyTabs"));
  for (const QString& name : {tr("Expensive rules"), tr("Passes without effect"), tr("Growth"), tr("Rewrites undone")})
    tabs_->addTab(name);
  said_->setObjectName(QStringLiteral("pathologySaid"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addLayout(tabRow(*tabs_, *said_));
  layout->addWidget(table_, 1);
  connect(tabs_, &QTabBar::currentChanged, this, &PathologyPanel::fill);
  connect(&search_, &SearchController::pathologiesProgress, this,
          [this](double p) { said_->setText(tr("Looking through the trace, %1 %").arg(static_cast<int>(p * 100))); });
  connect(&search_, &SearchController::pathologiesFound, this, [this](const auto& found) {
    found_ = found;
    fill();
  });
  connect(&search_, &SearchController::pathologiesFailed, this, [this](const QString& message) {
    asked_ = false;
    said_->setText(message);
  });
  connect(&search_, &SearchController::outdated, this, [this] {
    if (!found_ || !asked_) return;
    asked_ = false;  // the list stays while somebody reads it
    said_->setText(tr("More was recorded since: Pathologies (X) looks again.  ") + said_->text());
  });
  connect(table_, &JumpTable::rowChosen, this, &PathologyPanel::rowChosen);
  connect(table_, &JumpTable::rowActivated, this, &PathologyPanel::left);
  table_->installEventFilter(this);
  fill();
}

void PathologyPanel::traceOpened() {
  open_ = true;
  found_.reset();
  asked_ = false;
  fill();
  ask();
}

void PathologyPanel::focusTable() {
  table_->setFocus(Qt::ShortcutFocusReason);
  ask();
}

void PathologyPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  ask();
}

// Going through a whole trace is for who looks at the answer.
void PathologyPanel::ask() {
  if (!open_ || asked_ || !isVisible()) return;
  asked_ = true;
  said_->setText(tr("Looking through the trace..."));
  search_.findPathologies();
}

void PathologyPanel::fill() {
  std::vector<JumpRow> rows;
  std::vector<JumpModel::Column> columns;
  QList<int> widths;
  const auto add = [&](QStringList cells, StepAddress place, QString query = {}) {
    JumpRow r;
    r.cells = std::move(cells);
    r.place = place;
    r.query = std::move(query);
    rows.push_back(std::move(r));
  };
  const trace::Pathologies none;
  const trace::Pathologies& p = found_ ? *found_ : none;
  QString said;
  switch (tabs_->currentIndex()) {
    case Rules:
      columns = {{tr("ms"), true}, {tr("Share"), true}, {tr("Fired"), true}, {tr("µs each"), true}, {tr("Rule")}};
      widths = {12, 9, 10, 10, 40};
      for (const trace::RuleCost& r : p.rules)
        add({msText(r.ns), QStringLiteral("%1 %").arg(r.share * 100, 0, 'f', 1), qtCount(r.fired),
             QString::number(static_cast<double>(r.ns) / 1e3 / static_cast<double>(r.fired), 'f', 2), qtText(r.name)},
            addressOf(r.first));
      said = tr("Time in a rule counts the passes that it runs. A row leads to its first firing.");
      break;
    case Idle:
      columns = {{tr("ms"), true}, {tr("In vain"), true}, {tr("Of"), true}, {tr("Pass")}};
      widths = {12, 10, 10, 40};
      for (const trace::IdlePass& i : p.idle)
        add({msText(i.ns), qtCount(i.times), qtCount(i.runs), qtText(i.name)}, {i.first, 0});
      said = tr("Passes that changed nothing, by name.");
      break;
    case Growth:
      columns = {{tr("Nodes"), true}, {tr("Before"), true}, {tr("After"), true}, {tr("Pass"), true}, {tr("Name")}};
      widths = {10, 10, 10, 8, 40};
      for (const trace::Growth& g : p.growth)
        add({(g.after > g.before ? QStringLiteral("+") : QString()) + qtCount(g.after - g.before), qtCount(g.before),
             qtCount(g.after), QString::number(g.pass), qtText(g.name)},
            {g.pass, INT64_MAX});
      said = tr("What grew most stands first, what shrank most last. A row leads to the pass's end.");
      break;
    default:
      columns = {{tr("Times"), true}, {tr("Undoing rule")}, {tr("What it undoes")},
                 {tr("Match"), true}, {tr("Pass"), true},   {tr("Name")}};
      widths = {8, 28, 28, 9, 8, 30};
      for (const trace::Undone& u : p.undone)
        add({qtCount(u.times), qtText(u.undoes), qtText(u.does), QString::number(u.undone.step),
             QString::number(u.pass), qtText(u.name)},
            addressOf(u.undone));
      said = tr("Within a pass, a match that turns an earlier one back.");
  }
  if (found_ && rows.empty()) said = tr("There are none in this trace.");
  model_->reset(std::move(columns), std::move(rows));
  table_->setWidths(widths);
  if (found_) said_->setText(said);
  if (!open_) said_->setText(tr("Open a trace (Ctrl+O) to see what is worth a look in it."));
}

bool PathologyPanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Escape) {
      emit left();
      return true;
    }
    if (key == Qt::Key_Left || key == Qt::Key_Right) {
      const int next = tabs_->currentIndex() + (key == Qt::Key_Right ? 1 : -1);
      if (next >= 0 && next < tabs_->count()) tabs_->setCurrentIndex(next);
      return true;
    }
  }
  if (event->type() == QEvent::ShortcutOverride) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Left || key == Qt::Key_Right) {
      event->accept();
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace rangescope::viewer
