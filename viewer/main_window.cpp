#include "viewer/main_window.h"

#include <QCloseEvent>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QLabel>
#include <QMimeData>
#include <QSettings>
#include <QStatusBar>
#include <QTableView>
#include <QVBoxLayout>
#include <utility>

#include "viewer/canvas/graph_canvas.h"
#include "viewer/diff_dock.h"
#include "viewer/kernel_docks.h"
#include "viewer/kernel_workshop.h"
#include "viewer/lesson_dock.h"
#include "viewer/lesson_view.h"
#include "viewer/model/lens.h"
#include "viewer/panels/inspector_panel.h"
#include "viewer/panels/job_bar.h"
#include "viewer/panels/kernel_panel.h"
#include "viewer/panels/loops_panel.h"
#include "viewer/panels/message_bar.h"
#include "viewer/panels/pass_tree_panel.h"
#include "viewer/panels/provenance_panel.h"
#include "viewer/panels/rule_panel.h"
#include "viewer/panels/timeline_bar.h"
#include "viewer/script_dock.h"
#include "viewer/tool_docks.h"
#include "viewer/what_if_dock.h"

namespace rangescope::viewer {

namespace {
// Bumped when a dock is added: an old saved state would hide it.
constexpr int kStateVersion = 4;
// Of a dock at the right: narrower, and words break letter by letter.
constexpr int kDockWidth = 190;
}  // namespace

MainWindow::MainWindow(QWidget* parent) : QMainWindow(parent), navigator_(passes_) {
  setObjectName(QStringLiteral("mainWindow"));
  setWindowTitle(QStringLiteral("Rangescope"));
  setAcceptDrops(true);
  setDockNestingEnabled(true);
  resize(1440, 900);
  setMinimumSize(640, 480);

  auto* centre = new QWidget(this);
  auto* layout = new QVBoxLayout(centre);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  canvas_ = new GraphCanvas(centre);
  canvas_->setMessage(
      tr("Open a trace (Ctrl+O), or drop one here: a .rscope file, or a script (.py), a model (.onnx) or programs "
         "(.jsonl) "
         "to be recorded.\n\nAlt+S has examples to begin with."));
  timeline_ = new TimelineBar(navigator_, centre);
  messageBar_ = new MessageBar(centre);
  layout->addWidget(messageBar_);
  layout->addWidget(canvas_, 1);
  layout->addWidget(timeline_);
  setCentralWidget(centre);

  buildDocks();
  buildMenus();
  status_ = new QLabel(this);
  jobs_ = new JobBar(this);
  statusBar()->addPermanentWidget(jobs_);
  statusBar()->addPermanentWidget(status_);
  connectAll();

  const QSettings settings;
  restoreGeometry(settings.value(QStringLiteral("geometry")).toByteArray());
  restoreState(settings.value(QStringLiteral("state")).toByteArray(), kStateVersion);
  setDark(settings.value(QStringLiteral("dark"), false).toBool());
  mapAction_->setChecked(settings.value(QStringLiteral("map"), true).toBool());
  canvas_->setFocus();
}

MainWindow::~MainWindow() {
  // The panels look at the models while they are hidden and destroyed, so they go before the members do.
  hide();
  delete takeCentralWidget();
  qDeleteAll(findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly));
}

void MainWindow::buildDocks() {
  const auto dock = [this](const QString& title, const char* name, QWidget* content, Qt::DockWidgetArea area) {
    auto* d = new QDockWidget(title, this);
    d->setObjectName(QLatin1String(name));
    d->setWidget(content);
    addDockWidget(area, d);
    return d;
  };
  passTree_ = new PassTreePanel(passes_, this);
  inspector_ = new InspectorPanel(this);
  rulePanel_ = new RulePanel(this);
  kernels_ = new KernelPanel(this);
  QDockWidget* left = dock(tr("Passes"), "passesDock", passTree_, Qt::LeftDockWidgetArea);
  QDockWidget* node = dock(tr("Node"), "nodeDock", inspector_, Qt::RightDockWidgetArea);
  QDockWidget* rule = dock(tr("Rule"), "ruleDock", rulePanel_, Qt::RightDockWidgetArea);
  kernelDock_ = dock(tr("Kernels"), "kernelsDock", kernels_, Qt::BottomDockWidgetArea);
  resizeDocks({left, node}, {330, 330}, Qt::Horizontal);
  resizeDocks({node, rule}, {400, 400}, Qt::Vertical);
  resizeDocks({kernelDock_}, {220}, Qt::Vertical);
  kernelDock_->hide();
  tools_ = new ToolDocks(*this, kernelDock_, rule, *rulePanel_);
  kernelDocks_ = new KernelDocks(*this, kernelDock_);
  workshop_ = new KernelWorkshop(*this, kernelDock_, *kernels_);
  diff_ = new DiffDock(*this, kernelDock_, session_, *canvas_);
  loops_ = new LoopsPanel(this);
  loopsDock_ = dock(tr("Loops"), "loopsDock", loops_, Qt::RightDockWidgetArea);
  tabifyDockWidget(rule, loopsDock_);
  loopsDock_->hide();
  whatIf_ = new WhatIfDock(*this, rule);
  script_ = new ScriptDock(*this, kernelDock_);
  rule->raise();
  lessons_ = new LessonDock(*this, node, session_);
  for (QWidget* w : std::initializer_list<QWidget*>{inspector_, rulePanel_, &tools_->provenance()})
    w->setMinimumWidth(kDockWidth);
}

// The docks give way first; in a window too narrow for that, the bar below the graph does.
void MainWindow::resizeEvent(QResizeEvent* event) {
  constexpr int kFrames = 20;
  const int whole = timeline_->wholeWidth();
  timeline_->setMinimumWidth(event->size().width() >= whole + passTree_->minimumWidth() + kDockWidth + kFrames ? whole
                                                                                                               : 0);
  QMainWindow::resizeEvent(event);
}

void MainWindow::compareWith(const QString& path) {
  if (!session_.isOpen()) {
    showMessage(tr("Open a trace (Ctrl+O) first: another can be compared with it then."));
    return;
  }
  diff_->compareWith(path);
}

// A node of the graph on show, chosen elsewhere than in it.
void MainWindow::showNodeOf(quint32 key) {
  canvas_->select(key);
  canvas_->reveal(key);
  session_.showNode(key);
}

void MainWindow::setExplainer(RuleExplainer explainer) {
  tools_->setExplainer(std::move(explainer));
}

void MainWindow::setChildProgram(const ChildProgram& program) {
  whatIf_->setProgram(program);
  script_->setProgram(program);
  workshop_->setProgram(program);
}

void MainWindow::openFile(const QString& path) {
  if (ScriptDock::isRecordable(path))
    script_->record(path);
  else
    openTrace(path);
}

void MainWindow::goTo(const StepAddress& address, qlonglong node) {
  wantedNode_ = node;
  navigator_.pause();
  navigator_.go(address);
  // there already: nothing will be shown anew
  if (shown_ == navigator_.address() && wantedNode_ != 0) session_.findKey(wantedNode_);
}

void MainWindow::showKey(qlonglong number, quint32 key) {
  if (number != wantedNode_) return;
  wantedNode_ = 0;
  showNodeOf(key);
  if (canvas_->nodeRect(key).isEmpty())
    statusBar()->showMessage(tr("Node %1 is not drawn here: constants stand in their users (C), bodies of calls are "
                                "hidden (G), or this step has taken it away.")
                                 .arg(number));
}

void MainWindow::show(const StepAddress& address) {
  passTree_->showPass(address.pass);
  canvas_->finishMotion();
  diff_->movedTo(address);
  lessons_->movedTo(address);
  requestPicture();
}

void MainWindow::showRule() {
  if (!picture_) return;
  const std::string& name = picture_->rule.name;
  const auto known = ruleSources_.find(name);
  if (known == ruleSources_.end() && !name.empty() && !sourceRoot_.empty())
    finding_.request("source", this, [this, name, root = sourceRoot_](const std::stop_token&) -> Background::Answer {
      return [this, name, source = ruleSource(root, name)] {
        ruleSources_[name] = source;
        if (source) showRule();
      };
    });
  rulePanel_->showPicture(*picture_, session_.countOf(picture_->rule.id),
                          known != ruleSources_.end() ? known->second : std::nullopt);
}

void MainWindow::openSource() {
  const auto known = picture_ ? ruleSources_.find(picture_->rule.name) : ruleSources_.end();
  if (known == ruleSources_.end() || !known->second) return;
  statusBar()->showMessage(
      openInEditor(sourceRoot_, *known->second)
          ? tr("Opened %1.").arg(QString::fromStdString(known->second->file))
          : tr("No editor could be started. RANGESCOPE_EDITOR names one: code --goto {file}:{line}"));
}

void MainWindow::setLens(bool on) {
  lensAction_->setChecked(on);
}

void MainWindow::openPanel(const QString& panel) {
  if (panel == QLatin1String("diff")) diff_->hold();
  for (const char* name : {"rule", "node", "kernels", "loops"})
    if (panel == QLatin1String(name)) bringUp(findChild<QDockWidget*>(panel + QStringLiteral("Dock")));
  if (panel == QLatin1String("lessons")) {
    lessons_->open();
  } else if (panel == QLatin1String("whatif")) {
    whatIf_->open();
  } else if (panel == QLatin1String("script")) {
    script_->open();
  } else if (panel == QLatin1String("values")) {
    workshop_->openValues();
    kernels_->valuesWanted();
  }
}

void MainWindow::showLegend() {
  canvas_->setLegend(filters_.lens && canvas_->frame() ? lensLegend(canvas_->frame()->graph, filters_.palette)
                                                       : std::vector<LegendEntry>{});
}

// The nth node of an op, in the order of the graph, is how lessons name what they speak of.
void MainWindow::showLessonPlace() {
  if (!std::exchange(lessonWaits_, false) || !canvas_->frame()) return;
  std::optional<uint32_t> key;
  int left = wantedNth_;
  for (const SceneNode& n : canvas_->frame()->graph.nodes)
    if (n.title == wantedOp_ && n.state != NodeState::Ghost && --left == 0) {
      key = n.key;
      break;
    }
  wantedOp_.clear();
  if (!lessons_->inLesson()) {  // bookmarks leave the view as it is
    if (key) showNodeOf(*key);
    return;
  }
  canvas_->select(key);
  if (key) session_.showNode(*key);
  if (const auto place = lessonView(*canvas_, key)) canvas_->setPlace(*place);
}

void MainWindow::requestPicture() {
  const StepAddress& at = navigator_.address();
  if (const auto against = diff_->against(at))
    session_.showDiff(at, *against, filters_, canvas_->frame());
  else
    session_.showStep(at, filters_, measure(), canvas_->frame());
}

void MainWindow::refreshPicture() {
  if (navigator_.address().pass == 0) return;
  requestPicture();
}

void MainWindow::showPicture(const std::shared_ptr<const StepPicture>& picture) {
  using Transition = GraphCanvas::Transition;
  const StepScene& scene = picture->scene;
  canvas_->setMessage(picture->frame->graph.nodes.empty()
                          ? tr("Everything in this graph is hidden. I shows index arithmetic, S the sink.")
                          : QString());
  canvas_->setHeatShown(times_ && scene.kernels);
  rememberPlace();
  // of the pass on show, that is: the first picture of a pass is never seen where the next key comes before it
  const bool samePass = shownPass_ == scene.address.pass;
  shownPass_ = scene.address.pass;
  if (picture->newKeys) canvas_->select(std::nullopt);
  canvas_->setFrame(picture->frame, !samePass || picture->newKeys ? Transition::Show
                                    : timeline_->scrubbing()      ? Transition::Cut
                                                                  : Transition::Glide);
  if (!samePass && !picture->diff)
    if (const auto place = places_.recall(scene.address, *picture->frame)) canvas_->setPlace(*place);
  picture_ = picture;
  showMarks();
  showRule();
  diff_->showPicture(*picture);
  if (!picture->diff) showLegend();
  if (scene.address == navigator_.address()) showLessonPlace();  // not on one that was under way before
  if (loopsVisible_) session_.showLoops();
  timeline_->setRule(QString::fromStdString(scene.ruleName));
  timeline_->showMeasures(scene.timed);
  shown_ = navigator_.address();
  const trace::Pass& pass = session_.summary().passes[static_cast<size_t>(scene.address.pass - 1)];
  QString said = tr("%1: %2 nodes").arg(QString::fromStdString(pass.name)).arg(scene.nodes);
  if (scene.cut) said += tr(" (the surroundings of the change are shown)");
  if (pass.matches == 0 && !scene.kernels) {
    const int64_t next = [&] {
      int64_t p = scene.address.pass;
      do p = passes_.neighbour(p, 1);
      while (p != 0 && session_.summary().passes[static_cast<size_t>(p - 1)].matches == 0);
      return p;
    }();
    said = tr("%1 changed nothing.").arg(QString::fromStdString(pass.name));
    if (next != 0)
      said += tr(" Next pass with matches: %1")
                  .arg(QString::fromStdString(session_.summary().passes[static_cast<size_t>(next - 1)].name));
  }
  statusBar()->showMessage(said);
  items_ = scene.items;
  tools_->showPicture(*picture);
  if (wantedItem_ != 0) showItem(wantedItem_);
  if (wantedNode_ != 0) session_.findKey(wantedNode_);
  if (const auto selected = canvas_->selected()) session_.showNode(*selected);
  emit pictureShown();
}

// Of the picture on show.
void MainWindow::rememberPlace() {
  if (picture_ && !picture_->diff && shownPass_ == picture_->scene.address.pass && canvas_->frame() == picture_->frame)
    places_.remember(picture_->scene.address, *picture_->frame, canvas_->place());
}

void MainWindow::showMarks() {
  canvas_->setMarks(captures_ && picture_ ? picture_->captures : std::vector<NodeMark>{});
}

void MainWindow::showItem(qlonglong item) {
  for (const auto& [i, key] : items_)
    if (i == item) {
      wantedItem_ = 0;
      canvas_->select(key);
      canvas_->reveal(key);
      session_.showNode(key);
    }
}

void MainWindow::goToKernelGraph() {
  if (const int64_t pass = session_.summary().kernelGraph) navigator_.go({pass, 0});
}

void MainWindow::showMessage(const QString& message) {
  statusBar()->showMessage(message);
  canvas_->setMessage(message);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  for (const QUrl& url : event->mimeData()->urls())
    if (url.isLocalFile()) {
      openFile(url.toLocalFile());
      event->acceptProposedAction();
      return;
    }
}

void MainWindow::closeEvent(QCloseEvent* event) {
  rememberPlace();
  if (remembersPlaces_) places_.save();
  QSettings settings;
  settings.setValue(QStringLiteral("geometry"), saveGeometry());
  settings.setValue(QStringLiteral("state"), saveState(kStateVersion));
  settings.setValue(QStringLiteral("dark"), darkAction_->isChecked());
  settings.setValue(QStringLiteral("map"), mapAction_->isChecked());
  event->accept();
}

}  // namespace rangescope::viewer
