#include "viewer/controllers/trace_session.h"

#include <algorithm>
#include <utility>

#include "engine/trace/realized.h"
#include "viewer/controllers/recorder_watch.h"
#include "viewer/model/captures.h"
#include "viewer/model/lens.h"

namespace rangescope::viewer {

namespace {

// How often a file that is being written is looked at. Its writer commits ten times a second; one that has not for a
// while is at something long, or hangs.
constexpr int kFollowMs = 200;
constexpr int kFollowQuietMs = 1000;
constexpr int kFollowGoneMs = 2000;
constexpr int kLongSilenceMs = 3000;
constexpr int kShortSilenceMs = 1500;  // after this one asks whether there is a recorder at all

// Every step that is looked at leaves the nodes that were rebuilt for it. From so many on (some 250 MB) all are
// dropped.
constexpr uint32_t kMostStored = 1'500'000;

}  // namespace

struct TraceSession::OnThread {
  std::unique_ptr<trace::Reader> reader, other;
  QString path;                         // of the reader
  std::vector<trace::ItemTimes> times;  // of the last run
  std::vector<trace::Realized> realized;
  UOp root;  // of the graph on show
  int64_t pass = 0;
  SceneKeys keys;
  std::vector<RuleCount> counts;  // by rule, of the matches up to `counted`
  int64_t counted = 0;

  uint32_t mostStored = kMostStored;
  int generation = 0;  // of the keys: each store has its own

  void dropNodes() {
    if (reader->store().node_count() < mostStored) return;
    auto again = trace::Reader::open(path.toStdString());
    if (!again) return;  // what is open goes on
    reader = std::move(*again);
    root = {};
    keys = {};
    ++generation;
  }
};

namespace {

TraceSummary summaryOf(trace::Reader& r, const QString& path) {
  TraceSummary s;
  s.path = path;
  s.program = QString::fromStdString(r.meta("program").value_or(path.toStdString()));
  s.complete = r.complete();
  s.followed = !r.complete() && !r.recovered();
  s.sections = r.sections();
  s.passes = r.passes();
  s.matches = r.match_count();
  s.nodes = r.node_count();
  s.kernelGraph = kernelGraphPass(r);
  s.failure = failureOf(r);
  return s;
}

}  // namespace

TraceSession::TraceSession(QObject* parent) : QObject(parent), onThread_(std::make_shared<OnThread>()) {
  follow_.setSingleShot(true);
  connect(&follow_, &QTimer::timeout, this, &TraceSession::follow);
}
TraceSession::~TraceSession() = default;

void TraceSession::setMostStored(quint32 nodes) {
  background_.request("most", this, [state = onThread_, nodes](const std::stop_token&) -> Background::Answer {
    state->mostStored = nodes;
    return {};
  });
}

void TraceSession::cancel(const std::string& tag) {
  background_.cancel(tag);
  emit stopped(QString::fromStdString(tag));
}

void TraceSession::open(const QString& path) {
  follow_.stop();
  background_.request("open", this, [this, state = onThread_, path](const std::stop_token& stop) -> Background::Answer {
    auto reader = trace::Reader::open(path.toStdString());
    if (!reader) return [this, message = QString::fromStdString(reader.error().message)] { emit openFailed(message); };
    trace::Reader& r = **reader;
    auto summary = std::make_shared<TraceSummary>(summaryOf(r, path));
    auto times = trace::last_item_times(r).value_or(std::vector<trace::ItemTimes>{});
    if (auto rows = kernelRows(r, times)) summary->kernels = std::move(*rows);
    auto realized = trace::realized(r).value_or(std::vector<trace::Realized>{});
    if (stop.stop_requested()) return {};  // what was open before stays
    state->path = path;
    state->times = std::move(times);
    state->realized = std::move(realized);
    state->counts.clear();
    state->counted = 0;
    state->root = {};
    state->other.reset();
    state->reader = std::move(*reader);
    ++state->generation;
    return [this, summary] {
      summary_ = std::move(*summary);
      open_ = true;
      counted_ = counting_ = false;
      background_.cancel("count");
      ruleCounts_.clear();
      somethingCame();
      emit opened();
      followSoon();
    };
  });
}

void TraceSession::followSoon() {
  background_.cancel("follow");
  follow_.stop();
  if (!summary_.followed) return;
  follow_.start(recording_ == Recording::Gone      ? kFollowGoneMs
                : came_.elapsed() > kLongSilenceMs ? kFollowQuietMs
                                                   : kFollowMs);
}

void TraceSession::somethingCame() {
  came_.start();
  lastCame_ = QDateTime::currentDateTime();
  recording_ = Recording::Grows;
}

void TraceSession::nothingCame(bool gone) {
  const Recording now = gone ? Recording::Gone : came_.elapsed() >= quietAfterMs_ ? Recording::Quiet : Recording::Grows;
  if (std::exchange(recording_, now) != now) emit recordingChanged();
  followSoon();
}

// The kernels come with the end of a recording; until then they are what they were.
void TraceSession::take(TraceSummary summary) {
  if (summary.kernels.empty()) summary.kernels = std::move(summary_.kernels);
  summary_ = std::move(summary);
  somethingCame();
  emit grew();
  if (counted_) countMore();
  followSoon();
}

void TraceSession::follow() {
  const bool silent = came_.elapsed() > std::min(kShortSilenceMs, quietAfterMs_);
  background_.request("follow", this, [this, silent, state = onThread_](const std::stop_token&) -> Background::Answer {
    if (!state->reader) return {};
    const bool gone = silent && holderOf(state->path.toStdString()) == Holder::Gone;
    // asked before: what a recorder wrote last is not missed
    const auto more = state->reader->refresh();
    if (!more || !*more) return [this, gone] { nothingCame(gone); };
    if (state->reader->complete())
      return [this] {
        emit closing();
        reopen();
      };
    if (auto realized = trace::realized(*state->reader)) state->realized = std::move(*realized);
    return [this, s = std::make_shared<TraceSummary>(summaryOf(*state->reader, state->path))] { take(std::move(*s)); };
  });
}

void TraceSession::reopen() {
  background_.request("follow", this, [this, state = onThread_](const std::stop_token&) -> Background::Answer {
    if (!state->reader) return {};
    if (const auto again = state->reader->reopen(); !again) {
      state->reader.reset();
      return [this, message = QString::fromStdString(again.error().message)] { emit openFailed(message); };
    }
    trace::Reader& r = *state->reader;
    auto s = std::make_shared<TraceSummary>(summaryOf(r, state->path));
    state->times = trace::last_item_times(r).value_or(std::vector<trace::ItemTimes>{});
    state->realized = trace::realized(r).value_or(std::vector<trace::Realized>{});
    if (auto rows = kernelRows(r, state->times)) s->kernels = std::move(*rows);
    return [this, s] { take(std::move(*s)); };
  });
}

void TraceSession::showStep(const StepAddress& address, const SceneFilters& filters, std::optional<Measure> measure,
                            std::shared_ptr<const SceneFrame> anchor) {
  background_.request(
      "step", this,
      [this, state = onThread_, address, filters, measure, onShow = generation_,
       anchor = std::move(anchor)](const std::stop_token& stop) -> Background::Answer {
        if (!state->reader) return {};
        state->dropNodes();
        trace::Reader& r = *state->reader;
        const bool kernels = address.pass == kernelGraphPass(r);
        auto scene = kernels ? kernelScene(r, filters, measure, &state->times) : stepScene(r, address, filters);
        if (!scene)
          return [this, message = QString::fromStdString(scene.error().message)] { emit pictureFailed(message); };
        if (filters.lens) applyLens(r, state->realized, *scene, filters);
        auto picture = std::make_shared<StepPicture>();
        picture->scene = std::move(*scene);
        if (picture->scene.match) {
          if (const trace::RuleInfo* rule = r.rule(picture->scene.match->rule)) picture->rule = *rule;
          if (const auto before = r.node(picture->scene.match->before); before && !picture->rule.pattern.empty())
            for (const auto& [name, u] : captures(picture->rule.pattern, *before))
              picture->captures.push_back(
                  {picture->scene.keys.key(u.id()), captureColor(picture->captures.size()), name});
        }
        state->root = picture->scene.root;
        state->keys = picture->scene.keys;
        state->pass = address.pass;
        picture->generation = state->generation;
        picture->newKeys = state->generation != onShow;
        picture->frame = SceneFrame::make(std::move(picture->scene.graph), TextMetrics(),
                                          picture->newKeys ? nullptr : anchor.get(), {}, stop);
        if (!picture->frame) return {};  // a later request took over
        return [this, picture] {
          generation_ = picture->generation;
          emit pictureReady(picture);
          if (!std::exchange(counting_, true)) countMore();
        };
      });
}

// A slice at a time, so that a step never waits for all of it.
void TraceSession::countMore() {
  constexpr int64_t kSlice = 20000;
  background_.request("count", this, [this, state = onThread_](const std::stop_token&) -> Background::Answer {
    if (!state->reader) return {};
    auto s = state->reader->database().prepare(
        "SELECT rule, count(*), sum(ns) FROM matches WHERE id>? AND id<=? AND after IS NOT NULL GROUP BY rule");
    if (!s) return {};
    s->bind(1, state->counted);
    s->bind(2, state->counted + kSlice);
    for (;;) {
      const auto row = s->step();
      if (!row) return {};
      if (!*row) break;
      const int64_t rule = s->integer(0);
      if (rule < 1 || rule > static_cast<int64_t>(state->reader->rules().size())) continue;
      if (rule >= static_cast<int64_t>(state->counts.size())) state->counts.resize(static_cast<size_t>(rule) + 1);
      RuleCount& c = state->counts[static_cast<size_t>(rule)];
      c.fired += s->integer(1), c.ns += s->integer(2);
    }
    state->counted += kSlice;
    if (state->counted < state->reader->match_count()) return [this] { countMore(); };
    return [this, counts = state->counts] {
      ruleCounts_ = counts;
      counted_ = true;
      emit rulesCounted();
    };
  });
}

std::optional<RuleCount> TraceSession::countOf(int64_t rule) const {
  if (!counted_) return std::nullopt;
  const auto i = static_cast<size_t>(rule);
  return rule >= 0 && i < ruleCounts_.size() ? ruleCounts_[i] : RuleCount{};
}

void TraceSession::openOther(const QString& path) {
  background_.request("other", this, [this, state = onThread_, path](const std::stop_token&) -> Background::Answer {
    auto reader = trace::Reader::open(path.toStdString());
    if (!reader) return [this, message = QString::fromStdString(reader.error().message)] { emit openFailed(message); };
    state->other = std::move(*reader);
    return {};
  });
}

namespace {

Result<std::shared_ptr<StepPicture>> diffPicture(trace::Reader& reader, trace::Reader* other,
                                                 const StepAddress& address, const DiffAgainst& against,
                                                 const SceneFilters& filters) {
  if (against.other && other == nullptr) return tl::unexpected(Error{"the trace to compare with is not open."});
  const auto here = stepRoot(reader, address);
  if (!here) return tl::unexpected(here.error());
  auto there = stepRoot(against.other ? *other : reader, against.address);
  if (!there) return tl::unexpected(there.error());
  if (against.other) *there = copyInto(reader.store(), *there);
  GraphDiff d = against.other ? graphDiff(*here, *there, filters) : graphDiff(*there, *here, filters);
  auto picture = std::make_shared<StepPicture>();
  picture->scene.address = address;
  picture->scene.root = against.other ? *there : *here;
  picture->scene.matches = reader.pass(address.pass)->matches;
  picture->scene.nodes = d.nodes;
  picture->scene.graph = std::move(d.graph);
  picture->diff = DiffText{against, std::make_shared<const DiffLines>(std::move(d.lines)), d.counts};
  return picture;
}

}  // namespace

void TraceSession::showDiff(const StepAddress& address, const DiffAgainst& against, const SceneFilters& filters,
                            std::shared_ptr<const SceneFrame> anchor) {
  background_.request("step", this,
                      [this, state = onThread_, address, against, filters, onShow = generation_,
                       anchor = std::move(anchor)](const std::stop_token& stop) -> Background::Answer {
                        if (!state->reader) return {};
                        state->dropNodes();
                        auto made = diffPicture(*state->reader, state->other.get(), address, against, filters);
                        if (!made)
                          return [this, message = QString::fromStdString(made.error().message)] {
                            emit pictureFailed(message);
                          };
                        std::shared_ptr<StepPicture> picture = std::move(*made);
                        state->root = picture->scene.root;
                        state->keys = picture->scene.keys;
                        state->pass = address.pass;
                        picture->generation = state->generation;
                        picture->newKeys = state->generation != onShow;
                        picture->frame = SceneFrame::make(std::move(picture->scene.graph), TextMetrics(),
                                                          picture->newKeys ? nullptr : anchor.get(), {}, stop);
                        if (!picture->frame) return {};  // a later request took over
                        return [this, picture] {
                          generation_ = picture->generation;
                          emit pictureReady(picture);
                        };
                      });
}

void TraceSession::showLoops() {
  background_.request("loops", this, [this, state = onThread_](const std::stop_token&) -> Background::Answer {
    if (!state->root) return {};
    LoopNest nest = loopNest(state->root);
    for (LoopLine& l : nest.lines)
      for (uint32_t& key : l.keys) key = state->keys.key(key);
    return [this, n = std::move(nest)] { emit loopsReady(n); };
  });
}

void TraceSession::showNode(quint32 key) {
  background_.request("node", this, [this, state = onThread_, key](const std::stop_token&) -> Background::Answer {
    if (!state->reader) return {};
    auto details = nodeDetails(*state->reader, state->keys.node(key), state->root);
    if (!details) return {};
    const UOp u = state->reader->store().at(state->keys.node(key));
    details->realized = realizeReason(*state->reader, state->realized, u, state->pass);
    details->key = key;
    for (auto* refs : {&details->sources, &details->users})
      for (NodeRef& r : *refs) r.key = state->keys.key(r.key);
    return [this, d = std::move(*details)] { emit nodeReady(d); };
  });
}

void TraceSession::findKey(qlonglong number) {
  background_.request("key", this, [this, state = onThread_, number](const std::stop_token&) -> Background::Answer {
    if (!state->reader) return {};
    const auto u = state->reader->node(number);
    if (!u) return {};
    return [this, number, key = state->keys.key(u->id())] { emit keyFound(number, key); };
  });
}

void TraceSession::findPlace(const LessonPlace& place) {
  background_.request("place", this, [this, state = onThread_, place](const std::stop_token&) -> Background::Answer {
    if (!state->reader) return {};
    const auto found = viewer::findPlace(*state->reader, place);
    if (!found) return [this, message = QString::fromStdString(found.error().message)] { emit placeNotFound(message); };
    return [this, at = *found, op = QString::fromStdString(place.select), nth = static_cast<int>(place.selectNth)] {
      emit placeFound(at, op, nth);
    };
  });
}

void TraceSession::findMatch(qlonglong match) {
  background_.request("match", this, [this, state = onThread_, match](const std::stop_token&) -> Background::Answer {
    if (!state->reader) return {};
    const auto m = state->reader->match(match);
    if (!m || !*m) return {};
    const auto i = state->reader->index_in_pass(**m);
    if (!i) return {};
    return [this, address = StepAddress{(*m)->pass, *i + 1}] { emit matchFound(address); };
  });
}

}  // namespace rangescope::viewer
