#pragma once
// What the engine says, as Qt wants it.

#include <QLocale>
#include <QString>
#include <string_view>

namespace rangescope::viewer {

inline QString qtText(std::string_view s) {
  return QString::fromUtf8(s.data(), static_cast<qsizetype>(s.size()));
}

// 12,345
inline QString qtCount(int64_t n) {
  return QLocale(QLocale::English).toString(static_cast<qlonglong>(n));
}

// A message of the engine begins with a small letter, so that it can follow a name. What it quotes stays as it is.
inline QString sentence(const QString& message) {
  const auto word = message.section(QLatin1Char(' '), 0, 0);
  if (word.contains(QLatin1Char(':'))) return message;
  return message.left(1).toUpper() + message.mid(1);
}

}  // namespace rangescope::viewer
