#pragma once

#include <QSyntaxHighlighter>

namespace rangescope::viewer {

class GlslHighlighter : public QSyntaxHighlighter {
  Q_OBJECT

 public:
  explicit GlslHighlighter(QTextDocument* document) : QSyntaxHighlighter(document) {}
  void setDark(bool dark);

 protected:
  void highlightBlock(const QString& text) override;

 private:
  bool dark_ = false;
};

}  // namespace rangescope::viewer
