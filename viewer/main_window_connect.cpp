// What follows from what in the window.

#include <QDockWidget>
#include <QStatusBar>

#include "viewer/canvas/graph_canvas.h"
#include "viewer/diff_dock.h"
#include "viewer/kernel_docks.h"
#include "viewer/kernel_workshop.h"
#include "viewer/lesson_dock.h"
#include "viewer/main_window.h"
#include "viewer/panels/inspector_panel.h"
#include "viewer/panels/job_bar.h"
#include "viewer/panels/kernel_panel.h"
#include "viewer/panels/loops_panel.h"
#include "viewer/panels/message_bar.h"
#include "viewer/panels/pass_tree_panel.h"
#include "viewer/panels/rule_panel.h"
#include "viewer/panels/timeline_bar.h"
#include "viewer/script_dock.h"
#include "viewer/tool_docks.h"
#include "viewer/what_if_dock.h"

namespace rangescope::viewer {

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
    diff_->showFailure(message);
    showMessage(message);
    emit pictureShown();
  });
  connect(&session_, &TraceSession::grew, this, &MainWindow::traceGrew);
  connect(&session_, &TraceSession::recordingChanged, this, &MainWindow::recordingChanged);
  connect(&session_, &TraceSession::closing, tools_, &ToolDocks::traceClosing);
  connect(&session_, &TraceSession::stopped, this, &MainWindow::jobStopped);
  watchJobs();
  connect(rulePanel_, &RulePanel::sourceWanted, this, &MainWindow::openSource);
  connect(&session_, &TraceSession::rulesCounted, this, &MainWindow::showRule);
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
  connect(canvas_, &GraphCanvas::selectionCleared, inspector_, &InspectorPanel::showNothing);
  connect(inspector_, &InspectorPanel::nodeChosen, this, &MainWindow::showNodeOf);
  connect(inspector_, &InspectorPanel::matchChosen, &session_, &TraceSession::findMatch);
  connect(messageBar_, &MessageBar::goTo, this, &MainWindow::goTo);
  connectKernels();
  connectTools();
  connectDiff();
  connectStudy();
  connectChildren();
}

// What runs in processes of its own.
void MainWindow::connectChildren() {
  connect(rulePanel_, &RulePanel::whatIfWanted, whatIf_, &WhatIfDock::askAbout);
  connect(whatIf_, &WhatIfDock::compareWith, this, &MainWindow::compareWith);
  connect(whatIf_, &WhatIfDock::timesKnown, diff_, &DiffDock::timesOf);
  connect(whatIf_, &WhatIfDock::openTrace, this, &MainWindow::openTrace);
  connect(whatIf_, &WhatIfDock::keysToGraph, this, [this] { canvas_->setFocus(); });
  connect(workshop_, &KernelWorkshop::keysToGraph, this, [this] { canvas_->setFocus(); });
  connect(script_, &ScriptDock::openTrace, this, &MainWindow::openTrace);
  connect(script_, &ScriptDock::said, this, [this](const QString& message) { statusBar()->showMessage(message); });
  connect(script_, &ScriptDock::keysToGraph, this, [this] { canvas_->setFocus(); });
}

void MainWindow::jobStopped(const QString& tag) {
  if (tag == QLatin1String("open")) {
    if (session_.isOpen())
      statusBar()->showMessage(tr("Stopped. The trace that was open stays."));
    else
      showMessage(tr("Stopped.\n\nOpen another trace (Ctrl+O), or drop one here."));
  } else if (tag == QLatin1String("step")) {
    shown_ = navigator_.address();
    canvas_->setMessage({});
    statusBar()->showMessage(tr("Stopped. What was on show before stays; Left and Right go on."));
    emit pictureShown();
  } else {
    statusBar()->showMessage(tr("Stopped."));
  }
}

// What may take longer than a moment. Searches and queries say it in their own panels.
void MainWindow::watchJobs() {
  const auto watch = [this](auto& source, std::map<std::string, QString> texts,
                            std::function<void(const std::string&)> cancel) {
    jobs_->watch({[&source] { return source.running(); }, std::move(texts), std::move(cancel)});
  };
  watch(session_,
        {{"open", tr("Opening the trace")},
         {"step", tr("Drawing the graph")},
         {"other", tr("Opening the other trace")},
         {"loops", tr("Writing the loops")},
         {"node", tr("Reading the node")},
         {"place", tr("Looking for the step")}},
        [this](const std::string& tag) { session_.cancel(tag); });
  watch(tools_->searching(),
        {{"pathologies", tr("Looking for pathologies")},
         {"provenance", tr("Following the node")},
         {"place", tr("Looking for the node")},
         {"firing", tr("Looking for the next firing")}},
        [this](const std::string& tag) { tools_->searching().stop(tag); });
  watch(diff_->controller(), {{"compare", tr("Comparing the traces")}},
        [this](const std::string&) { diff_->controller().cancel(); });
  watch(kernelDocks_->controller(), {{"load", tr("Reading the dispatches")}},
        [this](const std::string&) { kernelDocks_->controller().cancel(); });
  watch(*lessons_, {{"record", tr("Recording the lesson's program")}},
        [this](const std::string&) { lessons_->cancel(); });
  watch(exporting_, {{"export", tr("Writing the picture")}},
        [this](const std::string& tag) { exporting_.cancel(tag); });
}

// A kernel that is selected in one place is selected in all: graph, table, timeline, roofline.
void MainWindow::connectKernels() {
  connect(canvas_, &GraphCanvas::nodeClicked, this, [this](quint32 key) {
    for (const auto& [item, node] : items_)
      if (node == key) {
        kernels_->showItem(item);
        kernelDocks_->select(item);
      }
  });
  const auto opens = [this](qlonglong item) {
    wantedItem_ = item;
    goToKernelGraph();
    showItem(item);
  };
  connect(kernels_, &KernelPanel::itemChosen, this, &MainWindow::showItem);
  connect(kernels_, &KernelPanel::itemChosen, kernelDocks_, &KernelDocks::select);
  connect(kernels_, &KernelPanel::itemActivated, this, opens);
  connect(kernelDocks_, &KernelDocks::itemChosen, kernels_, &KernelPanel::showItem);
  connect(kernelDocks_, &KernelDocks::itemChosen, this, &MainWindow::showItem);
  connect(kernelDocks_, &KernelDocks::itemActivated, this, opens);
  connect(kernelDocks_, &KernelDocks::keysToGraph, this, [this] { canvas_->setFocus(); });
}

void MainWindow::connectDiff() {
  connect(diff_, &DiffDock::changed, this, &MainWindow::refreshPicture);
  connect(diff_, &DiffDock::goTo, this, [this](const StepAddress& address) {
    navigator_.pause();
    navigator_.go(address);
  });
  connect(diff_, &DiffDock::nodeChosen, this, &MainWindow::showNodeOf);
  connect(diff_, &DiffDock::itemChosen, this, [this](qlonglong item) {
    kernels_->showItem(item);
    kernelDocks_->select(item);
    showItem(item);
  });
  connect(diff_, &DiffDock::keysToGraph, this, [this] { canvas_->setFocus(); });
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

// Lessons, and the loops beside the graph.
void MainWindow::connectStudy() {
  connect(lessons_, &LessonDock::openTrace, this, &MainWindow::openTrace);
  connect(lessons_, &LessonDock::said, this, [this](const QString& message) { statusBar()->showMessage(message); });
  connect(lessons_, &LessonDock::goTo, this, [this](const StepAddress& address, const QString& op, int nth) {
    lessonWaits_ = true;
    wantedOp_ = op.toStdString();
    wantedNth_ = nth;
    navigator_.pause();
    navigator_.go(address);
    if (shown_ == navigator_.address()) showLessonPlace();  // there already
  });
  connect(lessons_, &LessonDock::look, this, [this](bool lens, const QString& panel) {
    if (lensAction_->isChecked() != lens) {
      shown_ = {};  // what is on show does not look like that: the step waits for the next picture
      setLens(lens);
    }
    if (!panel.isEmpty()) openPanel(panel);
  });
  connect(loopsDock_, &QDockWidget::visibilityChanged, this, [this](bool visible) {
    loopsVisible_ = visible;
    if (visible && picture_) session_.showLoops();
  });
  connect(&session_, &TraceSession::loopsReady, loops_, [this](const LoopNest& nest) {
    loops_->showLoops(nest);
    if (const auto selected = canvas_->selected()) loops_->selectNode(*selected);
  });
  connect(loops_, &LoopsPanel::nodeChosen, this, &MainWindow::showNodeOf);
  connect(loops_, &LoopsPanel::left, this, [this] { canvas_->setFocus(); });
  connect(canvas_, &GraphCanvas::nodeClicked, loops_, &LoopsPanel::selectNode);
}

}  // namespace rangescope::viewer
