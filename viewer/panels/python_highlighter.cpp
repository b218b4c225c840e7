#include "viewer/panels/python_highlighter.h"

#include <QRegularExpression>

namespace rangescope::viewer {

namespace {
// What a line can be in the middle of.
enum State { kCode = 0, kDoubleQuotes = 1, kSingleQuotes = 2 };
}  // namespace

void PythonHighlighter::setDark(bool dark) {
  dark_ = dark;
  rehighlight();
}

void PythonHighlighter::highlightBlock(const QString& text) {
  static const QRegularExpression tokens(
      QStringLiteral("(?<text>\"\"\"|'''|\"(?:\\\\.|[^\"\\\\])*\"?|'(?:\\\\.|[^'\\\\])*'?)|(?<note>#.*$)|"
                     "(?<word>\\b(?:and|as|assert|break|class|continue|def|del|elif|else|except|False|finally|for|from|"
                     "global|if|import|"
                     "in|is|lambda|None|nonlocal|not|or|pass|raise|return|True|try|while|with|yield)\\b)|"
                     "(?<number>\\b\\d[\\w.]*)"));
  const QColor string = dark_ ? QColor(0x8fb996) : QColor(0x2e6b34), word = dark_ ? QColor(0x82b1ff) : QColor(0x1f5fbf),
               number = dark_ ? QColor(0xffb870) : QColor(0xa04a00), note = dark_ ? QColor(0x9aa5b1) : QColor(0x5f6b78);
  const auto paint = [&](qsizetype from, qsizetype length, const QColor& c) {
    setFormat(static_cast<int>(from), static_cast<int>(length), c);
  };
  qsizetype at = 0;
  int state = previousBlockState() < 0 ? kCode : previousBlockState();
  for (;;) {
    if (state != kCode) {
      const qsizetype end = text.indexOf(QLatin1String(state == kDoubleQuotes ? R"(""")" : "'''"), at);
      paint(at, end < 0 ? text.size() - at : end + 3 - at, string);
      if (end < 0) break;
      at = end + 3;
      state = kCode;
    }
    const QRegularExpressionMatch m = tokens.match(text, at);
    if (!m.hasMatch()) break;
    at = m.capturedEnd();
    if (const QString quoted = m.captured(QStringLiteral("text")); !quoted.isEmpty()) {
      paint(m.capturedStart(), m.capturedLength(), string);
      if (quoted == QLatin1String(R"(""")")) state = kDoubleQuotes;
      if (quoted == QLatin1String("'''")) state = kSingleQuotes;
    } else {
      paint(m.capturedStart(), m.capturedLength(),
            !m.captured(QStringLiteral("note")).isEmpty()   ? note
            : !m.captured(QStringLiteral("word")).isEmpty() ? word
                                                            : number);
    }
  }
  setCurrentBlockState(state);
}

}  // namespace rangescope::viewer
