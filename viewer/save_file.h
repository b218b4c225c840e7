#pragma once
// Files that people asked for: pictures and texts.

#include <QByteArray>
#include <QImage>
#include <string>

#include "engine/ir/error.h"

namespace rangescope::viewer {

// A file that is there is replaced only by a whole one. What is there and is no file (a pipe, a device) is written to,
// never replaced.
Result<void> saveFile(const std::string& path, const QByteArray& bytes);

// Empty: an image of that size cannot be a .png.
QByteArray pngBytes(const QImage& image);

}  // namespace rangescope::viewer
