#pragma once
// One search under way: what Searcher::run does, kind of hit by kind. Internal to the search.

#include <chrono>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "engine/trace/search.h"

namespace rangescope::trace {

inline constexpr int64_t kLookEvery = 4096;                         // entries between two looks at the clock
inline constexpr auto kIndexSlice = std::chrono::milliseconds(20);  // of reading on at the index, between two looks

// Whether each test holds for one of these names of a thing.
bool all_hold(const std::vector<NameTest>& tests, std::initializer_list<std::string_view> names);

class SearchRun {
 public:
  SearchRun(Searcher& searcher, const SearchQuery& query, size_t per_kind,
            const std::function<void(SearchUpdate&&)>& update, const std::stop_token& stop)
      : s_(searcher), q_(query), per_kind_(per_kind), update_(update), stop_(stop), last_(Clock::now()) {}

  Result<SearchSummary> run();

 private:
  using Clock = std::chrono::steady_clock;

  void passes();
  void rules();
  Result<void> kernels();
  Result<void> steps();
  Result<void> nodes();

  // What the query says about passes and rules, worked out once for each of them.
  Result<void> prepare_tables();
  Result<void> prepare_nodes();
  bool match_fits(int64_t id) const;
  bool step_text_fits(int64_t pass, int64_t rule) const;  // a step's text is that of its pass and its rule
  bool node_fits_cheaply(int64_t number, bool with_text) const;
  Result<bool> node_fits(int64_t number);  // cheaply fitting ones only
  bool needs_graph() const { return !q_.shape.empty(); }
  bool pass_fits(int64_t pass) const {
    return pass >= 0 && static_cast<size_t>(pass) < pass_ok_.size() && pass_ok_[static_cast<size_t>(pass)];
  }

  bool room(HitKind kind);              // counts a hit; false: no more of its kind are handed out
  Result<UOp> node_at(int64_t number);  // until the next one is looked at
  Result<void> step_hit(int64_t id);
  Result<void> node_hit(int64_t number);
  bool look(double progress, bool indexing);  // false: stop
  void emit(double progress, bool indexing);
  // Reads on until the index holds at least this much; false: it ends before.
  Result<bool> reach_match(int64_t id);
  Result<bool> reach_node(int64_t number);

  Searcher& s_;
  const SearchQuery& q_;
  size_t per_kind_;
  const std::function<void(SearchUpdate&&)>& update_;
  const std::stop_token& stop_;
  Clock::time_point last_;
  bool emitted_ = false;
  SearchSummary summary_;
  std::vector<SearchHit> pending_;
  std::vector<bool> pass_ok_, rule_ok_, arg_ok_;
  // Where a plain word stands in nodes: in the op's name, the argument, or the metadata (sorted node numbers).
  struct NodeWord {
    bool negated = false;
    std::vector<bool> ops, args;
    std::vector<int64_t> metadata;
  };
  std::vector<NodeWord> node_words_;
};

}  // namespace rangescope::trace
