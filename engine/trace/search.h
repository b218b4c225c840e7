#pragma once
// Searching a trace: passes, rules, kernels, steps and nodes that fit a query (search_query.h). Hits come as they are
// found, in the order of the trace, and the same query gives the same hits. One thread at a time; meant for a worker.

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "engine/trace/search_index.h"
#include "engine/trace/search_query.h"

namespace rangescope::trace {

struct SearchHit {
  HitKind kind = HitKind::Pass;
  Place place;                                                  // where to look at it; pass 0: nowhere
  int64_t match = 0, node = 0, rule = 0, kernel = 0, item = 0;  // 0: none; item: of the schedule, for a kernel
  std::string title, detail;
};

struct SearchUpdate {
  std::vector<SearchHit> hits;  // since the update before
  double progress = 0;          // 0 to 1
  bool indexing = false;        // the index is still being read
};

struct SearchSummary {
  std::array<int64_t, kHitKinds> found{};  // hits by kind, those beyond the limit included as far as they were counted
  bool cut = false;                        // there are more than were handed out
  bool stopped = false;                    // on request, before the end
};

class Searcher {
 public:
  static Result<std::unique_ptr<Searcher>> open(const std::string& path);

  // Hands out at most `per_kind` hits of each kind. `update` is called with the first hits at once, then every 50 ms
  // while something is new.
  Result<SearchSummary> run(const SearchQuery& query, size_t per_kind,
                            const std::function<void(SearchUpdate&&)>& update, const std::stop_token& stop = {});

  // For whoever has nothing else to do: reads on at the index. True: it is complete.
  Result<bool> prepare(std::chrono::milliseconds time, const std::stop_token& stop = {});
  // The whole index, with its progress.
  Result<bool> complete(const std::function<void(double)>& progress, const std::stop_token& stop);
  const SearchIndex& index() const { return *index_; }
  // For looking at graphs: a reader that is opened anew once it holds many nodes, since whoever goes through a large
  // trace would end up with all of it. Nodes of it hold until the next call.
  Result<Reader*> graphs();
  Reader& reader() { return *reader_; }  // for tables; no graphs

 private:
  friend class SearchRun;
  Searcher() = default;
  Result<void> load_args();

  std::unique_ptr<Reader> reader_, graphs_;
  std::unique_ptr<SearchIndex> index_;
  struct ArgText {
    std::string json, text;
  };
  std::vector<ArgText> args_;  // by number
  bool args_loaded_ = false;
};

}  // namespace rangescope::trace
