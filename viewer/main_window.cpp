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

#include "viewer/canvas/graph_canvas.h"
#include "viewer/panels/inspector_panel.h"
#include "viewer/panels/kernel_panel.h"
#include "viewer/panels/pass_tree_panel.h"
#include "viewer/panels/provenance_panel.h"
#include "viewer/panels/rule_panel.h"
#include "viewer/panels/timeline_bar.h"
#include "viewer/tool_docks.h"

namespace rangescope::viewer {

namespace {
// Bumped when a dock is added: an old saved state would hide it.
constexpr int kStateVersion = 2;
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
      tr("Open a trace (Ctrl+O), or drop a .rscope file here.\n\nrangescope record PROGRAM.jsonl -o TRACE.rscope --run "
         " makes one."));
  timeline_ = new TimelineBar(navigator_, centre);
  layout->addWidget(canvas_, 1);
  layout->addWidget(timeline_);
  setCentralWidget(centre);

  buildDocks();
  buildMenus();
  status_ = new QLabel(this);
  statusBar()->addPermanentWidget(status_);
  connectAll();

  const QSettings settings;
  restoreGeometry(settings.value(QStringLiteral("geometry")).toByteArray());
  restoreState(settings.value(QStringLiteral("state")).toByteArray(), kStateVersion);
  setDark(settings.value(QStringLiteral("dark"), false).toBool());
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

void MainWindow::connectAll() {
  connect(&session_, &TraceSession::opened, this, &MainWindow::traceOpened);
  connect(&session_, &TraceSession::openFailed, this, [this](const QString& message) {
    // what is open stays open
    showMessage(session_.isOpen() ? message : message + tr("\n\nOpen another (Ctrl+O), or drop one here."));
  });
  connect(&session_, &TraceSession::pictureReady, this, [this](const auto& picture) { showPicture(picture); });
  connect(&session_, &TraceSession::pictureFailed, this, [this](const QString& message) {
    shown_ = navigator_.address();
    canvas_->setFrame(nullptr, GraphCanvas::Transition::Cut);
    showMessage(message);
    emit pictureShown();
  });
  connect(&session_, &TraceSession::nodeReady, inspector_, &InspectorPanel::showNode);
  connect(&session_, &TraceSession::matchFound, &navigator_, &Navigator::go);
  connect(&navigator_, &Navigator::moved, this, &MainWindow::show);
  connect(&navigator_, &Navigator::historyChanged, this, [this] {
    backAction_->setEnabled(navigator_.canGoBack());
    forwardAction_->setEnabled(navigator_.canGoForward());
  });
  connect(timeline_, &TimelineBar::measureChosen, this, [this](int i) { setMeasure(static_cast<Measure>(i)); });
  connect(passTree_, &PassTreePanel::passChosen, &navigator_, &Navigator::goToPass);
  connect(canvas_, &GraphCanvas::nodeClicked, &session_, &TraceSession::showNode);
  connect(canvas_, &GraphCanvas::nodeClicked, this, [this](quint32 key) {
    for (const auto& [item, node] : items_)
      if (node == key) kernels_->showItem(item);
  });
  connect(kernels_, &KernelPanel::itemChosen, this, &MainWindow::showItem);
  connect(kernels_, &KernelPanel::itemActivated, this, [this](qlonglong item) {
    wantedItem_ = item;
    goToKernelGraph();
    showItem(item);
  });
  connect(canvas_, &GraphCanvas::selectionCleared, inspector_, &InspectorPanel::showNothing);
  connect(inspector_, &InspectorPanel::nodeChosen, this, [this](quint32 key) {
    canvas_->select(key);
    canvas_->reveal(key);
    session_.showNode(key);
  });
  connect(inspector_, &InspectorPanel::matchChosen, &session_, &TraceSession::findMatch);
  connectTools();
}

void MainWindow::connectTools() {
  connect(tools_, &ToolDocks::goTo, this, &MainWindow::goTo);
  connect(tools_, &ToolDocks::goToPass, &navigator_, &Navigator::goToPass);
  connect(tools_, &ToolDocks::goToMatch, &session_, &TraceSession::findMatch);
  connect(tools_, &ToolDocks::goToItem, kernels_, &KernelPanel::itemActivated);
  connect(tools_, &ToolDocks::keysToGraph, this, [this] { canvas_->setFocus(); });
  connect(tools_, &ToolDocks::said, this, [this](const QString& message) { statusBar()->showMessage(message); });
  connect(&session_, &TraceSession::nodeReady, tools_, &ToolDocks::showNode);
  connect(&session_, &TraceSession::keyFound, this, &MainWindow::showKey);
  connect(canvas_, &GraphCanvas::selectionCleared, tools_, &ToolDocks::clearNode);
  connect(canvas_, &GraphCanvas::nodeClicked, tools_, &ToolDocks::stopWalking);
}

void MainWindow::setExplainer(RuleExplainer explainer) {
  tools_->setExplainer(std::move(explainer));
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
  canvas_->select(key);
  canvas_->reveal(key);
  session_.showNode(key);
  if (canvas_->nodeRect(key).isEmpty())
    statusBar()->showMessage(tr("Node %1 is not drawn here: constants stand in their users (C), bodies of calls are "
                                "hidden (G), or this step has taken it away.")
                                 .arg(number));
}

void MainWindow::openTrace(const QString& path) {
  showMessage(tr("Opening %1 ...").arg(QFileInfo(path).fileName()));
  session_.open(path);
}

void MainWindow::startAt(int64_t pass, int64_t step) {
  start_ = {pass, step};
  startGiven_ = true;
}

void MainWindow::traceOpened() {
  const TraceSummary& t = session_.summary();
  setWindowTitle(QStringLiteral("%1 – Rangescope").arg(QFileInfo(t.path).fileName()));
  std::vector<int64_t> lengths;
  for (const trace::Pass& p : t.passes) lengths.push_back(p.matches + (t.errorStep.pass == p.id ? 1 : 0));
  passes_.setTrace(t.sections, t.passes);
  navigator_.setTrace(lengths);
  kernels_->setRows(t.kernels);
  kernelDock_->setVisible(!t.kernels.empty());
  inspector_->showNothing();
  tools_->traceOpened(t.path);
  shown_ = {};
  shownPass_ = 0;
  wantedNode_ = 0;
  items_.clear();
  status_->setText(tr("%1   %2 passes, %3 matches, %4 nodes%5")
                       .arg(t.program)
                       .arg(t.passes.size())
                       .arg(t.matches)
                       .arg(t.nodes)
                       .arg(t.complete ? QString() : tr("   (not closed: shown up to its last batch)")));
  if (startGiven_ && start_.pass != 0) {
    navigator_.go({start_.pass, start_.step < 0 ? INT64_MAX : start_.step});
  } else if (t.errorStep.pass != 0) {
    navigator_.go(t.errorStep);  // a refused program opens at the rule that refused it
    showMessage(QString::fromStdString(t.errors.front().message));
  } else if (t.kernelGraph != 0 && !t.kernels.empty()) {
    navigator_.go({t.kernelGraph, 0});
  } else if (const int64_t first = passes_.firstPass()) {
    navigator_.goToPass(first);
  } else {
    showMessage(tr("This trace holds no passes."));
  }
}

void MainWindow::show(const StepAddress& address) {
  passTree_->showPass(address.pass);
  canvas_->finishMotion();
  session_.showStep(address, filters_, measure(), canvas_->frame());
}

void MainWindow::refreshPicture() {
  if (navigator_.address().pass == 0) return;
  session_.showStep(navigator_.address(), filters_, measure(), canvas_->frame());
}

void MainWindow::showPicture(const std::shared_ptr<const StepPicture>& picture) {
  using Transition = GraphCanvas::Transition;
  const StepScene& scene = picture->scene;
  canvas_->setMessage({});
  canvas_->setHeatShown(times_ && scene.kernels);
  // of the pass on show, that is: the first picture of a pass is never seen where the next key comes before it
  const bool samePass = shownPass_ == scene.address.pass;
  shownPass_ = scene.address.pass;
  canvas_->setFrame(picture->frame, !samePass                ? Transition::Show
                                    : timeline_->scrubbing() ? Transition::Cut
                                                             : Transition::Glide);
  rulePanel_->showPicture(*picture);
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
      openTrace(url.toLocalFile());
      event->acceptProposedAction();
      return;
    }
}

void MainWindow::closeEvent(QCloseEvent* event) {
  QSettings settings;
  settings.setValue(QStringLiteral("geometry"), saveGeometry());
  settings.setValue(QStringLiteral("state"), saveState(kStateVersion));
  settings.setValue(QStringLiteral("dark"), darkAction_->isChecked());
  event->accept();
}

}  // namespace rangescope::viewer
