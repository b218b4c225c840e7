#pragma once

#include <QSyntaxHighlighter>

namespace rangescope::viewer {

class PythonHighlighter : public QSyntaxHighlighter {
  Q_OBJECT

 public:
  explicit PythonHighlighter(QTextDocument* document) : QSyntaxHighlighter(document) {}
  void setDark(bool dark);

 protected:
  void highlightBlock(const QString& text) override;

 private:
  bool dark_ = false;
};

}  // namespace rangescope::viewer
