#include "viewer/controllers/search_controller.h"

#include <QElapsedTimer>

#include "engine/trace/describe.h"
#include "engine/trace/provenance.h"
#include "engine/trace/search.h"
#include "viewer/model/qt_text.h"

namespace rangescope::viewer {

struct SearchController::OnThread {
  std::unique_ptr<trace::Searcher> searcher;
  std::string path;
  bool grown = false;  // since the searcher was opened

  // Its index reads a million matches a second, and is of the file as it was.
  trace::Searcher* upToDate() {
    if (grown && searcher) {
      if (auto again = trace::Searcher::open(path)) searcher = std::move(*again);
      grown = false;
    }
    return searcher.get();
  }
};

namespace {

constexpr size_t kHitsPerKind = 500;
constexpr auto kIndexSlice = std::chrono::milliseconds(30);

JumpRow hitRow(const trace::Reader& reader, const trace::SearchHit& h) {
  JumpRow r;
  r.place = addressOf(h.place);
  r.node = h.kind == trace::HitKind::Node || h.kind == trace::HitKind::Step ? h.node : 0;
  r.item = h.item;
  if (h.kind == trace::HitKind::Rule) r.query = firingsQuery(qtText(h.title));
  const QString where =
      h.kind == trace::HitKind::Pass ? QString() : qtText(trace::describe_step(reader, h.place.pass, h.place.step));
  r.cells = {qtText(trace::hit_kind_name(h.kind)), qtText(h.title), where, qtText(h.detail)};
  return r;
}

QString summaryText(const trace::SearchSummary& s, int64_t shown, qint64 ms, bool counted) {
  if (shown == 0) return SearchController::tr("Nothing fits.");
  QStringList parts;
  for (size_t k = 0; k < trace::kHitKinds; ++k) {
    const int64_t n = s.found[k];
    if (n == 0) continue;
    const QString name = qtText(trace::hit_kind_name(static_cast<trace::HitKind>(k)));
    QString part =
        qtCount(n) + QLatin1Char(' ') + (n == 1 ? name : name + (k == 0 ? QStringLiteral("es") : QStringLiteral("s")));
    if (n > static_cast<int64_t>(kHitsPerKind))
      part = SearchController::tr("the first %1 of %2%3")
                 .arg(kHitsPerKind)
                 .arg(counted ? QString() : SearchController::tr("more than "), part);
    parts << part;
  }
  QString out = parts.join(QStringLiteral(", "));
  out[0] = out[0].toUpper();
  return out + (s.stopped ? SearchController::tr(". Stopped.") : SearchController::tr(" in %1 ms").arg(ms));
}

JumpRow hopRow(const trace::Reader& reader, const trace::ProvenanceHop& h) {
  JumpRow r;
  r.place = addressOf(h.place);
  r.node = h.node;
  r.item = h.item;
  const QString where = qtText(trace::describe_step(reader, h.place.pass, h.place.step));
  r.cells = {qtText(h.how), qtText(h.title), where};
  return r;
}

}  // namespace

SearchController::SearchController(QObject* parent) : QObject(parent), onThread_(std::make_shared<OnThread>()) {}
SearchController::~SearchController() = default;

void SearchController::open(const QString& path) {
  cancel();
  pathologiesWanted_ = false;
  background_.cancel("pathologies");
  background_.request("open", this, [this, state = onThread_, path](const std::stop_token&) -> Background::Answer {
    auto searcher = trace::Searcher::open(path.toStdString());
    if (!searcher) return [this, message = qtText(searcher.error().message)] { emit refused(message); };
    state->searcher = std::move(*searcher);
    state->path = path.toStdString();
    state->grown = false;
    return [this] { prepareMore(); };
  });
}

void SearchController::grew() {
  background_.request("grown", this, [state = onThread_](const std::stop_token&) -> Background::Answer {
    state->grown = true;
    return {};
  });
  emit outdated();
}

void SearchController::close() {
  cancel();
  background_.cancel("index");
  background_.request("open", this, [state = onThread_](const std::stop_token&) -> Background::Answer {
    state->searcher.reset();
    return {};
  });
}

void SearchController::stop(const std::string& tag) {
  background_.cancel(tag);
  if (tag == "pathologies") {
    pathologiesWanted_ = false;
    emit pathologiesFailed(tr("Stopped."));
  } else if (tag == "provenance") {
    emit provenanceFailed(tr("Stopped."));
  }
}

// A slice at a time, so that a query never waits for the rest of the index.
void SearchController::prepareMore() {
  background_.request("index", this, [this, state = onThread_](const std::stop_token& stop) -> Background::Answer {
    if (!state->searcher) return {};
    const auto done = state->searcher->prepare(kIndexSlice, stop);
    if (!done) return [this, message = qtText(done.error().message)] { emit refused(message); };
    return [this, complete = *done, progress = state->searcher->index().progress()] {
      emit indexing(complete ? 1 : progress);
      if (!complete) prepareMore();
    };
  });
}

void SearchController::cancel() {
  background_.cancel("search");
  if (searching_) {
    searching_ = false;
    emit searchDone(tr("Stopped."), -1);
  }
}

void SearchController::search(const QString& words) {
  const auto query = trace::parse_search(words.toStdString());
  if (!query) {
    background_.cancel("search");
    searching_ = false;
    emit refused(qtText(query.error().message));
    return;
  }
  searching_ = true;
  emit searchStarted();
  background_.request(
      "search", this, [this, state = onThread_, q = *query](const std::stop_token& stop) -> Background::Answer {
        if (!state->upToDate())
          return [this] {
            searching_ = false;
            emit searchDone(tr("The recording is just being closed. Enter looks again."), 0);
          };
        QElapsedTimer clock;
        clock.start();
        int64_t shown = 0;
        const trace::Reader& reader = state->searcher->reader();
        const auto summary = state->searcher->run(
            q, kHitsPerKind,
            [&](const trace::SearchUpdate& u) {
              std::vector<JumpRow> rows;
              rows.reserve(u.hits.size());
              for (const trace::SearchHit& h : u.hits) rows.push_back(hitRow(reader, h));
              shown += static_cast<int64_t>(rows.size());
              QMetaObject::invokeMethod(
                  this,
                  [this, stop, rows = std::move(rows), progress = u.progress, busyIndexing = u.indexing] {
                    if (stop.stop_requested()) return;
                    if (!rows.empty()) emit hitsFound(rows);
                    emit searchProgress(progress, busyIndexing);
                  },
                  Qt::QueuedConnection);
            },
            stop);
        if (!summary)
          return [this, message = qtText(summary.error().message)] {
            searching_ = false;
            emit refused(message);
          };
        return [this, said = summaryText(*summary, shown, clock.elapsed(), q.shape.empty()), shown] {
          searching_ = false;
          emit searchDone(said, static_cast<int>(shown));
        };
      });
  // a long look gives way to a search, and starts again behind it
  if (pathologiesWanted_) requestPathologies();
}

void SearchController::findProvenance(qlonglong node) {
  background_.request("provenance", this,
                      [this, state = onThread_, node](const std::stop_token& stop) -> Background::Answer {
                        if (!state->upToDate()) return {};
                        const auto found = trace::provenance(*state->searcher, node, stop);
                        if (!found)
                          return [this, message = qtText(found.error().message)] { emit provenanceFailed(message); };
                        if (!*found) return {};
                        PathRows path;
                        path.cut = (*found)->cut;
                        path.self = static_cast<int>((*found)->self);
                        for (const trace::ProvenanceHop& h : (*found)->path)
                          path.rows.push_back(hopRow(state->searcher->reader(), h));
                        return [this, path = std::move(path)] { emit provenanceFound(path); };
                      });
}

void SearchController::findPathologies() {
  pathologiesWanted_ = true;
  requestPathologies();
}

void SearchController::requestPathologies() {
  background_.request("pathologies", this,
                      [this, state = onThread_](const std::stop_token& stop) -> Background::Answer {
                        if (!state->upToDate()) return {};
                        auto found = trace::pathologies(
                            *state->searcher,
                            [&](double progress) {
                              QMetaObject::invokeMethod(
                                  this,
                                  [this, stop, progress] {
                                    if (!stop.stop_requested()) emit pathologiesProgress(progress);
                                  },
                                  Qt::QueuedConnection);
                            },
                            stop);
                        if (!found)
                          return [this, message = qtText(found.error().message)] {
                            pathologiesWanted_ = false;
                            emit pathologiesFailed(message);
                          };
                        if (!*found) return {};
                        return [this, p = std::make_shared<const trace::Pathologies>(std::move(**found))] {
                          pathologiesWanted_ = false;
                          emit pathologiesFound(p);
                        };
                      });
}

void SearchController::findPlace(qlonglong node) {
  background_.request("place", this,
                      [this, state = onThread_, node](const std::stop_token& stop) -> Background::Answer {
                        if (!state->upToDate()) return {};
                        const auto ready = state->searcher->complete({}, stop);
                        if (!ready || !*ready || node > state->searcher->index().node_count()) return {};
                        const StepAddress at = addressOf(state->searcher->index().place_of_node(node));
                        if (at.pass == 0) return {};
                        return [this, at, node] { emit placeFound(at, node); };
                      });
}

void SearchController::findFiring(qlonglong match, int direction) {
  background_.request(
      "firing", this, [this, state = onThread_, match, direction](const std::stop_token& stop) -> Background::Answer {
        if (!state->upToDate()) return {};
        const auto ready = state->searcher->complete({}, stop);
        if (!ready || !*ready) return {};
        const trace::SearchIndex& index = state->searcher->index();
        if (match < 1 || match > index.match_count()) return {};
        const uint32_t rule = index.match(match).rule;
        for (int64_t id = match + direction; id >= 1 && id <= index.match_count(); id += direction)
          if (index.match(id).rule == rule && index.match(id).pass != 0)
            return [this, at = addressOf(index.place_of_match(id)), node = int64_t{index.match(id).after}] {
              emit firingFound(at, node);
            };
        return [this, name = qtText(state->searcher->reader().rule_name(rule))] { emit noMoreFirings(name); };
      });
}

}  // namespace rangescope::viewer
