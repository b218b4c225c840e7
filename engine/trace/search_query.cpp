#include "engine/trace/search_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/ir/nearest_name.h"
#include "engine/trace/search_text.h"

namespace rangescope::trace {

namespace {

struct Word {
  bool negated = false, quoted = false;
  std::string key, value;  // key empty: plain text
};

// Words are parted by spaces, except within quotes and brackets.
Result<std::vector<Word>> words_of(std::string_view text) {
  std::vector<Word> words;
  size_t i = 0;
  while (i < text.size()) {
    if (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
      ++i;
      continue;
    }
    Word w;
    if (text[i] == '-' && i + 1 < text.size() && text[i + 1] != ' ') {
      w.negated = true;
      ++i;
    }
    std::string s;
    int depth = 0;
    bool quote = false;
    for (; i < text.size(); ++i) {
      const char c = text[i];
      if (c == '"') {
        quote = !quote;
        w.quoted = true;
        continue;
      }
      if (!quote) {
        if ((c == ' ' || c == '\t' || c == '\n' || c == '\r') && depth == 0) break;
        if (c == '(' || c == '[') ++depth;
        if ((c == ')' || c == ']') && depth > 0) --depth;
        if (c == ':' && w.key.empty() && !w.quoted && !s.empty()) {
          w.key = lower(s);
          s.clear();
          continue;
        }
      }
      s += c;
    }
    if (quote) return refuse("a quote (\") is open: close it, or leave it out.");
    if (depth != 0) return refuse("a bracket is open: close it, or put the word into quotes.");
    w.value = std::move(s);
    if (w.value.empty() && w.key.empty()) return refuse("there is an empty word: write something between the quotes.");
    words.push_back(std::move(w));
  }
  return words;
}

std::vector<std::string_view> parts_of(std::string_view value) {
  std::vector<std::string_view> parts;
  for (size_t from = 0; from <= value.size();) {
    const size_t comma = std::min(value.find(',', from), value.size());
    std::string_view part = value.substr(from, comma - from);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    parts.push_back(part);
    from = comma + 1;
  }
  return parts;
}

std::optional<int64_t> whole_number(std::string_view s) {
  int64_t v = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v);
  if (error != std::errc() || end != s.data() + s.size()) return std::nullopt;
  return v;
}

const std::pair<std::string_view, OpSet> kOpGroups[] = {
    {"movement", groups::Movement},       {"alu", groups::ALU},
    {"elementwise", groups::Elementwise}, {"unary", groups::Unary},
    {"binary", groups::Binary},           {"ternary", groups::Ternary},
    {"comparison", groups::Comparison},   {"commutative", groups::Commutative}};

Result<OpSet> ops_of(std::string_view key, std::string_view value) {
  OpSet out;
  for (const std::string_view part : parts_of(value)) {
    OpSet found;
    const std::string wanted = lower(part);
    for (const auto& [name, set] : kOpGroups)
      if (wanted == name) found = set;
    for (size_t i = 1; i < kOpLimit; ++i)
      if (glob(wanted, lower(kOpNames[i]))) found.insert(static_cast<Op>(i));
    if (found.empty()) {
      std::vector<std::string_view> names(std::begin(kOpNames) + 1, std::end(kOpNames));
      for (const auto& g : kOpGroups) names.push_back(g.first);
      return refuse(fmt::format("{}:{} names no op.{} REDUCE, CMP* and groups such as movement are ops.", key, part,
                                did_you_mean(part, names, 1)));
    }
    out |= found;
  }
  return out;
}

Result<DTypeSet> dtypes_of(std::string_view value) {
  static const std::pair<std::string_view, DTypeSet> known[] = {
      {"floats", dtypes::floats}, {"ints", dtypes::ints}, {"uints", dtypes::uints}, {"weak", dtypes::weaks}};
  DTypeSet out;
  for (const std::string_view part : parts_of(value)) {
    DTypeSet found;
    const std::string wanted = lower(part);
    for (const auto& [name, set] : known)
      if (wanted == name) found = set;
    for (size_t i = 0; i < kDTypeCount; ++i)
      if (glob(wanted, kDTypes[i].name) || wanted == kDTypes[i].c_name) found.insert(static_cast<DType>(i));
    if (found.empty()) {
      std::vector<std::string_view> names;
      for (const DTypeInfo& d : kDTypes) names.push_back(d.name);
      for (const auto& g : known) names.push_back(g.first);
      return refuse(fmt::format("dtype:{} names no dtype.{} float32, int*, floats are dtypes.", part,
                                did_you_mean(part, names, 1)));
    }
    out = out | found;
  }
  return out;
}

Result<ShapeTest> shape_of(std::string_view value) {
  if (!value.empty() && (value.front() == '(' || value.front() == '[')) value.remove_prefix(1);
  if (!value.empty() && (value.back() == ')' || value.back() == ']')) value.remove_suffix(1);
  ShapeTest test;
  if (value.empty()) return test;
  if (value.back() == ',') value.remove_suffix(1);  // as Python writes a shape of one
  for (const std::string_view part : parts_of(value)) {
    if (part == "*") {
      test.dims.push_back(ShapeTest::kAny);
    } else if (part == "...") {
      test.dims.push_back(ShapeTest::kRest);
    } else if (const auto n = whole_number(part); n && *n >= 0) {
      test.dims.push_back(*n);
    } else {
      return refuse(fmt::format(
          "shape: takes sizes, as in shape:64,64. * stands for any size, ... for any number of them; {} is none.",
          part.empty() ? "nothing" : fmt::format("\"{}\"", part)));
    }
  }
  return test;
}

Result<void> add_time(SearchQuery& q, std::string_view value) {
  const Error wrong{"time: takes a bound with a unit, as in time:>10us or time:<1ms."};
  if (value.size() < 3 || (value[0] != '>' && value[0] != '<')) return tl::unexpected(wrong);
  const bool more = value[0] == '>';
  double v = 0;
  const auto [end, error] = std::from_chars(value.data() + 1, value.data() + value.size(), v);
  if (error != std::errc() || !std::isfinite(v) || v < 0) return tl::unexpected(wrong);
  const std::string_view unit = value.substr(static_cast<size_t>(end - value.data()));
  static const std::pair<std::string_view, double> units[] = {
      {"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  for (const auto& [name, ns] : units)
    if (unit == name) {
      const auto bound = static_cast<int64_t>(std::min(v * ns, 9e18));
      if (more)
        q.least_ns = std::max(q.least_ns, bound);
      else
        q.most_ns = std::min(q.most_ns, bound);
      return {};
    }
  return tl::unexpected(wrong);
}

Result<std::vector<int64_t>> numbers_of(std::string_view key, std::string_view value) {
  std::vector<int64_t> out;
  for (const std::string_view part : parts_of(value)) {
    const auto n = whole_number(part);
    if (!n || *n < 1)
      return refuse(
          fmt::format("{}: takes the number of a node, as in {}:1234; the panel of a node shows it.", key, key));
    out.push_back(*n);
  }
  return out;
}

NameTest names_of(const Word& w) {
  NameTest test;
  test.negated = w.negated;
  if (w.quoted) {
    test.any.push_back(lower(w.value));
    return test;
  }
  for (const std::string_view part : parts_of(w.value))
    if (!part.empty()) test.any.push_back(lower(part));
  return test;
}

template <class Set>
void narrow(std::optional<Set>& to, Set with, Set all, bool negated) {
  const Set kept = negated ? all - with : with;
  to = to ? *to & kept : kept;
}

DTypeSet all_dtypes() {
  DTypeSet s;
  for (size_t i = 0; i < kDTypeCount; ++i) s.insert(static_cast<DType>(i));
  return s;
}

Result<void> add_kind(SearchQuery& q, std::string_view value) {
  for (const std::string_view part : parts_of(value)) {
    const std::string wanted = lower(part);
    if (wanted == "first") {
      q.first = true;
      q.kinds.push_back(HitKind::Step);
      continue;
    }
    bool known = false;
    for (size_t k = 0; k < kHitKinds; ++k)
      if (wanted == hit_kind_name(static_cast<HitKind>(k))) {
        q.kinds.push_back(static_cast<HitKind>(k));
        known = true;
      }
    if (!known)
      return refuse(fmt::format(
          "is: takes pass, rule, kernel, step, node, or first for the first step only; \"{}\" is none of them.", part));
  }
  return {};
}

Result<void> add_word(SearchQuery& q, const Word& w) {
  const std::string_view key = w.key;
  if (key.empty()) {
    q.text.push_back(names_of(w));
    return {};
  }
  const auto& keys = search_keys();
  const auto known = std::ranges::find(keys, key, &SearchKey::name);
  if (known == keys.end()) {
    std::vector<std::string_view> names;
    std::string list;
    for (const SearchKey& k : keys) {
      names.push_back(k.name);
      list += (list.empty() ? "" : ", ") + std::string(k.name);
    }
    return refuse(fmt::format("nothing is searched by \"{}:\".{} There is {}. A text with a colon goes into quotes.",
                              key, did_you_mean(key, names, 1), list));
  }
  if (w.value.empty()) return refuse(fmt::format("{}: wants a value, as in {}.", key, known->example));
  if (w.negated && (key == "is" || key == "time" || key == "node" || key == "touches"))
    return refuse(fmt::format("{}: cannot be turned around with a minus.", key));
  if (key == "op" || key == "before" || key == "after") {
    const auto ops = ops_of(key, w.value);
    if (!ops) return tl::unexpected(ops.error());
    narrow(key == "op" ? q.op : key == "before" ? q.before : q.after, *ops, OpSet::all(), w.negated);
  } else if (key == "dtype") {
    const auto dtypes = dtypes_of(w.value);
    if (!dtypes) return tl::unexpected(dtypes.error());
    narrow(q.dtype, *dtypes, all_dtypes(), w.negated);
  } else if (key == "shape") {
    auto shape = shape_of(w.value);
    if (!shape) return tl::unexpected(shape.error());
    shape->negated = w.negated;
    q.shape.push_back(std::move(*shape));
  } else if (key == "node" || key == "touches") {
    const auto numbers = numbers_of(key, w.value);
    if (!numbers) return tl::unexpected(numbers.error());
    auto& to = key == "node" ? q.node : q.touches;
    to.insert(to.end(), numbers->begin(), numbers->end());
  } else if (key == "time") {
    return add_time(q, w.value);
  } else if (key == "is") {
    return add_kind(q, w.value);
  } else {
    (key == "rule" ? q.rule : key == "pass" ? q.pass : key == "kernel" ? q.kernel : q.arg).push_back(names_of(w));
  }
  return {};
}

}  // namespace

std::string_view hit_kind_name(HitKind kind) {
  static constexpr std::string_view kNames[kHitKinds] = {"pass", "rule", "kernel", "step", "node"};
  return kNames[static_cast<size_t>(kind)];
}

bool SearchQuery::empty() const {
  return !about_nodes() && !about_steps() && rule.empty() && pass.empty() && kernel.empty() && text.empty() &&
         kinds.empty();
}

bool SearchQuery::asks(HitKind kind) const {
  return std::ranges::find(kinds, kind) != kinds.end();
}

bool SearchQuery::answers(HitKind kind) const {
  if (!kinds.empty() && !asks(kind)) return false;
  switch (kind) {
    case HitKind::Pass:
      return !about_nodes() && !about_steps() && rule.empty() && (!text.empty() || !pass.empty() || asks(kind));
    case HitKind::Rule:
      return !about_nodes() && !about_steps() && pass.empty() && kernel.empty() &&
             (!text.empty() || !rule.empty() || asks(kind));
    case HitKind::Kernel:
      return !about_nodes() && !about_steps() && rule.empty() && pass.empty() &&
             (!text.empty() || !kernel.empty() || asks(kind));
    case HitKind::Step:
      return about_steps() || asks(kind) || (!rule.empty() && !about_nodes());
    case HitKind::Node:
      return !about_steps() && (about_nodes() || asks(kind) || (!text.empty() && rule.empty() && pass.empty()));
  }
  return false;
}

const std::vector<SearchKey>& search_keys() {
  static const std::vector<SearchKey> keys = {
      {"op", "op:REDUCE", "nodes with this op; CMP* or a group such as movement, alu, comparison"},
      {"dtype", "dtype:float32", "nodes of this dtype; int*, floats, weak"},
      {"shape", "shape:64,*", "nodes of this shape; * is any size, ... any number of them, () a scalar"},
      {"arg", "arg:LOOP", "nodes whose argument holds this text"},
      {"node", "node:1234", "the node with this number"},
      {"rule", "rule:remove-bufferize", "rules with this name, the steps where they fired, the nodes they made"},
      {"pass", "pass:symbolic", "passes with this name; with other words, what is in them"},
      {"kernel", "kernel:r_64", "kernels with this name, and what their code generation did"},
      {"before", "before:STAGE", "steps that replaced a node with this op"},
      {"after", "after:REDUCE", "steps that put a node with this op in its place"},
      {"touches", "touches:1234", "steps that made, replaced or gave this node"},
      {"time", "time:>10us", "steps whose rule took longer (or, with <, less)"},
      {"is", "is:step", "only pass, rule, kernel, step or node; is:first for the first step alone"},
  };
  return keys;
}

Result<SearchQuery> parse_search(std::string_view text) {
  const auto words = words_of(text);
  if (!words) return tl::unexpected(words.error());
  SearchQuery q;
  for (const Word& w : *words)
    if (auto r = add_word(q, w); !r) return tl::unexpected(r.error());
  if (q.empty()) return q;
  for (size_t k = 0; k < kHitKinds; ++k)
    if (q.answers(static_cast<HitKind>(k))) return q;
  return refuse(
      "these words do not go together: nothing that is: names can have all of them. op:, dtype:, shape:, arg: and "
      "node: are about nodes; before:, after:, touches: and time: about steps.");
}

}  // namespace rangescope::trace
