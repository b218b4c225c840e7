#pragma once
// Why a rule matches the selected node at this step, or at which constraint of its pattern it fails.

#include <QWidget>

#include "viewer/controllers/background.h"
#include "viewer/controllers/explainer.h"

class QLabel;
class QLineEdit;
class QPlainTextEdit;

namespace rangescope::viewer {

class WhyPanel : public QWidget {
  Q_OBJECT

 public:
  explicit WhyPanel(QWidget* parent = nullptr);
  void setExplainer(RuleExplainer explainer);
  // What the question is about; node 0: none is selected, or it is no node of the trace.
  void setSubject(const ExplainRequest& subject, const QString& node);
  void ask();
  void focusLine();

  QLineEdit& rule() { return *rule_; }
  QPlainTextEdit& answer() { return *answer_; }

 signals:
  void left();  // the keys go back to the graph

 protected:
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  RuleExplainer explainer_;
  ExplainRequest subject_;
  QLabel* node_;
  QLineEdit* rule_;
  QPlainTextEdit* answer_;
  Background background_;  // last: its thread ends before what it uses
};

}  // namespace rangescope::viewer
