#pragma once
// Animated WebP, without loss and in all colours.

#include <QByteArray>
#include <QImage>
#include <memory>

#include "engine/ir/error.h"

namespace rangescope::viewer {

class WebpWriter {
 public:
  explicit WebpWriter(QSize size);
  ~WebpWriter();
  WebpWriter(const WebpWriter&) = delete;
  WebpWriter& operator=(const WebpWriter&) = delete;
  void add(const QImage& image, int milliseconds);
  Result<QByteArray> finish();

 private:
  struct Encoder;
  std::unique_ptr<Encoder> encoder_;
  int now_ = 0;  // milliseconds
};

}  // namespace rangescope::viewer
