#include "viewer/controllers/trace_session.h"

#include <algorithm>

namespace rangescope::viewer {

struct TraceSession::OnThread {
  std::unique_ptr<trace::Reader> reader;
  UOp root;  // of the graph on show
  SceneKeys keys;
  std::vector<std::pair<int64_t, int64_t>> ruleStatistics;  // by rule: hits, ns
};

TraceSession::TraceSession(QObject* parent) : QObject(parent), onThread_(std::make_shared<OnThread>()) {}
TraceSession::~TraceSession() = default;

namespace {

StepAddress errorStep(trace::Reader& reader) {
  for (const trace::TraceError& e : reader.errors()) {
    if (e.pass == 0 || e.match == 0) continue;
    const auto match = reader.match(e.match);
    if (!match || !*match) continue;
    if (const auto i = reader.index_in_pass(**match)) return {e.pass, *i + 1};
  }
  return {};
}

std::vector<std::pair<int64_t, int64_t>> ruleStatistics(trace::Reader& reader) {
  std::vector<std::pair<int64_t, int64_t>> out;
  auto s =
      reader.database().prepare("SELECT rule, count(*), sum(ns) FROM matches WHERE after IS NOT NULL GROUP BY rule");
  if (!s) return out;
  for (;;) {
    const auto row = s->step();
    if (!row || !*row) return out;
    const int64_t rule = s->integer(0);
    if (rule < 1 || rule > static_cast<int64_t>(reader.rules().size())) continue;
    out.resize(std::max<size_t>(out.size(), static_cast<size_t>(rule) + 1));
    out[static_cast<size_t>(rule)] = {s->integer(1), s->integer(2)};
  }
}

}  // namespace

void TraceSession::open(const QString& path) {
  background_.request("open", this, [this, state = onThread_, path](const std::stop_token&) -> Background::Answer {
    auto reader = trace::Reader::open(path.toStdString());
    if (!reader) return [this, message = QString::fromStdString(reader.error().message)] { emit openFailed(message); };
    trace::Reader& r = **reader;
    auto summary = std::make_shared<TraceSummary>();
    summary->path = path;
    summary->program = QString::fromStdString(r.meta("program").value_or(path.toStdString()));
    summary->complete = r.complete();
    summary->sections = r.sections();
    summary->passes = r.passes();
    summary->rules = r.rules();
    summary->errors = r.errors();
    summary->matches = r.match_count();
    summary->nodes = r.node_count();
    summary->kernelGraph = kernelGraphPass(r);
    summary->errorStep = errorStep(r);
    if (auto rows = kernelRows(r)) summary->kernels = std::move(*rows);
    state->ruleStatistics = ruleStatistics(r);
    state->root = {};
    state->reader = std::move(*reader);
    return [this, summary] {
      summary_ = std::move(*summary);
      open_ = true;
      emit opened();
    };
  });
}

void TraceSession::showStep(const StepAddress& address, const SceneFilters& filters, std::optional<Measure> measure,
                            std::shared_ptr<const SceneFrame> anchor) {
  background_.request(
      "step", this,
      [this, state = onThread_, address, filters, measure,
       anchor = std::move(anchor)](const std::stop_token& stop) -> Background::Answer {
        if (!state->reader) return {};
        trace::Reader& r = *state->reader;
        const bool kernels = address.pass == kernelGraphPass(r);
        auto scene = kernels ? kernelScene(r, filters, measure) : stepScene(r, address, filters);
        if (!scene)
          return [this, message = QString::fromStdString(scene.error().message)] { emit pictureFailed(message); };
        auto picture = std::make_shared<StepPicture>();
        picture->scene = std::move(*scene);
        if (picture->scene.match) {
          if (const trace::RuleInfo* rule = r.rule(picture->scene.match->rule)) {
            picture->rule = *rule;
            if (rule->id < static_cast<int64_t>(state->ruleStatistics.size()))
              std::tie(picture->ruleFired, picture->ruleNs) = state->ruleStatistics[static_cast<size_t>(rule->id)];
          }
        }
        state->root = picture->scene.root;
        state->keys = picture->scene.keys;
        picture->frame = SceneFrame::make(std::move(picture->scene.graph), TextMetrics(), anchor.get(), {}, stop);
        if (!picture->frame) return {};  // a later request took over
        return [this, picture] { emit pictureReady(picture); };
      });
}

void TraceSession::showNode(quint32 key) {
  background_.request("node", this, [this, state = onThread_, key](const std::stop_token&) -> Background::Answer {
    if (!state->reader) return {};
    auto details = nodeDetails(*state->reader, state->keys.node(key), state->root);
    if (!details) return {};
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
