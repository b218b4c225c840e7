#include "viewer/controllers/places.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QFileInfo>
#include <QSettings>
#include <cmath>
#include <limits>

namespace rangescope::viewer {

namespace {
constexpr qsizetype kMostTraces = 100;  // that the settings know
}

void Places::remember(const StepAddress& address, const SceneFrame& frame, const GraphCanvas::Place& place) {
  if (frame.graph.nodes.empty()) return;
  Seen seen{.step = address.step, .scale = place.scale, .title = {}};
  double nearest = std::numeric_limits<double>::infinity();
  for (size_t v = 0; v < frame.layout.nodes.size(); ++v) {
    const Point c = frame.layout.nodes[v].center();
    const double far = std::hypot(place.center.x - c.x, place.center.y - c.y);
    if (far >= nearest) continue;
    nearest = far;
    seen.node = v;
    seen.dx = place.center.x - c.x, seen.dy = place.center.y - c.y;
  }
  seen.title = frame.graph.nodes[seen.node].title;
  seen_[address.pass] = std::move(seen);
  last_ = address;
}

std::optional<GraphCanvas::Place> Places::recall(const StepAddress& address, const SceneFrame& frame) const {
  const auto it = seen_.find(address.pass);
  if (it == seen_.end()) return std::nullopt;
  const Seen& seen = it->second;
  if (seen.step != address.step || seen.node >= frame.graph.nodes.size() ||
      frame.graph.nodes[seen.node].title != seen.title || !std::isfinite(seen.scale + seen.dx + seen.dy))
    return std::nullopt;
  const Point c = frame.layout.nodes[seen.node].center();
  return GraphCanvas::Place{seen.scale, {c.x + seen.dx, c.y + seen.dy}};
}

void Places::open(const QString& trace, int64_t matches, int64_t nodes) {
  const QByteArray name = QFileInfo(trace).absoluteFilePath().toUtf8();
  key_ = QString::fromLatin1(QCryptographicHash::hash(name, QCryptographicHash::Sha1).toHex());
  matches_ = matches, nodes_ = nodes;
  seen_.clear();
  last_.reset();
  const QVariantList v = QSettings().value(QStringLiteral("places/") + key_).toList();
  if (v.size() != 10 || v[1].toLongLong() != matches || v[2].toLongLong() != nodes) return;
  last_ = StepAddress{v[3].toLongLong(), v[4].toLongLong()};
  seen_[last_->pass] = {.step = last_->step,
                        .scale = v[5].toDouble(),
                        .node = static_cast<size_t>(v[6].toULongLong()),
                        .title = v[7].toString().toStdString(),
                        .dx = v[8].toDouble(),
                        .dy = v[9].toDouble()};
}

void Places::save() const {
  if (key_.isEmpty() || !last_) return;
  QSettings settings;
  settings.beginGroup(QStringLiteral("places"));
  const Seen& seen = seen_.at(last_->pass);
  settings.setValue(key_, QVariantList{QDateTime::currentSecsSinceEpoch(), qlonglong{matches_}, qlonglong{nodes_},
                                       qlonglong{last_->pass}, qlonglong{last_->step}, seen.scale,
                                       qulonglong{seen.node}, QString::fromStdString(seen.title), seen.dx, seen.dy});
  const QStringList keys = settings.childKeys();
  if (keys.size() <= kMostTraces) return;
  const auto age = [&](const QString& k) { return settings.value(k).toList().value(0).toLongLong(); };
  QString oldest = keys.front();
  for (const QString& k : keys)
    if (age(k) < age(oldest)) oldest = k;
  settings.remove(oldest);
}

}  // namespace rangescope::viewer
