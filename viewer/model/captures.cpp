#include "viewer/model/captures.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <numeric>

#include "engine/ir/json.h"
#include "viewer/model/qt_text.h"

namespace rangescope::viewer {

namespace {

constexpr int kMostTries = 20000;
constexpr qsizetype kMostPermuted = 4;

// The pattern may come from a stranger's file: it is tried for so many steps and no longer.
class CaptureSearch {
 public:
  using Bound = std::vector<std::pair<std::string, UOp>>;
  using Goals = std::vector<std::pair<QJsonObject, UOp>>;  // the next one last

  Bound run(const QJsonObject& pattern, UOp root) {
    (void)solve({{pattern, root}}, {});
    return std::move(found_);
  }

 private:
  static bool headFits(const QJsonObject& p, UOp u) {
    const auto holds = [&](const char* key, std::string_view name) {
      const QJsonArray names = p.value(QLatin1String(key)).toArray();
      return names.isEmpty() || names.contains(QJsonValue(qtText(name)));
    };
    if (!holds("ops", op_name(u.op())) || !holds("dtypes", dtype_name(u.dtype()))) return false;
    if (!p.contains(QLatin1String("arg"))) return true;
    const QByteArray text =
        QJsonDocument(QJsonArray{p.value(QLatin1String("arg"))}).toJson(QJsonDocument::Compact).mid(1).chopped(1);
    const auto arg = read_arg(std::string_view(text.constData(), static_cast<size_t>(text.size())));
    return arg && arg->python_equal(u.arg());
  }

  // A level for every goal: as deep as the pattern is large, which kMostTries bounds.
  bool solve(Goals goals, Bound bound) {
    if (++tries_ > kMostTries) return false;
    if (goals.empty()) {
      found_ = std::move(bound);
      return true;
    }
    const auto [p, u] = std::move(goals.back());
    goals.pop_back();
    const QString mode = p.value(QLatin1String("sources")).toString();
    const QJsonArray src = p.value(QLatin1String("src")).toArray();
    if (mode == QLatin1String("any_of")) {
      for (const QJsonValue alternative : src) {
        Goals more = goals;
        more.emplace_back(alternative.toObject(), u);
        if (solve(std::move(more), bound)) return true;
      }
      return false;
    }
    if (!headFits(p, u)) return false;
    if (const std::string name = p.value(QLatin1String("name")).toString().toStdString(); !name.empty()) {
      const auto known = std::ranges::find(bound, name, &Bound::value_type::first);
      if (known != bound.end() && known->second != u) return false;
      if (known == bound.end()) bound.emplace_back(name, u);
    }
    if (mode.isEmpty()) return solve(std::move(goals), std::move(bound));
    const auto count = static_cast<qsizetype>(u.src_count());
    if (mode == QLatin1String("repeated")) {
      for (qsizetype i = count; i-- > 0;) goals.emplace_back(src.at(0).toObject(), u.srcs()[static_cast<size_t>(i)]);
      return solve(std::move(goals), std::move(bound));
    }
    if (count < src.size() || (count > src.size() && !p.value(QLatin1String("any_length")).toBool())) return false;
    std::vector<qsizetype> order(static_cast<size_t>(src.size()));
    std::iota(order.begin(), order.end(), 0);
    const bool permuted = mode == QLatin1String("permuted") && src.size() <= kMostPermuted;
    do {
      Goals more = goals;
      for (size_t i = order.size(); i-- > 0;) more.emplace_back(src.at(order[i]).toObject(), u.srcs()[i]);
      if (solve(std::move(more), bound)) return true;
    } while (permuted && std::ranges::next_permutation(order).found);
    return false;
  }

  int tries_ = 0;
  Bound found_;
};

}  // namespace

std::vector<std::pair<std::string, UOp>> captures(const std::string& pattern, UOp root) {
  const QJsonDocument doc = QJsonDocument::fromJson(QByteArray::fromStdString(pattern));
  if (!doc.isObject() || !root) return {};
  return CaptureSearch().run(doc.object(), root);
}

QRgb captureColor(size_t n) {
  constexpr QRgb kColors[] = {0xff1f6fb4, 0xffc2500a, 0xff6a5fb0, 0xff17805f, 0xffc4267c, 0xff8a6414};
  return kColors[n % std::size(kColors)];
}

}  // namespace rangescope::viewer
