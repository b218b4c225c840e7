#include "viewer/panels/inspector_panel.h"

#include <QUrl>

namespace rangescope::viewer {

namespace {

QString escaped(const std::string& s) {
  return QString::fromStdString(s).toHtmlEscaped();
}

QString row(const QString& name, const std::string& value) {
  if (value.empty()) return {};
  return QStringLiteral("<tr><td style='padding-right:10px'><i>%1</i></td><td>%2</td></tr>").arg(name, escaped(value));
}

QString list(const QString& title, const std::vector<NodeRef>& refs) {
  if (refs.empty()) return {};
  QString s = QStringLiteral("<p><b>%1</b></p><table>").arg(title);
  for (size_t i = 0; i < refs.size(); ++i)
    s += QStringLiteral("<tr><td style='padding-right:8px'>%1</td><td><a href='node:%2'>%3</a></td></tr>")
             .arg(i)
             .arg(refs[i].key)
             .arg(escaped(refs[i].text));
  return s + QStringLiteral("</table>");
}

}  // namespace

InspectorPanel::InspectorPanel(QWidget* parent) : QTextBrowser(parent) {
  setOpenLinks(false);
  setObjectName(QStringLiteral("inspector"));
  setFrameShape(QFrame::NoFrame);
  connect(this, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) {
    if (url.scheme() == QLatin1String("node")) emit nodeChosen(url.path().toUInt());
    if (url.scheme() == QLatin1String("match")) emit matchChosen(url.path().toLongLong());
  });
  showNothing();
}

void InspectorPanel::themeChanged() {
  if (shown_) showNode(NodeDetails(*shown_));
}

void InspectorPanel::showNothing() {
  shown_.reset();
  setHtml(tr("<p><i>Click a node to see what it is, which rule made it, and what it reads.</i></p>"));
}

void InspectorPanel::showNode(const NodeDetails& d) {
  shown_ = d;
  QString s = QStringLiteral("<h3 style='margin-bottom:2px'>%1</h3><table>").arg(escaped(d.op));
  s += row(tr("dtype"), d.dtype == "void" ? "" : d.dtype) + row(tr("shape"), d.shape) + row(tr("ranges"), d.ranges) +
       row(tr("bounds"), d.bounds) + row(tr("device"), d.device) + row(tr("arg"), d.arg) + row(tr("tag"), d.tag) +
       row(tr("realized"), d.realized) + row(tr("from"), d.location);
  s += QStringLiteral("</table>");
  if (d.madeBy)
    s += tr("<p>Made by <a href='match:%1'>%2</a>, match %3 of \"%4\".</p>")
             .arg(d.madeBy->id)
             .arg(escaped(d.madeByRule))
             .arg(d.madeByIndex)
             .arg(escaped(d.madeByPass));
  else
    s += d.number == 0 ? tr("<p><i>Rebuilt around a source that a match replaced.</i></p>")
                       : tr("<p><i>In the input, or rebuilt around a source that a match replaced.</i></p>");
  s += list(tr("Sources"), d.sources) + list(tr("Used by"), d.users);
  if (!d.expression.empty()) s += tr("<p><b>Expression</b></p><p><code>%1</code></p>").arg(escaped(d.expression));
  setHtml(s);
}

}  // namespace rangescope::viewer
