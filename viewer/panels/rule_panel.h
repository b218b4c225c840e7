#pragma once
// The rule that fired: what it does, its pattern as a small tree, where the reference has it, how often it fires and
// what it costs.

#include <QTextBrowser>

#include "viewer/controllers/trace_session.h"

namespace rangescope::viewer {

class RulePanel : public QTextBrowser {
  Q_OBJECT

 public:
  explicit RulePanel(QWidget* parent = nullptr);
  void showPicture(const StepPicture& picture);
  void showNothing();
};

// A rule's pattern (JSON of the trace) as indented lines of HTML. Bounded in depth: it may come from a stranger.
QString patternHtml(const std::string& json);

}  // namespace rangescope::viewer
