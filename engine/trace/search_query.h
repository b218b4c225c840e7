#pragma once
// The language of the search, as resources/docs/search.md documents it: words that all must hold.
//   op:REDUCE dtype:float32 shape:64,* rule:remove-bufferize pass:symbolic -arg:LOOP is:first some text

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ir/dtype.h"
#include "engine/ir/error.h"
#include "engine/ir/op.h"

namespace rangescope::trace {

enum class HitKind : uint8_t { Pass, Rule, Kernel, Step, Node };
inline constexpr size_t kHitKinds = 5;
std::string_view hit_kind_name(HitKind kind);

// A name holds one of these: part of it, the whole of it (=name), or a pattern with * and ?. Case does not count.
struct NameTest {
  std::vector<std::string> any;  // lower case
  bool negated = false;
  bool operator()(std::string_view name) const;
  // The same over several names of one thing.
  bool any_of(std::initializer_list<std::string_view> names) const;
};

struct ShapeTest {
  static constexpr int64_t kAny = -1, kRest = -2;
  std::vector<int64_t> dims;  // a size, kAny for any one, kRest for any number of them
  bool negated = false;
  bool operator()(const std::vector<int64_t>& shape) const;  // a symbolic size is below 0: it matches kAny and kRest
};

struct SearchQuery {
  // of nodes
  std::optional<OpSet> op;
  std::optional<DTypeSet> dtype;
  std::vector<ShapeTest> shape;
  std::vector<NameTest> arg;
  std::vector<int64_t> node;
  // of steps
  std::optional<OpSet> before, after;  // ops of what was replaced and of what came instead
  std::vector<int64_t> touches;        // nodes
  int64_t least_ns = 0, most_ns = INT64_MAX;
  bool first = false;
  // of both
  std::vector<NameTest> rule, pass, kernel;
  std::vector<NameTest> text;
  std::vector<HitKind> kinds;  // asked for by is:

  bool empty() const;
  bool about_nodes() const { return op || dtype || !shape.empty() || !arg.empty() || !node.empty(); }
  bool about_steps() const {
    return before || after || !touches.empty() || least_ns > 0 || most_ns < INT64_MAX || first;
  }
  bool asks(HitKind kind) const;     // by is:
  bool answers(HitKind kind) const;  // what of this kind can fit the words
};

// Says what is wrong with a text that is no query, and what would be right.
Result<SearchQuery> parse_search(std::string_view text);

// The words that a query can begin with, each with one line on what it does: for help and completion.
struct SearchKey {
  std::string_view name, example, explanation;
};
const std::vector<SearchKey>& search_keys();

}  // namespace rangescope::trace
