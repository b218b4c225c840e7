#include "viewer/canvas/gif.h"

#include <QRect>
#include <algorithm>
#include <map>

namespace rangescope::viewer {

namespace {

constexpr size_t kColors = 255;  // and one that lets the frame before through
constexpr uint8_t kTransparent = 255;

void put16(QByteArray& out, int v) {
  out.append(static_cast<char>(v & 0xff));
  out.append(static_cast<char>(v >> 8 & 0xff));
}

// LZW with codes of growing width, as GIF has it.
void compress(QByteArray& out, const std::vector<uint8_t>& pixels) {
  constexpr int kMinimum = 8, kClear = 1 << kMinimum, kEnd = kClear + 1, kMost = 4096;
  out.append(static_cast<char>(kMinimum));
  QByteArray block;
  uint32_t bits = 0;
  int count = 0;
  const auto flush = [&] {
    out.append(static_cast<char>(block.size()));
    out.append(block);
    block.clear();
  };
  int width = kMinimum + 1;
  const auto emitCode = [&](int code) {
    bits |= static_cast<uint32_t>(code) << count;
    count += width;
    while (count >= 8) {
      block.append(static_cast<char>(bits & 0xff));
      bits >>= 8, count -= 8;
      if (block.size() == 255) flush();
    }
  };
  // by (prefix, next): the code; a flat table, since codes are few
  std::vector<int16_t> next(static_cast<size_t>(kMost) * 256, -1);
  int codes = kEnd + 1;
  emitCode(kClear);
  int prefix = -1;
  for (const uint8_t p : pixels) {
    if (prefix < 0) {
      prefix = p;
      continue;
    }
    int16_t& entry = next[static_cast<size_t>(prefix) * 256 + p];
    if (entry >= 0) {
      prefix = entry;
      continue;
    }
    emitCode(prefix);
    if (codes < kMost) {
      entry = static_cast<int16_t>(codes);
      if (codes == 1 << width && width < 12) ++width;
      ++codes;
    } else {
      emitCode(kClear);
      std::ranges::fill(next, static_cast<int16_t>(-1));
      codes = kEnd + 1;
      width = kMinimum + 1;
    }
    prefix = p;
  }
  if (prefix >= 0) emitCode(prefix);
  emitCode(kEnd);
  if (count > 0) block.append(static_cast<char>(bits & 0xff));
  if (!block.isEmpty()) flush();
  out.append('\0');
}

}  // namespace

GifWriter::GifWriter(QSize size, const std::vector<QImage>& samples) : size_(size) {
  // the colours that are seen most, of 5 bits a channel; pictures of graphs have few
  std::unordered_map<QRgb, uint32_t> seen;
  for (const QImage& sample : samples) {
    const QImage image = sample.convertToFormat(QImage::Format_RGB32);
    for (int y = 0; y < image.height(); ++y) {
      const auto* row = reinterpret_cast<const QRgb*>(image.constScanLine(y));
      for (int x = 0; x < image.width(); ++x) ++seen[row[x] & 0xfff8f8f8];
    }
  }
  std::vector<std::pair<uint32_t, QRgb>> colors;
  colors.reserve(seen.size());
  for (const auto& [color, n] : seen) colors.emplace_back(n, color);
  std::ranges::sort(colors, std::greater());  // by number, then colour: no order of a table
  if (colors.size() > kColors) colors.resize(kColors);
  for (const auto& [n, color] : colors) palette_.push_back(color | 0x04040404);
  if (palette_.empty()) palette_.push_back(0xffffffff);
  bytes_ = "GIF89a";
  put16(bytes_, size_.width());
  put16(bytes_, size_.height());
  bytes_.append(static_cast<char>(0xf7));  // 256 colours
  bytes_.append(2, '\0');
  for (size_t i = 0; i < 256; ++i) {
    const QRgb c = i < palette_.size() ? palette_[i] : 0;
    bytes_.append(static_cast<char>(qRed(c))).append(static_cast<char>(qGreen(c))).append(static_cast<char>(qBlue(c)));
  }
  bytes_.append(QByteArray::fromRawData("\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00", 19));  // again and again
}

uint8_t GifWriter::index(QRgb color) {
  const QRgb key = color & 0xfff8f8f8;
  const auto known = nearest_.find(key);
  if (known != nearest_.end()) return known->second;
  int best = 1 << 30;
  uint8_t found = 0;
  for (size_t i = 0; i < palette_.size(); ++i) {
    const int r = qRed(color) - qRed(palette_[i]), g = qGreen(color) - qGreen(palette_[i]),
              b = qBlue(color) - qBlue(palette_[i]);
    const int d = 3 * r * r + 6 * g * g + b * b;
    if (d < best) best = d, found = static_cast<uint8_t>(i);
  }
  nearest_.emplace(key, found);
  return found;
}

void GifWriter::add(const QImage& image, int milliseconds) {
  const QImage rgb = image.convertToFormat(QImage::Format_RGB32);
  const int w = size_.width(), h = size_.height();
  std::vector<uint8_t> now(static_cast<size_t>(w) * static_cast<size_t>(h));
  for (int y = 0; y < std::min(h, rgb.height()); ++y) {
    const auto* row = reinterpret_cast<const QRgb*>(rgb.constScanLine(y));
    uint8_t* out = now.data() + static_cast<size_t>(y) * static_cast<size_t>(w);
    QRgb last = 0;
    uint8_t lastIndex = 0;
    for (int x = 0; x < std::min(w, rgb.width()); ++x) {
      if (x == 0 || row[x] != last) last = row[x], lastIndex = index(last);
      out[x] = lastIndex;
    }
  }
  QRect changed(0, 0, w, h);
  if (!before_.empty()) {
    int left = w, right = -1, top = h, bottom = -1;
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) {
        const size_t i = static_cast<size_t>(y) * static_cast<size_t>(w) + static_cast<size_t>(x);
        if (now[i] == before_[i]) continue;
        left = std::min(left, x), right = std::max(right, x);
        top = std::min(top, y), bottom = y;
      }
    changed = right < 0 ? QRect(0, 0, 1, 1) : QRect(QPoint(left, top), QPoint(right, bottom));
  }
  std::vector<uint8_t> pixels;
  pixels.reserve(static_cast<size_t>(changed.width()) * static_cast<size_t>(changed.height()));
  for (int y = changed.top(); y <= changed.bottom(); ++y)
    for (int x = changed.left(); x <= changed.right(); ++x) {
      const size_t i = static_cast<size_t>(y) * static_cast<size_t>(w) + static_cast<size_t>(x);
      pixels.push_back(!before_.empty() && now[i] == before_[i] ? kTransparent : now[i]);
    }
  bytes_.append(QByteArray::fromRawData("\x21\xf9\x04\x05", 4));  // what is not drawn anew stays
  put16(bytes_, std::max(2, milliseconds / 10));
  bytes_.append(static_cast<char>(kTransparent)).append('\0');
  bytes_.append(',');
  put16(bytes_, changed.left());
  put16(bytes_, changed.top());
  put16(bytes_, changed.width());
  put16(bytes_, changed.height());
  bytes_.append('\0');
  compress(bytes_, pixels);
  before_ = std::move(now);
}

QByteArray GifWriter::finish() {
  bytes_.append(';');
  return bytes_;
}

}  // namespace rangescope::viewer
