#include "viewer/panels/glsl_highlighter.h"

#include <QRegularExpression>

namespace rangescope::viewer {

void GlslHighlighter::setDark(bool dark) {
  dark_ = dark;
  rehighlight();
}

void GlslHighlighter::highlightBlock(const QString& text) {
  struct Kind {
    QRegularExpression pattern;
    QColor light, dark;
  };
  static const Kind kinds[] = {
      {QRegularExpression(QStringLiteral(
           "\\b(void|bool|u?int\\d*(_t)?|float\\d*(_t)?|double|[iub]?vec[234]|[uif]\\d+vec[234]|uint8_t|shared|buffer|"
           "uniform|layout|restrict|readonly|writeonly|const|struct|return|for|if|else|barrier)\\b")),
       QColor(0x1f5fbf), QColor(0x82b1ff)},
      {QRegularExpression(QStringLiteral("\\bgl_\\w+")), QColor(0x8a3ab9), QColor(0xd6a5ff)},
      {QRegularExpression(QStringLiteral("\\b\\d[\\w.]*")), QColor(0xa04a00), QColor(0xffb870)},
      {QRegularExpression(QStringLiteral("^\\s*#.*$")), QColor(0x8a3ab9), QColor(0xd6a5ff)},
      {QRegularExpression(QStringLiteral("//.*$")), QColor(0x5f7a61), QColor(0x8fb996)},
  };
  for (const Kind& k : kinds)
    for (auto it = k.pattern.globalMatch(text); it.hasNext();) {
      const QRegularExpressionMatch m = it.next();
      setFormat(static_cast<int>(m.capturedStart()), static_cast<int>(m.capturedLength()), dark_ ? k.dark : k.light);
    }
}

}  // namespace rangescope::viewer
