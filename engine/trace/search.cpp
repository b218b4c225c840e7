#include "engine/trace/search.h"

#include <fmt/format.h>

#include "engine/ir/json.h"
#include "engine/ir/text.h"
#include "engine/trace/each_row.h"
#include "engine/trace/search_run.h"

namespace rangescope::trace {

namespace {

constexpr size_t kNodesInMemory = 400'000;  // of the reader that searches materialise nodes in
constexpr int64_t kMostArgs = 50'000'000;   // numbers of args beyond this are damage

}  // namespace

Result<std::unique_ptr<Searcher>> Searcher::open(const std::string& path) {
  auto reader = Reader::open(path);
  if (!reader) return tl::unexpected(reader.error());
  std::unique_ptr<Searcher> s(new Searcher());
  s->reader_ = std::move(*reader);
  s->index_ = std::make_unique<SearchIndex>(*s->reader_);
  return s;
}

Result<bool> Searcher::prepare(std::chrono::milliseconds time, const std::stop_token& stop) {
  auto done = index_->extend(time, stop);
  // opening the second reader of a large trace would hold up the first hits
  if (done && *done)
    if (const auto ready = graphs(); !ready) return tl::unexpected(ready.error());
  return done;
}

Result<bool> Searcher::complete(const std::function<void(double)>& progress, const std::stop_token& stop) {
  while (!index_->complete()) {
    if (stop.stop_requested()) return false;
    if (auto r = index_->extend(kIndexSlice, stop); !r) return tl::unexpected(r.error());
    if (progress) progress(index_->progress());
  }
  return true;
}

Result<Reader*> Searcher::graphs() {
  if (!graphs_ || graphs_->store().node_count() > kNodesInMemory) {
    auto fresh = Reader::open(reader_->path());
    if (!fresh) return tl::unexpected(fresh.error());
    graphs_ = std::move(*fresh);
  }
  return graphs_.get();
}

Result<void> Searcher::load_args() {
  if (args_loaded_) return {};
  auto r =
      each_row(reader_->database(), "SELECT id, json FROM args ORDER BY id", [&](const Statement& s) -> Result<void> {
        const int64_t id = s.integer(0);
        if (id < 1 || id > kMostArgs)
          return tl::unexpected(
              Error{fmt::format("{} is damaged: argument {}. Record it again.", reader_->path(), id)});
        if (static_cast<size_t>(id) >= args_.size()) args_.resize(static_cast<size_t>(id) + 1);
        ArgText& a = args_[static_cast<size_t>(id)];
        a.json = s.text(1);
        if (const auto arg = read_arg(a.json)) a.text = to_string(*arg);
        return {};
      });
  args_loaded_ = r.has_value();
  return r;
}

Result<SearchSummary> Searcher::run(const SearchQuery& query, size_t per_kind,
                                    const std::function<void(SearchUpdate&&)>& update, const std::stop_token& stop) {
  return SearchRun(*this, query, per_kind, update, stop).run();
}

}  // namespace rangescope::trace
