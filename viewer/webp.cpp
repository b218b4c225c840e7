#include "viewer/webp.h"

#include <webp/encode.h>
#include <webp/mux.h>

#include <string>

namespace rangescope::viewer {

struct WebpWriter::Encoder {
  WebPAnimEncoder* animation = nullptr;
  WebPConfig config{};
  QSize size;
  std::string failure;
};

WebpWriter::WebpWriter(QSize size) : encoder_(std::make_unique<Encoder>()) {
  WebPAnimEncoderOptions options;
  encoder_->size = size;
  if (WebPAnimEncoderOptionsInit(&options) == 0 || WebPConfigInit(&encoder_->config) == 0) {
    encoder_->failure = "the WebP library is another version than the one this was built with";
    return;
  }
  options.minimize_size = 0;  // which tries every frame in several ways
  options.kmin = 0;           // only the first frame stands by itself
  options.kmax = 0;
  encoder_->config.lossless = 1;
  encoder_->config.quality = 20;  // effort, of a coder without loss
  encoder_->config.method = 0;
  encoder_->animation = WebPAnimEncoderNew(size.width(), size.height(), &options);
}

WebpWriter::~WebpWriter() {
  WebPAnimEncoderDelete(encoder_->animation);
}

void WebpWriter::add(const QImage& image, int milliseconds) {
  if (encoder_->animation == nullptr || !encoder_->failure.empty()) return;
  const QImage rgba = image.convertToFormat(QImage::Format_RGBA8888);
  WebPPicture picture;
  if (WebPPictureInit(&picture) == 0) return;
  picture.use_argb = 1;
  picture.width = encoder_->size.width();
  picture.height = encoder_->size.height();
  if (WebPPictureImportRGBA(&picture, rgba.constBits(), static_cast<int>(rgba.bytesPerLine())) == 0 ||
      WebPAnimEncoderAdd(encoder_->animation, &picture, now_, &encoder_->config) == 0)
    encoder_->failure = WebPAnimEncoderGetError(encoder_->animation);
  WebPPictureFree(&picture);
  now_ += milliseconds;
}

Result<QByteArray> WebpWriter::finish() {
  WebPData data;
  WebPDataInit(&data);
  if (encoder_->failure.empty() && encoder_->animation != nullptr &&
      (WebPAnimEncoderAdd(encoder_->animation, nullptr, now_, nullptr) == 0 ||
       WebPAnimEncoderAssemble(encoder_->animation, &data) == 0))
    encoder_->failure = WebPAnimEncoderGetError(encoder_->animation);
  if (data.bytes == nullptr && encoder_->failure.empty()) encoder_->failure = "it is too large";
  if (!encoder_->failure.empty()) return refuse("the animation cannot be written as WebP: " + encoder_->failure);
  const QByteArray out(reinterpret_cast<const char*>(data.bytes), static_cast<qsizetype>(data.size));
  WebPDataClear(&data);
  return out;
}

}  // namespace rangescope::viewer
