#pragma once
// An open trace. The reader lives on the background thread; the GUI thread holds copies of the small tables and gets
// pictures by signal.

#include <QDateTime>
#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <memory>
#include <vector>

#include "engine/trace/reader.h"
#include "viewer/canvas/scene_frame.h"
#include "viewer/canvas/scene_painter.h"
#include "viewer/controllers/background.h"
#include "viewer/model/diff_scene.h"
#include "viewer/model/failure.h"
#include "viewer/model/kernel_table_model.h"
#include "viewer/model/lesson.h"
#include "viewer/model/loop_nest.h"
#include "viewer/model/node_details.h"
#include "viewer/model/step_scene.h"

namespace rangescope::viewer {

// What the GUI keeps of a trace.
struct TraceSummary {
  QString path, program;
  bool complete = true;
  bool followed = false;  // it is still being written, as far as one can see, and grows
  std::vector<trace::Section> sections;
  std::vector<trace::Pass> passes;
  std::vector<KernelRow> kernels;
  int64_t matches = 0, nodes = 0, kernelGraph = 0;
  std::optional<Failure> failure;
};

// What a step is held against: another of this trace, which then is the one before, or one of the trace that is
// compared with this, which then is the one after.
struct DiffAgainst {
  StepAddress address;
  bool other = false;
  bool operator==(const DiffAgainst&) const = default;
};

// What a picture of two graphs says besides.
struct DiffText {
  DiffAgainst against;
  std::shared_ptr<const DiffLines> lines;
  std::array<size_t, kNodeChanges> counts{};
};

// One picture, ready to show.
struct StepPicture {
  StepScene scene;  // its graph has moved into the frame
  std::shared_ptr<const SceneFrame> frame;
  trace::RuleInfo rule;            // of the match; id 0: none
  int generation = 0;              // of the keys
  bool newKeys = false;            // keys are not those of the picture before: nothing glides, nothing stays selected
  std::vector<NodeMark> captures;  // the nodes that the rule's pattern names, where it matched
  std::optional<DiffText> diff;    // two graphs in one
};

// How often a rule fired in the whole trace, and the time that took.
struct RuleCount {
  int64_t fired = 0, ns = 0;
};

// Of a trace that is followed. Gone: no other process has it open any more, so that nothing will come.
enum class Recording : uint8_t { Grows, Quiet, Gone };

class TraceSession : public QObject {
  Q_OBJECT

 public:
  explicit TraceSession(QObject* parent = nullptr);
  ~TraceSession() override;

  void open(const QString& path);
  const TraceSummary& summary() const { return summary_; }
  bool isOpen() const { return open_; }
  bool busy() const { return background_.busy(); }
  std::optional<RunningJob> running() const { return background_.running(); }
  // From so many nodes in memory on all are dropped; for tests.
  void setMostStored(quint32 nodes);
  Recording recording() const { return recording_; }
  QDateTime lastCame() const { return lastCame_; }  // something new, of a trace that is followed
  // After how long without anything new a recording is called quiet; for tests.
  void setQuietAfter(int ms) { quietAfterMs_ = ms; }
  // Stops this job, whatever it is; stopped() follows.
  void cancel(const std::string& tag);
  // Known once rulesCounted() was emitted: going through a million matches is for after the first picture.
  std::optional<RuleCount> countOf(int64_t rule) const;

  // `measure`: what the kernel graph shows over its kernels, if anything. The latest request wins. `anchor`: the frame
  // on show, so that survivors stay where they are.
  void showStep(const StepAddress& address, const SceneFilters& filters, std::optional<Measure> measure,
                std::shared_ptr<const SceneFrame> anchor);
  // The step and what it is held against, in one picture.
  void showDiff(const StepAddress& address, const DiffAgainst& against, const SceneFilters& filters,
                std::shared_ptr<const SceneFrame> anchor);
  // The trace that DiffAgainst::other means.
  void openOther(const QString& path);
  // The loops of the graph on show, as pseudo-code.
  void showLoops();
  void showNode(quint32 key);
  // Under which key the graph on show has a node of the trace.
  void findKey(qlonglong number);
  // Where a lesson or bookmark stands: placeFound() follows, or placeNotFound().
  void findPlace(const LessonPlace& place);
  // Where a match stands: goTo(address) follows.
  void findMatch(qlonglong match);

 signals:
  void opened();
  // A trace that is still being written has more in it; the summary says what.
  void grew();
  void recordingChanged();
  // Its writer is done, and folds the log back once nobody holds the file any more: who has a reader of its own lets go
  // of it. grew() follows.
  void closing();
  void stopped(const QString& tag);
  void openFailed(const QString& message);
  void pictureReady(std::shared_ptr<const rangescope::viewer::StepPicture> picture);
  void pictureFailed(const QString& message);
  void nodeReady(const rangescope::viewer::NodeDetails& details);
  void keyFound(qlonglong number, quint32 key);
  void loopsReady(const rangescope::viewer::LoopNest& nest);
  void placeFound(const rangescope::viewer::StepAddress& address, const QString& op, int nth);
  void placeNotFound(const QString& message);
  void rulesCounted();
  void matchFound(const rangescope::viewer::StepAddress& address);

 private:
  // Touched on the background thread alone.
  struct OnThread;
  void countMore();
  void followSoon();
  void follow();
  void reopen();
  void take(TraceSummary summary);
  void nothingCame(bool gone);
  void somethingCame();
  TraceSummary summary_;
  std::vector<RuleCount> ruleCounts_;  // by rule
  bool counted_ = false, counting_ = false;
  bool open_ = false;
  QTimer follow_;
  QElapsedTimer came_;  // since something new did
  QDateTime lastCame_;
  Recording recording_ = Recording::Grows;
  int quietAfterMs_ = 30'000;
  int generation_ = 0;  // of the keys of the picture on show
  std::shared_ptr<OnThread> onThread_;
  Background background_;  // last: its thread ends before what it uses
};

}  // namespace rangescope::viewer
