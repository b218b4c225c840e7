#pragma once
// The window: wires the panels to the session and the navigator. What the panels do stands in their own files.

#include <QMainWindow>
#include <functional>
#include <map>

#include "viewer/controllers/child_program.h"
#include "viewer/controllers/explainer.h"
#include "viewer/controllers/navigator.h"
#include "viewer/controllers/places.h"
#include "viewer/controllers/rule_source.h"
#include "viewer/controllers/trace_session.h"
#include "viewer/model/pass_tree_model.h"

class QAction;
class QDockWidget;
class QLabel;

namespace rangescope::viewer {

class DiffDock;
class GraphCanvas;
class InspectorPanel;
class KernelDocks;
class KernelPanel;
class KernelWorkshop;
class LessonDock;
class JobBar;
class LoopsPanel;
class MessageBar;
class PassTreePanel;
class RulePanel;
class ScriptDock;
class TimelineBar;
class ToolDocks;
class WhatIfDock;

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  explicit MainWindow(QWidget* parent = nullptr);
  ~MainWindow() override;

  void openTrace(const QString& path);
  // Once the trace is open, goes there instead of where it would start; pass 0: the start, step below 0: the end of the
  // pass.
  void startAt(int64_t pass, int64_t step);
  // Goes there and selects the node with this number (0: none) once it is on show.
  void goTo(const StepAddress& address, qlonglong node);
  void setExplainer(RuleExplainer explainer);
  // Where the sources of the engine are: rules lead there.
  void setSources(const std::string& root) { sourceRoot_ = root; }
  // What records and runs for the window.
  void setChildProgram(const ChildProgram& program);
  // A trace is opened; a script, a model or programs are recorded, and what comes of it is opened.
  void openFile(const QString& path);
  // Opens another trace beside the open one, at the first pass and match where they part.
  void compareWith(const QString& path);
  // The last picture asked for is on the canvas.
  bool settled() const { return shown_ == navigator_.address() && !session_.busy(); }

  GraphCanvas& canvas() { return *canvas_; }
  Navigator& navigator() { return navigator_; }
  TraceSession& session() { return session_; }
  PassTreePanel& passTree() { return *passTree_; }
  InspectorPanel& inspector() { return *inspector_; }
  RulePanel& rulePanel() { return *rulePanel_; }
  TimelineBar& timeline() { return *timeline_; }
  KernelPanel& kernels() { return *kernels_; }
  ToolDocks& tools() { return *tools_; }
  DiffDock& diff() { return *diff_; }
  LessonDock& lessons() { return *lessons_; }
  WhatIfDock& whatIf() { return *whatIf_; }
  KernelWorkshop& workshop() { return *workshop_; }
  ScriptDock& script() { return *script_; }
  LoopsPanel& loops() { return *loops_; }
  JobBar& jobs() { return *jobs_; }
  // "rule", "node", "kernels", "loops", "lessons", "diff" (of the step with the input of its pass), "whatif", "script",
  // "values"; others are not known.
  void openPanel(const QString& panel);
  // Opens a trace where one looked last in it, and keeps where one looks.
  void setRemembersPlaces(bool on) { remembersPlaces_ = on; }
  void setLens(bool on);
  // Of a trace that is being recorded the newest match is on show, whenever one comes.
  void setFollowing(bool on);
  void setDark(bool dark);
  KernelDocks& kernelDocks() { return *kernelDocks_; }
  MessageBar& messageBar() { return *messageBar_; }

 signals:
  void pictureShown();

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void closeEvent(QCloseEvent* event) override;

 private:
  void buildDocks();
  void buildMenus();
  void connectAll();
  QAction* action(class QMenu* menu, const QString& text, const QList<QKeySequence>& keys, std::function<void()> does);
  void traceOpened();
  void traceGrew();
  void recordingChanged();
  void begin();
  void showStatus();
  void jobStopped(const QString& tag);
  void watchJobs();
  void show(const StepAddress& address);
  void showPicture(const std::shared_ptr<const StepPicture>& picture);
  void refreshPicture();
  void setTimes(bool on);
  void setMeasure(Measure measure);
  std::optional<Measure> measure() const { return times_ ? std::optional(measure_) : std::nullopt; }
  void chooseFile();
  void exportView();
  void goToKernelGraph();
  void showItem(qlonglong item);  // selects its node, where the kernel graph is on show
  void showKeys();
  void showMessage(const QString& message);
  void connectTools();
  void connectDiff();
  void connectKernels();
  void connectStudy();
  void connectChildren();
  void showLessonPlace();
  void showLegend();
  void requestPicture();
  void rememberPlace();
  void showMarks();
  void showRule();
  void openSource();
  void chooseOther();
  void showNodeOf(quint32 key);
  void showKey(qlonglong number, quint32 key);

  PassTreeModel passes_;
  Navigator navigator_;
  TraceSession session_;
  std::shared_ptr<const StepPicture> picture_;  // on show
  SceneFilters filters_;
  bool times_ = true, captures_ = true, remembersPlaces_ = false;
  Places places_;
  Measure measure_ = Measure::Time;
  std::vector<std::pair<int64_t, uint32_t>> items_;  // of the picture: schedule item, key
  qlonglong wantedItem_ = 0;                         // to be selected once the kernel graph is on show
  qlonglong wantedNode_ = 0;                         // the same of a node of the trace
  StepAddress shown_;
  int64_t shownPass_ = 0;  // of the picture on show; 0: none
  StepAddress start_{0, -1};
  bool startGiven_ = false;

  GraphCanvas* canvas_;
  TimelineBar* timeline_;
  PassTreePanel* passTree_;
  InspectorPanel* inspector_;
  RulePanel* rulePanel_;
  KernelPanel* kernels_;
  QDockWidget* kernelDock_ = nullptr;
  ToolDocks* tools_ = nullptr;
  DiffDock* diff_ = nullptr;
  KernelDocks* kernelDocks_ = nullptr;
  LessonDock* lessons_ = nullptr;
  WhatIfDock* whatIf_ = nullptr;
  ScriptDock* script_ = nullptr;
  KernelWorkshop* workshop_ = nullptr;
  LoopsPanel* loops_;
  QDockWidget* loopsDock_ = nullptr;
  QAction* lensAction_ = nullptr;
  QAction* followAction_ = nullptr;
  JobBar* jobs_;
  bool loopsVisible_ = false;
  bool lessonWaits_ = false;  // for its step to be on show
  std::string wantedOp_;      // of a node to be selected then, the nth of it
  int wantedNth_ = 1;
  MessageBar* messageBar_;
  QLabel* status_;
  QAction* timesAction_ = nullptr;
  QAction* darkAction_ = nullptr;
  QAction* mapAction_ = nullptr;
  QAction* backAction_ = nullptr;
  QAction* forwardAction_ = nullptr;
  QList<QAction*> keyed_;  // every action with a key, for the list of keys
  std::string sourceRoot_;
  std::map<std::string, std::optional<RuleSource>> ruleSources_;  // by name; what was looked for
  Background exporting_;                                          // last: their threads end before what they use
  Background finding_;
};

}  // namespace rangescope::viewer
