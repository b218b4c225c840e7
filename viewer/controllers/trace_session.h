#pragma once
// An open trace. The reader lives on the background thread; the GUI thread holds copies of the small tables and gets
// pictures by signal.

#include <QObject>
#include <memory>
#include <vector>

#include "engine/trace/reader.h"
#include "viewer/canvas/scene_frame.h"
#include "viewer/controllers/background.h"
#include "viewer/model/kernel_table_model.h"
#include "viewer/model/node_details.h"
#include "viewer/model/step_scene.h"

namespace rangescope::viewer {

// What the GUI keeps of a trace.
struct TraceSummary {
  QString path, program;
  bool complete = true;
  std::vector<trace::Section> sections;
  std::vector<trace::Pass> passes;
  std::vector<trace::RuleInfo> rules;
  std::vector<trace::TraceError> errors;
  std::vector<KernelRow> kernels;
  int64_t matches = 0, nodes = 0, kernelGraph = 0;
  StepAddress errorStep;  // where the rule that refused the graph stands; pass 0: none did
};

// One picture, ready to show.
struct StepPicture {
  StepScene scene;  // its graph has moved into the frame
  std::shared_ptr<const SceneFrame> frame;
  trace::RuleInfo rule;   // of the match; id 0: none
  int64_t ruleFired = 0;  // times in the trace
  int64_t ruleNs = 0;
};

class TraceSession : public QObject {
  Q_OBJECT

 public:
  explicit TraceSession(QObject* parent = nullptr);
  ~TraceSession() override;

  void open(const QString& path);
  const TraceSummary& summary() const { return summary_; }
  bool isOpen() const { return open_; }
  bool busy() const { return background_.busy(); }

  // `measure`: what the kernel graph shows over its kernels, if anything. The latest request wins. `anchor`: the frame
  // on show, so that survivors stay where they are.
  void showStep(const StepAddress& address, const SceneFilters& filters, std::optional<Measure> measure,
                std::shared_ptr<const SceneFrame> anchor);
  void showNode(quint32 key);
  // Under which key the graph on show has a node of the trace.
  void findKey(qlonglong number);
  // Where a match stands: goTo(address) follows.
  void findMatch(qlonglong match);

 signals:
  void opened();
  void openFailed(const QString& message);
  void pictureReady(std::shared_ptr<const rangescope::viewer::StepPicture> picture);
  void pictureFailed(const QString& message);
  void nodeReady(const rangescope::viewer::NodeDetails& details);
  void keyFound(qlonglong number, quint32 key);
  void matchFound(const rangescope::viewer::StepAddress& address);

 private:
  // Touched on the background thread alone.
  struct OnThread;
  TraceSummary summary_;
  bool open_ = false;
  std::shared_ptr<OnThread> onThread_;
  Background background_;  // last: its thread ends before what it uses
};

}  // namespace rangescope::viewer
