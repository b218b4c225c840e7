#pragma once
// Animated GIF. Frames are held against the one before, and only what changed is stored.

#include <QByteArray>
#include <QImage>
#include <unordered_map>
#include <vector>

namespace rangescope::viewer {

class GifWriter {
 public:
  // `palette` is made from these images, which should show every colour of the animation.
  GifWriter(QSize size, const std::vector<QImage>& samples);
  // Shown for so long; GIF counts hundredths of a second.
  void add(const QImage& image, int milliseconds);
  QByteArray finish();

 private:
  uint8_t index(QRgb color);
  QByteArray bytes_;
  QSize size_;
  std::vector<QRgb> palette_;
  std::unordered_map<QRgb, uint8_t> nearest_;  // looked up, never iterated
  std::vector<uint8_t> before_;
};

}  // namespace rangescope::viewer
