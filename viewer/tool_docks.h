#pragma once
// The panels that look through the whole trace: search, query, pathologies, provenance, why a rule did not match. Their
// docks, their keys, and what leads from them into the graph.

#include "viewer/controllers/query_controller.h"
#include "viewer/controllers/search_controller.h"
#include "viewer/controllers/trace_session.h"
#include "viewer/docks.h"
#include "viewer/model/result_model.h"
#include "viewer/panels/why_panel.h"

namespace rangescope::viewer {

class PathologyPanel;
class ProvenancePanel;
class QueryPanel;
class RulePanel;
class SearchPanel;

class ToolDocks : public QObject {
  Q_OBJECT

 public:
  // Docked as tabs beside these two.
  ToolDocks(QMainWindow& window, QDockWidget* below, QDockWidget* right, RulePanel& rules);

  void addActions(const AddAction& add);

  void traceOpened(const QString& path);
  void traceGrew() { searching_.grew(); }
  // The recording that is followed ends: its file is let go of, and looked through anew once it is whole.
  void traceClosing();
  void traceComplete();
  void showPicture(const StepPicture& picture);
  void showNode(const NodeDetails& details);
  void clearNode();
  void stopWalking() { walkingTo_ = 0; }
  void themeChanged();
  void setExplainer(RuleExplainer explainer) { why_->setExplainer(std::move(explainer)); }

  // By name: search, query, pathologies, provenance, why; the keys go there. Others are not known, and nothing is
  // opened.
  void open(const QString& panel);
  void searchFor(const QString& query);
  bool busy() const { return searching_.busy() || querying_.running(); }

  SearchPanel& search() { return *search_; }
  QueryPanel& query() { return *query_; }
  PathologyPanel& pathologies() { return *pathologies_; }
  ProvenancePanel& provenance() { return *provenance_; }
  WhyPanel& why() { return *why_; }
  SearchController& searching() { return searching_; }

 signals:
  void goTo(const rangescope::viewer::StepAddress& address, qlonglong node);
  void goToItem(qlonglong item);
  void goToPass(qlonglong pass);
  void goToMatch(qlonglong match);
  void keysToGraph();
  void said(const QString& message);  // for the status bar

 private:
  void connectAll(RulePanel& rules);
  void open(QDockWidget* dock);
  void jump(const JumpRow& row);
  void follow(const ResultModel::Target& target);
  void updateSubject();
  void followNode();

  SearchController searching_;
  QueryController querying_;
  SearchPanel* search_;
  QueryPanel* query_;
  PathologyPanel* pathologies_;
  ProvenancePanel* provenance_;
  WhyPanel* why_;
  QDockWidget *searchDock_, *queryDock_, *pathologyDock_, *provenanceDock_, *whyDock_;
  QString path_, node_, rule_;
  StepAddress address_;
  qlonglong match_ = 0, number_ = 0;  // of the match on show, of the selected node; 0: none
  bool provenanceVisible_ = false;    // not behind another tab
  qlonglong walkingTo_ = 0;           // on the path of the panel, which stays as it is meanwhile
};

}  // namespace rangescope::viewer
