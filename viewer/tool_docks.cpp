#include "viewer/tool_docks.h"

#include <QDockWidget>

#include "viewer/panels/pathology_panel.h"
#include "viewer/panels/provenance_panel.h"
#include "viewer/panels/query_panel.h"
#include "viewer/panels/rule_panel.h"
#include "viewer/panels/search_panel.h"

namespace rangescope::viewer {

ToolDocks::ToolDocks(QMainWindow& window, QDockWidget* below, QDockWidget* right, RulePanel& rules)
    : QObject(&window),
      search_(new SearchPanel(searching_, &window)),
      query_(new QueryPanel(querying_, &window)),
      pathologies_(new PathologyPanel(searching_, &window)),
      provenance_(new ProvenancePanel(&window)),
      why_(new WhyPanel(&window)) {
  searchDock_ = tabDock(window, tr("Search"), "searchDock", search_, below);
  queryDock_ = tabDock(window, tr("Query"), "queryDock", query_, searchDock_);
  pathologyDock_ = tabDock(window, tr("Pathologies"), "pathologiesDock", pathologies_, queryDock_);
  whyDock_ = tabDock(window, tr("Why not"), "whyDock", why_, pathologyDock_);
  provenanceDock_ = tabDock(window, tr("Provenance"), "provenanceDock", provenance_, right);
  provenanceDock_->show();
  right->raise();
  connectAll(rules);
}

void ToolDocks::connectAll(RulePanel& rules) {
  connect(search_, &SearchPanel::rowChosen, this, &ToolDocks::jump);
  connect(pathologies_, &PathologyPanel::rowChosen, this, &ToolDocks::jump);
  connect(provenance_, &ProvenancePanel::rowChosen, this, [this](const JumpRow& row) {
    walkingTo_ = row.node;
    jump(row);
  });
  connect(query_, &QueryPanel::chosen, this, &ToolDocks::follow);
  connect(search_, &SearchPanel::left, this, &ToolDocks::keysToGraph);
  connect(query_, &QueryPanel::left, this, &ToolDocks::keysToGraph);
  connect(pathologies_, &PathologyPanel::left, this, &ToolDocks::keysToGraph);
  connect(why_, &WhyPanel::left, this, &ToolDocks::keysToGraph);
  connect(&searching_, &SearchController::provenanceFound, provenance_, &ProvenancePanel::showPath);
  connect(&searching_, &SearchController::provenanceFailed, provenance_, &ProvenancePanel::showMessage);
  connect(&searching_, &SearchController::firingFound, this, &ToolDocks::goTo);
  connect(&searching_, &SearchController::placeFound, this, &ToolDocks::goTo);
  connect(&searching_, &SearchController::noMoreFirings, this,
          [this](const QString& rule) { emit said(tr("There is no further firing of %1 that way.").arg(rule)); });
  connect(&rules, &RulePanel::firingWanted, &searching_, &SearchController::findFiring);
  connect(&rules, &RulePanel::firingsWanted, this, [this](const QString& rule) {
    searchFor(firingsQuery(rule));
    search_->focusLine();
  });
  // what was asked while the panel was behind another
  connect(provenanceDock_, &QDockWidget::visibilityChanged, this, [this](bool visible) {
    provenanceVisible_ = visible;
    if (visible) followNode();
  });
}

void ToolDocks::open(QDockWidget* dock) {
  bringUp(dock);
  if (dock == searchDock_) search_->focusLine();
  if (dock == queryDock_) query_->focusEditor();
  if (dock == pathologyDock_) pathologies_->focusTable();
  if (dock == whyDock_) {
    updateSubject();
    why_->focusLine();
  }
}

void ToolDocks::open(const QString& panel) {
  for (QDockWidget* d : {searchDock_, queryDock_, pathologyDock_, provenanceDock_, whyDock_})
    if (d->widget()->objectName() == panel) open(d);
}

void ToolDocks::searchFor(const QString& query) {
  bringUp(searchDock_);
  search_->searchFor(query);
}

void ToolDocks::addActions(const AddAction& add) {
  add(tr("Search everything"), {QKeySequence(Qt::Key_Slash), QKeySequence(Qt::CTRL | Qt::Key_K)},
      [this] { open(searchDock_); });
  add(tr("Query in SQL"), {QKeySequence(Qt::Key_Q)}, [this] { open(queryDock_); });
  add(tr("Pathologies"), {QKeySequence(Qt::Key_X)}, [this] { open(pathologyDock_); });
  add(tr("Next firing of this rule"), {QKeySequence(Qt::Key_N)}, [this] { searching_.findFiring(match_, 1); });
  add(tr("Firing of this rule before"), {QKeySequence(Qt::SHIFT | Qt::Key_N)},
      [this] { searching_.findFiring(match_, -1); });
  add(tr("All firings of this rule"), {QKeySequence(Qt::Key_L)}, [this] {
    if (match_ == 0) {
      emit said(tr("No match is on show: step to one first (Right)."));
      return;
    }
    searchFor(firingsQuery(rule_));
    search_->focusLine();
  });
  add(tr("Why a rule did not match here"), {QKeySequence(Qt::Key_W)}, [this] { open(whyDock_); });
  add(tr("Provenance of the node"), {QKeySequence(Qt::Key_O)}, [this] {
    bringUp(provenanceDock_);
    if (number_ == 0) emit said(tr("Select a node first: its provenance is shown here."));
  });
  add(tr("Where the node came from"), {QKeySequence(Qt::ALT | Qt::Key_Up)}, [this] { provenance_->walk(-1); });
  add(tr("What became of the node"), {QKeySequence(Qt::ALT | Qt::Key_Down)}, [this] { provenance_->walk(1); });
}

void ToolDocks::traceOpened(const QString& path) {
  path_ = path;
  match_ = 0;
  clearNode();
  searching_.open(path);
  querying_.open(path);
  search_->traceOpened();
  query_->traceOpened();
  pathologies_->traceOpened();
}

void ToolDocks::traceClosing() {
  searching_.close();
  querying_.open(path_);
}

void ToolDocks::traceComplete() {
  searching_.open(path_);
}

void ToolDocks::showPicture(const StepPicture& picture) {
  address_ = picture.scene.address;
  match_ = picture.scene.match ? picture.scene.match->id : 0;
  rule_ = QString::fromStdString(picture.rule.name);
  updateSubject();
}

void ToolDocks::showNode(const NodeDetails& details) {
  const bool same = number_ == details.number;
  number_ = details.number;
  node_ = QString::fromStdString(details.op) + QStringLiteral(" ") + QString::fromStdString(details.dtype);
  if (number_ != 0) node_ += tr("  node %1").arg(number_);
  updateSubject();
  // on the way along a path the node that was selected before is shown once more
  if (walkingTo_ == 0 && !same) followNode();
  if (walkingTo_ == number_) walkingTo_ = 0;
}

void ToolDocks::clearNode() {
  number_ = 0;
  node_.clear();
  updateSubject();
}

void ToolDocks::updateSubject() {
  why_->setSubject({path_.toStdString(), address_.pass, address_.step, number_, {}}, node_);
}

// Following a node through all passes costs some tenths of a second: only for who looks.
void ToolDocks::followNode() {
  if (!provenanceVisible_) return;
  if (number_ == 0) {
    if (!node_.isEmpty())
      provenance_->showMessage(
          tr("this node was rebuilt around a new source at this step only, and has no number in the trace. Its sources "
             "say more."));
    return;
  }
  searching_.findProvenance(number_);
}

void ToolDocks::themeChanged() {
  search_->themeChanged();
  provenance_->themeChanged();
}

void ToolDocks::jump(const JumpRow& row) {
  if (row.item != 0)
    emit goToItem(row.item);
  else if (row.place.pass != 0)
    emit goTo(row.place, row.node);
}

void ToolDocks::follow(const ResultModel::Target& target) {
  switch (target.link) {
    case ResultModel::Link::Pass:
      if (target.step >= 0)
        emit goTo({target.number, target.step}, 0);
      else
        emit goToPass(target.number);
      break;
    case ResultModel::Link::Match:
      emit goToMatch(target.number);
      break;
    case ResultModel::Link::Node:
      searching_.findPlace(target.number);
      break;
    case ResultModel::Link::Item:
      emit goToItem(target.number);
      break;
    case ResultModel::Link::None:
      break;
  }
}

}  // namespace rangescope::viewer
