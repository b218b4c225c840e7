#pragma once
// The selected node: what it is, who made it, what it reads and who reads it. Everything named there is a link.

#include <QTextBrowser>
#include <optional>

#include "viewer/model/node_details.h"

namespace rangescope::viewer {

class InspectorPanel : public QTextBrowser {
  Q_OBJECT

 public:
  explicit InspectorPanel(QWidget* parent = nullptr);
  void showNode(const NodeDetails& details);
  void showNothing();
  void themeChanged();  // links take their colour when the text is set

 signals:
  void nodeChosen(quint32 key);
  void matchChosen(qlonglong match);

 private:
  std::optional<NodeDetails> shown_;
};

}  // namespace rangescope::viewer
