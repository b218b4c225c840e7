#include "viewer/panels/provenance_panel.h"

#include <QGuiApplication>
#include <QKeyEvent>
#include <QPalette>
#include <QUrl>

#include "viewer/model/qt_text.h"

namespace rangescope::viewer {

ProvenancePanel::ProvenancePanel(QWidget* parent) : QTextBrowser(parent) {
  setObjectName(QStringLiteral("provenance"));
  setFrameShape(QFrame::NoFrame);
  setOpenLinks(false);
  connect(this, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) { choose(url.path().toInt()); });
  showMessage(tr("Click a node: the rewrites that made it stand here, from the program's graph on to the kernels."));
}

void ProvenancePanel::showMessage(const QString& message) {
  path_ = {};
  message_ = sentence(message);
  render();
}

void ProvenancePanel::showPath(const PathRows& path) {
  path_ = path;
  current_ = path.self;
  message_.clear();
  render();
}

void ProvenancePanel::themeChanged() {
  render();
}

void ProvenancePanel::walk(int direction) {
  const int next = current_ + direction;
  if (next >= 0 && next < static_cast<int>(path_.rows.size())) choose(next);
}

void ProvenancePanel::choose(int row) {
  if (row < 0 || row >= static_cast<int>(path_.rows.size())) return;
  current_ = row;
  render();
  emit rowChosen(path_.rows[static_cast<size_t>(row)]);
}

void ProvenancePanel::render() {
  if (!message_.isEmpty()) {
    setHtml(QStringLiteral("<p><i>%1</i></p>").arg(message_.toHtmlEscaped()));
    return;
  }
  QString s = QStringLiteral("<table cellspacing='0' cellpadding='3' width='100%'>");
  for (int i = 0; i < static_cast<int>(path_.rows.size()); ++i) {
    const JumpRow& r = path_.rows[static_cast<size_t>(i)];
    const bool here = i == current_;
    const QString shade =
        here ? QStringLiteral(" bgcolor='%1'").arg(QGuiApplication::palette().alternateBase().color().name())
             : QString();
    QString what = r.cells.value(1).toHtmlEscaped();
    if (r.leadsAnywhere()) what = QStringLiteral("<a name='row%1' href='row:%1'>%2</a>").arg(i).arg(what);
    if (here) what = QStringLiteral("<b>%1</b>").arg(what);
    QString how = r.cells.value(0).toHtmlEscaped();
    if (const QString where = r.cells.value(2); !where.isEmpty()) how += QStringLiteral(", ") + where.toHtmlEscaped();
    s += QStringLiteral("<tr><td width='16'%1>%2</td><td%1>%3<br><small>%4</small></td></tr>")
             .arg(shade,
                  here     ? QStringLiteral("▶")
                  : i == 0 ? QStringLiteral("•")
                           : QStringLiteral("↓"),
                  what, how);
  }
  s += QStringLiteral("</table>");
  if (path_.cut) s += tr("<p><i>The path goes on: only this much was followed.</i></p>");
  setHtml(s);
  scrollToAnchor(QStringLiteral("row%1").arg(current_));
}

bool ProvenancePanel::event(QEvent* event) {
  // Tab walks the links, Return follows one
  if (event->type() == QEvent::ShortcutOverride) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Return || key == Qt::Key_Enter) event->accept();
  }
  return QTextBrowser::event(event);
}

}  // namespace rangescope::viewer
