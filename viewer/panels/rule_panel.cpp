#include "viewer/panels/rule_panel.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

#include "engine/ir/op.h"
#include "viewer/canvas/op_style.h"

namespace rangescope::viewer {

namespace {

constexpr int kMostDepth = 12;
constexpr int kOpsInFull = 4;

// The name of a set that the rules are written with; empty: it has none.
QString groupName(OpSet ops) {
  static const std::pair<OpSet, const char*> groups[] = {{groups::All, "any op"},
                                                         {groups::ALU, "any arithmetic op"},
                                                         {groups::Elementwise, "any elementwise op"},
                                                         {groups::Unary, "any op of one operand"},
                                                         {groups::Binary, "any op of two operands"},
                                                         {groups::Movement, "any movement op"},
                                                         {groups::Commutative, "any commutative op"},
                                                         {groups::Comparison, "any comparison"}};
  for (const auto& [group, name] : groups)
    if (group == ops) return QLatin1String(name);
  return {};
}

QString opsText(const QJsonArray& ops) {
  if (ops.isEmpty()) return QStringLiteral("any op");
  OpSet set;
  for (const QJsonValue v : ops)
    if (const auto op = op_from_name(v.toString().toStdString())) set.insert(*op);
  if (QString name = groupName(set); !name.isEmpty()) return name;
  QStringList names;
  for (const QJsonValue v : ops) {
    if (names.size() == kOpsInFull)
      return names.join(QStringLiteral(" | ")) + QStringLiteral(" | … (%1 ops)").arg(ops.size());
    names << v.toString().toHtmlEscaped();
  }
  return names.join(QStringLiteral(" | "));
}

QString nameHtml(const QString& name, const std::vector<NodeMark>& lit) {
  const auto mark = std::ranges::find(lit, name.toStdString(), &NodeMark::label);
  if (mark == lit.end()) return QStringLiteral("<b>%1</b>").arg(name.toHtmlEscaped());
  return QStringLiteral("<b style='background-color:%2;color:%3'>&nbsp;%1&nbsp;</b>")
      .arg(name.toHtmlEscaped(), QColor::fromRgb(mark->color).name(), QColor::fromRgb(textOn(mark->color)).name());
}

// As a node of the graph says it: a reduction by its op, other tuples in brackets.
QString argText(const QJsonValue& arg) {
  if (arg.isObject()) {
    const QJsonObject o = arg.toObject();
    if (o.size() == 1) return o.begin().value().isString() ? o.begin().value().toString() : o.begin().key();
  }
  const auto json = [&] {
    return QString::fromUtf8(QJsonDocument(QJsonArray{arg}).toJson(QJsonDocument::Compact)).mid(1).chopped(1);
  };
  if (!arg.isArray()) return arg.isString() ? arg.toString() : json();
  const QJsonArray all = arg.toArray();
  if (all.size() == 2 && all[0].toObject().contains(QLatin1String("op"))) {
    const int axes = all[1].toInt();
    return argText(all[0]) + (axes == 0 ? QString() : QStringLiteral(" over the first %1 axes").arg(axes));
  }
  QStringList parts;
  for (const QJsonValue v : all) parts << argText(v);
  return QLatin1Char('(') + parts.join(QStringLiteral(", ")) + QLatin1Char(')');
}

QString howOften(int64_t n) {
  return n == 1 ? RulePanel::tr("once") : RulePanel::tr("%1 times").arg(n);
}

void append(QString& out, const QJsonObject& p, int depth, const std::vector<NodeMark>& lit) {
  QString line = QString(qsizetype{depth} * 4, QChar(0x00a0));
  const QString mode = p.value(QLatin1String("sources")).toString();
  const QString name = p.value(QLatin1String("name")).toString();
  if (!name.isEmpty()) line += nameHtml(name, lit) + QStringLiteral(": ");
  if (mode == QLatin1String("any_of"))
    line += QStringLiteral("one of");
  else
    line += opsText(p.value(QLatin1String("ops")).toArray());
  if (p.contains(QLatin1String("arg")))
    line += QStringLiteral(" = ") + argText(p.value(QLatin1String("arg"))).toHtmlEscaped();
  if (p.contains(QLatin1String("dtypes"))) {
    QStringList names;
    for (const QJsonValue v : p.value(QLatin1String("dtypes")).toArray()) names << v.toString();
    if (names.size() > kOpsInFull) names = names.mid(0, kOpsInFull) << QStringLiteral("…");
    line += QStringLiteral(" <i>%1</i>").arg(names.join(QStringLiteral(", ")).toHtmlEscaped());
  }
  if (mode == QLatin1String("permuted")) line += QStringLiteral("  <i>sources in any order</i>");
  if (mode == QLatin1String("repeated")) line += QStringLiteral("  <i>every source</i>");
  if (p.value(QLatin1String("any_length")).toBool()) line += QStringLiteral("  <i>and more sources</i>");
  out += line + QStringLiteral("<br>");
  if (depth >= kMostDepth) return;
  for (const QJsonValue s : p.value(QLatin1String("src")).toArray()) append(out, s.toObject(), depth + 1, lit);
}

}  // namespace

QString patternHtml(const std::string& json, const std::vector<NodeMark>& lit) {
  const QJsonDocument doc = QJsonDocument::fromJson(QByteArray::fromStdString(json));
  if (!doc.isObject()) return {};
  QString out = QStringLiteral("<code>");
  append(out, doc.object(), 0, lit);
  return out + QStringLiteral("</code>");
}

RulePanel::RulePanel(QWidget* parent) : QTextBrowser(parent) {
  setObjectName(QStringLiteral("rule"));
  setFrameShape(QFrame::NoFrame);
  setOpenLinks(false);
  connect(this, &QTextBrowser::anchorClicked, this, &RulePanel::follow);
  showNothing();
}

void RulePanel::follow(const QUrl& url) {
  const QString what = url.path();
  if (what == QLatin1String("without")) emit whatIfWanted(rule_);
  if (what == QLatin1String("source")) emit sourceWanted();
  if (what == QLatin1String("all")) emit firingsWanted(rule_);
  if (what == QLatin1String("next")) emit firingWanted(match_, 1);
  if (what == QLatin1String("before")) emit firingWanted(match_, -1);
}

void RulePanel::themeChanged() {
  setHtml(QString(html_));
}

void RulePanel::say(const QString& html) {
  html_ = html;
  setHtml(html);
}

void RulePanel::showNothing() {
  say(tr("<p><i>The rule of the current match stands here. Right arrow: the next match.</i></p>"));
}

void RulePanel::showPicture(const StepPicture& picture, const std::optional<RuleCount>& count,
                            const std::optional<RuleSource>& source) {
  match_ = picture.scene.match ? picture.scene.match->id : 0;
  rule_ = QString::fromStdString(picture.rule.name);
  if (picture.diff) {
    say(tr("<p><i>Two graphs in one picture: no single rule made the difference. D ends it.</i></p>"));
    return;
  }
  if (!picture.scene.match) {
    say(picture.scene.matches == 0
            ? tr("<p><i>No rule of this pass found anything to change.</i></p>")
            : tr("<p><i>The input of the pass: no match yet. Right arrow: the next match.</i></p>"));
    return;
  }
  const trace::RuleInfo& r = picture.rule;
  QString s =
      QStringLiteral("<h3 style='margin-bottom:2px'>%1</h3>").arg(QString::fromStdString(r.name).toHtmlEscaped());
  if (picture.scene.match->after == 0) s += tr("<p><b>This rule refused the graph.</b></p>");
  if (!r.explanation.empty())
    s += QStringLiteral("<p>%1</p>").arg(QString::fromStdString(r.explanation).toHtmlEscaped());
  const QString fired = count ? tr("fired <a href='firing:all'>%1</a>, %2 ms")
                                    .arg(howOften(count->fired))
                                    .arg(static_cast<double>(count->ns) / 1e6, 0, 'f', 3)
                              : tr("<a href='firing:all'>all firings</a>, being counted");
  s += QStringLiteral("<table>");
  if (source)
    s += tr("<tr><td style='padding-right:10px'><i>engine</i></td><td><a href='firing:source'>%1:%2</a></td></tr>")
             .arg(QString::fromStdString(source->file).toHtmlEscaped())
             .arg(source->line);
  s += tr("<tr><td style='padding-right:10px'><i>reference</i></td><td>%1</td></tr>"
          "<tr><td style='padding-right:10px'><i>this match</i></td><td>%2 µs</td></tr>"
          "<tr><td style='padding-right:10px'><i>in this trace</i></td><td>%3</td></tr>"
          "<tr><td style='padding-right:10px'><i>firing</i></td><td><a href='firing:before'>before</a> "
          "&nbsp;<a href='firing:next'>next</a> &nbsp;<a href='firing:without'>what if it did not fire?</a></td></tr>"
          "</table>")
           .arg(QString::fromStdString(r.ref).toHtmlEscaped())
           .arg(static_cast<double>(picture.scene.match->ns) / 1e3, 0, 'f', 2)
           .arg(fired);
  if (!r.pattern.empty())
    s += tr("<p><b>Pattern</b></p>") + patternHtml(r.pattern, picture.captures);
  else if (!r.source.empty())
    s += tr("<p><b>Source</b></p>") + QStringLiteral("<pre style='white-space: pre-wrap'>%1</pre>")
                                          .arg(QString::fromStdString(r.source).toHtmlEscaped());
  say(s);
}

}  // namespace rangescope::viewer
