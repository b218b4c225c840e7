#pragma once
// Search, provenance and pathologies of the open trace, on a thread and with a reader of their own, so that stepping
// goes on meanwhile. The index is read while nobody asks for anything.

#include <QObject>
#include <memory>
#include <vector>

#include "engine/trace/pathologies.h"
#include "viewer/controllers/background.h"
#include "viewer/model/jump_model.h"

namespace rangescope::viewer {

// The search for all steps where a rule fired.
inline QString firingsQuery(const QString& rule) {
  return QStringLiteral("rule:\"=%1\" is:step").arg(rule);
}

inline StepAddress addressOf(const trace::Place& place) {
  return {place.pass, place.step};
}

struct PathRows {
  std::vector<JumpRow> rows;
  int self = 0;      // the row of the node itself
  bool cut = false;  // there is more
};

class SearchController : public QObject {
  Q_OBJECT

 public:
  explicit SearchController(QObject* parent = nullptr);
  ~SearchController() override;

  void open(const QString& path);
  // The trace is being recorded and has more in it: who asks next is answered from all of it.
  void grew();
  // Lets go of the file: its writer folds its log back.
  void close();
  // The latest query wins; a mistake in it is answered by refused().
  void search(const QString& words);
  void cancel();
  void findProvenance(qlonglong node);
  void findPathologies();
  // Where a node is seen first.
  void findPlace(qlonglong node);
  // The firing of the same rule before or after this match.
  void findFiring(qlonglong match, int direction);
  bool busy() const { return background_.busy(); }
  bool searching() const { return searching_; }
  std::optional<RunningJob> running() const { return background_.running(); }
  void stop(const std::string& tag);

 signals:
  void indexing(double progress);  // 1: complete
  void outdated();                 // what was found is of a trace that has grown since
  void searchStarted();
  void hitsFound(const std::vector<rangescope::viewer::JumpRow>& rows);
  void searchProgress(double progress, bool indexing);
  void searchDone(const QString& said, int hits);
  void refused(const QString& message);
  void provenanceFound(const rangescope::viewer::PathRows& path);
  void provenanceFailed(const QString& message);
  void pathologiesProgress(double progress);
  void pathologiesFound(std::shared_ptr<const rangescope::trace::Pathologies> found);
  void pathologiesFailed(const QString& message);
  void firingFound(const rangescope::viewer::StepAddress& address, qlonglong node);
  void placeFound(const rangescope::viewer::StepAddress& address, qlonglong node);
  void noMoreFirings(const QString& rule);

 private:
  struct OnThread;  // touched on the background thread alone
  void prepareMore();
  void requestPathologies();

  std::shared_ptr<OnThread> onThread_;
  bool searching_ = false, pathologiesWanted_ = false;
  Background background_;  // last: its thread ends before what it uses
};

}  // namespace rangescope::viewer
