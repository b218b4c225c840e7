#pragma once
// What a search goes through: every match and every node of a trace as a few bytes each, in memory (24 and 12 bytes).
// Read bit by bit, so that whoever waits can be told how far it is, and so that a search can use what is there already.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/trace/reader.h"

namespace rangescope::trace {

// A step at which something can be looked at: the graph of `pass` after its first `step` matches. Pass 0: nowhere.
struct Place {
  int64_t pass = 0, step = 0;
  bool operator==(const Place&) const = default;
};

class SearchIndex {
 public:
  struct Match {
    uint32_t pass, index;    // position in its pass, from 0
    uint32_t before, after;  // after 0: the rule raised
    uint32_t rule, ns;       // ns: at most what fits
  };
  struct Node {
    Op op;
    DType dtype;
    uint32_t arg;      // number in `args`; 0: none
    uint32_t made_by;  // match; 0: none
  };

  explicit SearchIndex(Reader& reader) : reader_(reader) {}

  // Reads on until the time is up or someone asks to stop; true: everything is read.
  Result<bool> extend(std::chrono::milliseconds time, const std::stop_token& stop = {});
  bool complete() const { return nodes_complete_; }
  bool matches_complete() const { return matches_complete_; }
  double progress() const;  // 0 to 1

  // Of what is read so far; numbers count from 1.
  int64_t match_count() const { return static_cast<int64_t>(matches_.size()); }
  int64_t node_count() const { return static_cast<int64_t>(nodes_.size()); }
  const Match& match(int64_t id) const { return matches_[static_cast<size_t>(id - 1)]; }
  const Node& node(int64_t number) const { return nodes_[static_cast<size_t>(number - 1)]; }

  Place place_of_match(int64_t id) const { return {match(id).pass, match(id).index + int64_t{1}}; }
  // Where a node is seen first. Once all matches are read.
  Place place_of_node(int64_t number) const;
  // Matches that had happened when the pass began, as far as the trace tells.
  int64_t matches_before(int64_t pass) const {
    return pass < 1 || pass > static_cast<int64_t>(begins_.size()) ? 0
                                                                   : begins_[static_cast<size_t>(pass - 1)].after_match;
  }
  // What showed it there first.
  enum class Shown : uint8_t { ByMatch, AsInput, BeforeMatch, AtEnd, Nowhere };
  struct Origin {
    Shown how = Shown::Nowhere;
    Place place;
    int64_t match = 0;  // of ByMatch and BeforeMatch
  };
  Origin origin(int64_t number) const;

 private:
  Result<void> read_matches(const std::stop_token& stop, std::chrono::steady_clock::time_point until);
  Result<void> read_nodes(const std::stop_token& stop, std::chrono::steady_clock::time_point until);
  void order_passes();
  Error damaged(std::string_view what) const;

  Reader& reader_;
  std::vector<Match> matches_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> in_pass_;  // by pass: matches read so far
  std::vector<uint32_t> top_;      // by match: the highest number of a node up to there
  bool matches_complete_ = false, nodes_complete_ = false;
  // The ends of passes in the order in which they came, and the beginnings, each with the highest number up to there
  // and the last match before it.
  struct Event {
    int64_t pass;
    int64_t top;
    int64_t after_match;
  };
  std::vector<Event> begins_, ends_;
};

}  // namespace rangescope::trace
