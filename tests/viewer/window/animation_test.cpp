// A pass as an animation, read back by another reader.

#include <webp/demux.h>
#include <QBuffer>
#include <QFile>
#include <QImageReader>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "tests/viewer/window/window_fixture.h"
#include "viewer/canvas/export.h"
#include "viewer/canvas/gif.h"
#include "viewer/run_window.h"
#include "viewer/webp.h"

namespace rangescope::viewer {
namespace {

TEST(Gif, IsReadBackFrameByFrame) {
  // more colours than a palette has, and enough pixels for every width of code
  std::vector<QImage> images;
  for (int k = 0; k < 3; ++k) {
    QImage image(200, 120, QImage::Format_RGB32);
    for (int y = 0; y < 120; ++y)
      for (int x = 0; x < 200; ++x)
        image.setPixel(x, y, qRgb((x * 7 + k * 40) % 256, (y * 5) % 256, (x * y + k) % 256));
    images.push_back(image);
  }
  images.push_back(images.back());  // nothing changes
  GifWriter writer({200, 120}, images);
  for (const QImage& image : images) writer.add(image, 100);
  QByteArray bytes = writer.finish();
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::ReadOnly);
  QImageReader reader(&buffer, "gif");
  ASSERT_TRUE(reader.canRead());
  int frames = 0;
  for (; reader.canRead() && frames < 10; ++frames) {
    const QImage read = reader.read().convertToFormat(QImage::Format_RGB32);
    ASSERT_FALSE(read.isNull()) << frames << reader.errorString().toStdString();
    double error = 0;
    for (int y = 0; y < 120; ++y)
      for (int x = 0; x < 200; ++x) {
        const QRgb a = read.pixel(x, y), b = images[static_cast<size_t>(frames)].pixel(x, y);
        error += std::abs(qRed(a) - qRed(b)) + std::abs(qGreen(a) - qGreen(b)) + std::abs(qBlue(a) - qBlue(b));
      }
    EXPECT_LT(error / (200 * 120 * 3), 40) << frames;  // of 256 levels: the palette is far too small for this picture
  }
  EXPECT_EQ(frames, 4);
}

TEST(Webp, IsReadBackFrameByFrameWithoutLoss) {
  std::vector<QImage> images;
  for (int k = 0; k < 4; ++k) {
    QImage image(96, 64, QImage::Format_RGB32);
    image.fill(QColor(248, 248, 248));
    for (int i = 0; i < 64; ++i) image.setPixel(i + k, i, qRgb(200, 40 * k, 64 + i));
    images.push_back(image);
  }
  WebpWriter writer({96, 64});
  for (const QImage& image : images) writer.add(image, 120);
  const auto bytes = writer.finish();
  ASSERT_TRUE(bytes) << bytes.error().message;
  const WebPData data{reinterpret_cast<const uint8_t*>(bytes->constData()), static_cast<size_t>(bytes->size())};
  WebPAnimDecoder* decoder = WebPAnimDecoderNew(&data, nullptr);
  ASSERT_NE(decoder, nullptr);
  size_t frames = 0;
  int until = 0;
  for (uint8_t* pixels = nullptr; WebPAnimDecoderHasMoreFrames(decoder) != 0; ++frames) {
    ASSERT_NE(WebPAnimDecoderGetNext(decoder, &pixels, &until), 0);
    const QImage read(pixels, 96, 64, QImage::Format_RGBA8888);
    EXPECT_EQ(read.convertToFormat(QImage::Format_RGB32), images[frames]) << frames;
  }
  WebPAnimDecoderDelete(decoder);
  EXPECT_EQ(frames, 4U);
  EXPECT_EQ(until, 480);
}

// Few colours come back exactly.
TEST(Gif, FewColoursComeBackAsTheyWere) {
  QImage image(64, 64, QImage::Format_RGB32);
  image.fill(QColor(248, 248, 248));
  for (int i = 0; i < 64; ++i) image.setPixel(i, i, qRgb(200, 0, 64));
  GifWriter writer({64, 64}, {image});
  writer.add(image, 50);
  QByteArray bytes = writer.finish();
  const QImage read = QImage::fromData(bytes, "GIF").convertToFormat(QImage::Format_RGB32);
  ASSERT_EQ(read.size(), image.size());
  for (int i = 0; i < 64; ++i) {
    EXPECT_NEAR(qRed(read.pixel(i, i)), 200, 4);
    EXPECT_NEAR(qGreen(read.pixel((i + 7) % 64, i)), 248, 4);
  }
}

TEST(Pdf, HoldsOnePage) {
  SceneGraph g;
  for (const char* title : {"ADD", "MUL"}) {
    SceneNode n;
    n.key = static_cast<uint32_t>(g.nodes.size()) + 1;
    n.title = title;
    g.nodes.push_back(n);
  }
  g.edges = {{0, 1, 0, 1}};
  const auto frame = SceneFrame::make(std::move(g), TextMetrics());
  const QByteArray pdf = renderPdf(*frame, QStringLiteral("two nodes"));
  EXPECT_TRUE(pdf.startsWith("%PDF-"));
  EXPECT_TRUE(pdf.contains("%%EOF"));
  EXPECT_EQ(pdf.count("/Type /Page\n"), 1);
}

}  // namespace
}  // namespace rangescope::viewer
