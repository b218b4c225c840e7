#include "viewer/save_file.h"

#include <fmt/format.h>

#include <QBuffer>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <cerrno>
#include <cstring>

namespace rangescope::viewer {

Result<void> saveFile(const std::string& path, const QByteArray& bytes) {
  const QString name = QString::fromStdString(path);
  errno = 0;
  const auto failed = [&](const QFileDevice& file) {
    // Qt does not say why a write came short, the system does
    const int code = errno;
    std::string why = file.errorString().toStdString();
    if (file.error() == QFileDevice::WriteError) why = code != 0 ? std::strerror(code) : "there is not enough room";
    return tl::unexpected(Error{fmt::format("cannot write {}: {}.", path, why)});
  };
  if (const QFileInfo there(name); there.exists() && !there.isFile()) {
    QFile file(name);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.flush()) return failed(file);
    return {};
  }
  QSaveFile file(name);
  // commit() alone does not tell when the last bytes found no room
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.flush()) return failed(file);
  if (!file.commit()) return failed(file);
  return {};
}

QByteArray pngBytes(const QImage& image) {
  QByteArray png;
  QBuffer buffer(&png);
  return image.save(&buffer, "PNG") ? png : QByteArray();
}

}  // namespace rangescope::viewer
