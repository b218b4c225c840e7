#include "viewer/what_if_dock.h"

#include <QComboBox>
#include <QDockWidget>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <algorithm>
#include <utility>

#include "engine/trace/times.h"
#include "viewer/model/qt_text.h"

namespace rangescope::viewer {

namespace {

TraceFigures figuresOf(const std::string& path) {
  TraceFigures f;
  const auto opened = trace::Reader::open(path);
  if (!opened) {
    f.refused = qtText(opened.error().message);
    return f;
  }
  trace::Reader& r = **opened;
  // what generated code has is there only where kernels were run
  for (const trace::Pass& p : r.passes())
    if (p.section >= 1 && p.section <= static_cast<int64_t>(r.sections().size()) &&
        r.sections()[static_cast<size_t>(p.section - 1)].kind == "schedule")
      f.matches += p.matches;
  f.passes = static_cast<int64_t>(r.passes().size());
  std::vector<const trace::RuleInfo*> rules;
  for (const trace::RuleInfo& rule : r.rules()) rules.push_back(&rule);
  std::ranges::sort(rules, {}, &trace::RuleInfo::name);
  for (const trace::RuleInfo* rule : rules) {
    if (!f.rules.isEmpty() && f.rules.back() == qtText(rule->name)) continue;
    f.rules << qtText(rule->name);
    f.explanations << qtText(rule->explanation);
  }
  if (!r.errors().empty()) f.refused = qtText(r.errors().front().message);
  if (const auto items = r.schedule())
    f.kernels = std::ranges::count(*items, std::string("kernel"), &trace::ScheduleItem::kind);
  const auto runs = r.runs();
  if (!runs || runs->empty()) return f;
  if (const auto times = trace::item_times(r, runs->back().id)) {
    int64_t all = 0;
    for (const trace::ItemTimes& t : *times) all += t.times.median;
    if (all > 0) f.ns = all;
  }
  return f;
}

QString wordsOf(const QStringList& changes) {
  QStringList words;
  for (qsizetype i = 0; i + 1 < changes.size(); i += 2)
    words << (changes[i] == QLatin1String("--without") ? WhatIfDock::tr("without %1").arg(changes[i + 1])
                                                       : changes[i + 1]);
  return words.join(QStringLiteral(", "));
}

}  // namespace

WhatIfDock::WhatIfDock(QMainWindow& window, QDockWidget* beside)
    : QObject(&window),
      panel_(new WhatIfPanel(&window)),
      dock_(tabDock(window, tr("What if"), "whatIfDock", panel_, beside)) {
  connect(panel_, &WhatIfPanel::runWanted, this, &WhatIfDock::run);
  connect(panel_, &WhatIfPanel::stopWanted, &job_, &ChildJob::stop);
  connect(panel_, &WhatIfPanel::rowChosen, this, &WhatIfDock::choose);
  connect(panel_, &WhatIfPanel::openWanted, this, [this](int row) {
    if (row >= 0 && row < static_cast<int>(tried_.size()) && tried_[static_cast<size_t>(row)].usable)
      emit openTrace(tried_[static_cast<size_t>(row)].path);
  });
  connect(panel_, &WhatIfPanel::left, this, &WhatIfDock::keysToGraph);
  connect(&job_, &ChildJob::finished, this, &WhatIfDock::ended);
}

void WhatIfDock::addActions(const AddAction& add) {
  add(tr("What if a rule were off, or a setting another"), {QKeySequence(Qt::SHIFT | Qt::Key_W)}, [this] { open(); });
}

void WhatIfDock::open() {
  if (!filled_ && program_.settings) panel_->setSettings(program_.settings());
  filled_ = true;
  bringUp(dock_, &panel_->rule());
}

void WhatIfDock::askAbout(const QString& rule) {
  open();
  panel_->chooseRule(rule);
  panel_->run().setFocus(Qt::OtherFocusReason);
}

void WhatIfDock::traceOpened(const TraceSummary& summary) {
  trace_ = summary.path;
  // one of those that were tried: the others go on standing beside it
  if (std::ranges::any_of(tried_, [&](const Tried& t) { return t.path == trace_; })) return;
  job_.stop();
  tried_.clear();
  panel_->clear();
  tried_.push_back({trace_, QFileInfo(trace_).completeBaseName(), true, {}});
  panel_->addRow(tried_.front().what);
  readFigures(0);
}

void WhatIfDock::run() {
  if (job_.running()) return;
  if (trace_.isEmpty()) {
    panel_->say(tr("Open a trace first (Ctrl+O)."));
    return;
  }
  if (program_.path.empty()) {
    panel_->say(tr("This window knows no program that could schedule."));
    return;
  }
  if (!folder_) folder_ = std::make_unique<QTemporaryDir>();
  if (!folder_->isValid()) {
    panel_->say(tr("There is no place for temporary files: %1").arg(folder_->errorString()));
    return;
  }
  const QStringList changes = panel_->changes();
  Tried t{folder_->filePath(QStringLiteral("%1.rscope").arg(tried_.size())), wordsOf(changes), false, {}};
  changes_ = changes;
  timing_ = false;
  panel_->addRow(t.what);
  panel_->say(tr("Scheduling %1 ...").arg(t.what));
  const QString out = t.path;
  tried_.push_back(std::move(t));
  start(out, panel_->runsKernels());
}

void WhatIfDock::start(const QString& out, bool kernels) {
  QStringList arguments{QStringLiteral("record"), trace_, QStringLiteral("-o"), out};
  arguments << changes_;
  if (kernels) arguments << QStringLiteral("--run");
  panel_->setRunning(true);
  job_.start(QString::fromStdString(program_.path), arguments);
}

void WhatIfDock::ended(const ChildJob::Outcome& outcome) {
  panel_->setRunning(false);
  const int row = static_cast<int>(tried_.size()) - 1;
  if (row < 1) return;
  Tried& t = tried_.back();
  if (std::exchange(timing_, false)) {
    if (!outcome.ok) {
      panel_->say(panel_->said().text() + QLatin1Char('\n') + tr("Its kernels were not run: %1").arg(outcome.failure));
      return;
    }
    t.path.replace(QStringLiteral(".rscope"), QStringLiteral("-run.rscope"));
    emit timesKnown(t.path);
    readFigures(row);
    return;
  }
  // a program that was refused is a trace too, and says where
  t.usable = !outcome.stopped && QFileInfo::exists(t.path);
  if (!t.usable) {
    panel_->setFailure(row, outcome.failure);
    panel_->say(tr("%1: %2").arg(t.what, outcome.failure));
    return;
  }
  emit compareWith(t.path);
  readFigures(row);
}

void WhatIfDock::readFigures(int row) {
  reading_ = true;
  background_.request(
      "figures " + std::to_string(row), this,
      [this, row, path = tried_[static_cast<size_t>(row)].path](const std::stop_token&) -> Background::Answer {
        const TraceFigures f = figuresOf(path.toStdString());
        return [this, row, path, f] {
          reading_ = false;
          if (row < static_cast<int>(tried_.size()) && tried_[static_cast<size_t>(row)].path == path)
            figuresKnown(row, f);
        };
      });
}

void WhatIfDock::figuresKnown(int row, const TraceFigures& figures) {
  Tried& t = tried_[static_cast<size_t>(row)];
  t.figures = figures;
  panel_->setFigures(row, figures);
  if (row == 0) {
    panel_->setRules(figures.rules, figures.explanations);
    return;
  }
  const TraceFigures& before = tried_.front().figures;
  if (!figures.refused.isEmpty()) {
    panel_->say(tr("%1: the scheduler refuses the program then. %2").arg(t.what, figures.refused));
    return;
  }
  QString text = figures.kernels == before.kernels
                     ? tr("%1: %2 kernels as before").arg(t.what).arg(figures.kernels)
                     : tr("%1: %2 kernels instead of %3").arg(t.what).arg(figures.kernels).arg(before.kernels);
  text += figures.matches == before.matches
              ? tr(", as many matches.")
              : tr(", %1 matches instead of %2.").arg(qtCount(figures.matches), qtCount(before.matches));
  if (figures.ns && before.ns)
    text += tr(" The kernels take %1 times as long.")
                .arg(static_cast<double>(*figures.ns) / static_cast<double>(*before.ns), 0, 'f', 2);
  panel_->say(text);
  panel_->rows().setCurrentCell(row, 0);
  // the answer stands there; where the trace has times, those of the answer come next
  if (before.ns && !figures.ns && !job_.running() && row + 1 == static_cast<int>(tried_.size())) {
    timing_ = true;
    panel_->say(text + QLatin1Char('\n') + tr("Running its kernels ..."));
    QString out = t.path;
    start(out.replace(QStringLiteral(".rscope"), QStringLiteral("-run.rscope")), true);
  }
}

void WhatIfDock::choose(int row) {
  if (row < 0 || row >= static_cast<int>(tried_.size())) return;
  const Tried& t = tried_[static_cast<size_t>(row)];
  if (t.usable && t.path != trace_) emit compareWith(t.path);
}

}  // namespace rangescope::viewer
