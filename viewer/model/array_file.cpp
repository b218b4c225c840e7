#include "viewer/model/array_file.h"

#include <QFloat16>
#include <QRegularExpression>
#include <cmath>
#include <cstring>
#include <limits>

namespace rangescope::viewer {

namespace {

constexpr qsizetype kMagic = 8;  // \x93NUMPY and two bytes of the version

template <class T>
T load(const uchar* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

}  // namespace

Result<std::shared_ptr<const ArrayFile>> ArrayFile::open(const QString& path) {
  const std::shared_ptr<ArrayFile> a(new ArrayFile());
  a->file_.setFileName(path);
  if (!a->file_.open(QIODevice::ReadOnly))
    return tl::unexpected(Error{path.toStdString() + " cannot be read: " + a->file_.errorString().toStdString()});
  if (auto r = a->readHeader(); !r) return tl::unexpected(Error{path.toStdString() + ": " + r.error().message});
  return a;
}

Result<void> ArrayFile::readHeader() {
  const QByteArray start = file_.read(kMagic + 4);
  if (start.size() < kMagic + 4 || !start.startsWith("\x93NUMPY")) return refuse("it is no .npy file");
  const auto* bytes = reinterpret_cast<const uchar*>(start.constData());
  const bool wide = bytes[6] >= 2;
  const qint64 header = wide ? load<quint32>(bytes + kMagic) : load<quint16>(bytes + kMagic);
  const qint64 offset = kMagic + (wide ? 4 : 2) + header;
  if (offset > file_.size()) return refuse("its header is cut off");
  file_.seek(0);
  const QString text = QString::fromLatin1(file_.read(offset).mid(kMagic));
  static const QRegularExpression descr(QStringLiteral("'descr': *'[<|=]([fiub])(\\d+)'")),
      shape(QStringLiteral("'shape': *\\(([^)]*)\\)"));
  const auto type = descr.match(text), sizes = shape.match(text);
  if (!type.hasMatch() || !sizes.hasMatch()) return refuse("its header is not understood");
  kind_ = type.captured(1).at(0).toLatin1();
  size_ = type.captured(2).toInt();
  const bool known =
      kind_ == 'f' ? size_ == 2 || size_ == 4 || size_ == 8 : size_ == 1 || size_ == 2 || size_ == 4 || size_ == 8;
  if (!known) return refuse("its numbers are of a kind that is not shown");
  const char* names[] = {"float", "int", "uint", "bool"};
  dtype_ = QLatin1String(names[kind_ == 'f' ? 0 : kind_ == 'i' ? 1 : kind_ == 'u' ? 2 : 3]);
  if (kind_ != 'b') dtype_ += QString::number(size_ * 8);
  const qint64 room = (file_.size() - offset) / size_;
  count_ = 1;
  QStringList dims = sizes.captured(1).split(QLatin1Char(','), Qt::SkipEmptyParts);
  dims.removeAll(QStringLiteral(" "));
  for (const QString& d : dims) {
    const qint64 n = d.trimmed().toLongLong();
    if (n < 0 || (n > 0 && count_ > room / n)) return refuse("it is too short for its shape");
    count_ *= n;
    width_ = n;
  }
  if (dims.size() < 2) width_ = 0;
  if (count_ > room) return refuse("it is too short for its shape");
  if (count_ == 0) return {};
  data_ = file_.map(offset, count_ * size_);
  if (data_ == nullptr) return refuse("it cannot be mapped into memory");
  return {};
}

double ArrayFile::at(int64_t i) const {
  const uchar* p = data_ + i * size_;
  switch (kind_) {
    case 'f':
      return size_ == 2   ? static_cast<double>(static_cast<float>(load<qfloat16>(p)))
             : size_ == 4 ? static_cast<double>(load<float>(p))
                          : load<double>(p);
    case 'i':
      return static_cast<double>(size_ == 1   ? load<qint8>(p)
                                 : size_ == 2 ? load<qint16>(p)
                                 : size_ == 4 ? load<qint32>(p)
                                              : load<qint64>(p));
    default:
      return static_cast<double>(size_ == 1   ? load<quint8>(p)
                                 : size_ == 2 ? load<quint16>(p)
                                 : size_ == 4 ? load<quint32>(p)
                                              : load<quint64>(p));
  }
}

QString ArrayFile::shortText(int64_t i) const {
  return kind_ == 'f' ? QString::number(at(i), 'g', 6) : text(i);
}

QString ArrayFile::text(int64_t i) const {
  const uchar* p = data_ + i * size_;
  if (kind_ == 'f') return QString::number(at(i), 'g', size_ == 2 ? 5 : size_ == 4 ? 9 : 17);
  if (kind_ == 'i' && size_ == 8) return QString::number(load<qint64>(p));
  if (kind_ == 'u' && size_ == 8) return QString::number(load<quint64>(p));
  return QString::number(static_cast<qint64>(at(i)));
}

ArrayFigures figuresOf(const ArrayFile& array, const std::stop_token& stop) {
  ArrayFigures f;
  f.least = std::numeric_limits<double>::infinity();
  f.most = -f.least;
  double sum = 0;
  for (int64_t i = 0; i < array.count(); ++i) {
    if ((i & 0xFFFF) == 0 && stop.stop_requested()) return f;
    const double x = array.at(i);
    if (std::isnan(x)) {
      ++f.nans;
      if (f.firstNan < 0) f.firstNan = i;
    } else if (std::isinf(x)) {
      ++f.infinities;
      if (f.firstInfinity < 0) f.firstInfinity = i;
    } else {
      ++f.finite;
      f.zeros += x == 0 ? 1 : 0;
      f.least = std::min(f.least, x);
      f.most = std::max(f.most, x);
      sum += x;
    }
  }
  if (f.finite == 0) {
    f.least = f.most = 0;
    return f;
  }
  f.mean = sum / static_cast<double>(f.finite);
  f.histogram.assign(kHistogramBins, 0);
  const double range = f.most - f.least;
  for (int64_t i = 0; i < array.count(); ++i) {
    if ((i & 0xFFFF) == 0 && stop.stop_requested()) return f;
    const double x = array.at(i);
    if (!std::isfinite(x)) continue;
    const double share = range > 0 && std::isfinite(range) ? (x - f.least) / range : 0.5;
    ++f.histogram[static_cast<size_t>(std::min(kHistogramBins - 1.0, share * kHistogramBins))];
  }
  return f;
}

}  // namespace rangescope::viewer
