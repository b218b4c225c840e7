#pragma once
// The rule that fired: what it does, its pattern as a small tree, where the reference has it, how often it fires and
// what it costs, and its other firings.

#include <QTextBrowser>
#include <QUrl>

#include "viewer/controllers/rule_source.h"
#include "viewer/controllers/trace_session.h"

namespace rangescope::viewer {

class RulePanel : public QTextBrowser {
  Q_OBJECT

 public:
  explicit RulePanel(QWidget* parent = nullptr);
  // `count`: of its rule; none: not counted yet. `source`: in the engine, where that is known.
  void showPicture(const StepPicture& picture, const std::optional<RuleCount>& count,
                   const std::optional<RuleSource>& source = {});
  void showNothing();
  void themeChanged();  // links take their colour when the text is set

 signals:
  void firingsWanted(const QString& rule);            // all of them
  void whatIfWanted(const QString& rule);             // what if it did not fire
  void sourceWanted();                                // in an editor
  void firingWanted(qlonglong match, int direction);  // the next one or the one before

 private:
  void follow(const QUrl& url);
  void say(const QString& html);
  QString rule_, html_;
  qlonglong match_ = 0;
};

// A rule's pattern (JSON of the trace) as indented lines of HTML. Bounded in depth: it may come from a stranger. Names
// that are lit in the graph have the colour that they have there.
QString patternHtml(const std::string& json, const std::vector<NodeMark>& lit = {});

}  // namespace rangescope::viewer
