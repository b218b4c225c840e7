// Control flow that folds: conditions and counts that are known choose what is built. And sequences of tensors, which
// exist only then.

#include <fmt/format.h>

#include <algorithm>

#include "engine/onnx/importer.h"

namespace rangescope::onnx {

namespace {

constexpr int64_t kMostIterations = 4096;

Values branch(Call& c) {
  const Ints condition = c.ints(0);
  if (condition.size() != 1) Call::refuse("its condition must be one value");
  return c.importer().run_graph(c.graph(condition[0] != 0 ? "then_branch" : "else_branch"), {}, &c.names());
}

Values loop(Call& c) {
  const Graph& body = c.graph("body");
  const int64_t most = c.has(0) ? c.integer(size_t{0}) : kMostIterations + 1;
  bool going = !c.has(1) || c.integer(size_t{1}) != 0;
  Values carried;
  for (size_t i = 2; i < c.count(); ++i) carried.push_back(c.value(i));
  const size_t n = carried.size();
  if (body.inputs.size() != n + 2 || body.outputs.size() < n + 1) Call::refuse("its body does not fit what it carries");
  std::vector<std::vector<Tensor>> scans(body.outputs.size() - 1 - n);
  for (int64_t i = 0; i < most && going; ++i) {
    if (i >= kMostIterations) Call::refuse(fmt::format("it runs more than {} times", kMostIterations));
    Values in{as_scalar(i), as_value(HostArray::from_ints(DType::bool_, {}, Ints{1}))};
    in.insert(in.end(), carried.begin(), carried.end());
    const Values out = c.importer().run_graph(body, in, &c.names());
    going = c.importer().numbers(out[0], "the condition of its next turn must be known").to_ints().at(0) != 0;
    carried.assign(out.begin() + 1, out.begin() + 1 + static_cast<std::ptrdiff_t>(n));
    for (size_t s = 0; s < scans.size(); ++s) scans[s].push_back(c.importer().tensor(out[1 + n + s]));
  }
  for (const auto& s : scans) {
    if (s.empty()) Call::refuse("it gathers results of no turns");
    carried.push_back(as_value(stacked(s, 0)));
  }
  return carried;
}

Values scan(Call& c) {
  const Graph& body = c.graph("body");
  const auto scanned = static_cast<size_t>(c.integer("num_scan_inputs", 0));
  const bool batched = c.opset() < 9;  // there a first input with lengths, and an axis of batches
  const size_t first = batched ? 1 : 0;
  if (scanned < 1 || c.count() < first + scanned) Call::refuse("it has too few inputs");
  if (batched && c.has(0)) Call::refuse("lengths of sequences are not supported");
  const size_t n = c.count() - first - scanned;
  if (body.outputs.size() < n) Call::refuse("its body has too few outputs");
  const size_t gathered = body.outputs.size() - n;
  const auto flags = [&](const char* name, size_t count) { return c.list(name).value_or(Ints(count, 0)); };
  const Ints in_axes = flags("scan_input_axes", scanned), out_axes = flags("scan_output_axes", gathered),
             in_back = flags(batched ? "directions" : "scan_input_directions", scanned),
             out_back = flags("scan_output_directions", gathered);
  if (in_axes.size() != scanned || in_back.size() != scanned || out_axes.size() != gathered ||
      out_back.size() != gathered)
    Call::refuse("its axes and directions do not fit its inputs and outputs");
  const auto scan_one = [&](Values carried, const std::vector<Tensor>& over) {
    std::vector<std::vector<Tensor>> made(gathered);
    const int64_t length = over[0].size(Call::wrapped(in_axes[0], over[0].ndim()));
    if (length < 1 || length > kMostIterations) Call::refuse(fmt::format("over {} steps", length));
    for (int64_t step = 0; step < length; ++step) {
      Values in = carried;
      for (size_t k = 0; k < scanned; ++k) {
        const auto axis = static_cast<size_t>(Call::wrapped(in_axes[k], over[k].ndim()));
        std::vector<Tensor::Index> at(over[k].ndim(), frontend::Slice{});
        at[axis] = in_back[k] != 0 ? length - 1 - step : step;
        in.push_back(as_value(over[k].at(at)));
      }
      const Values out = c.importer().run_graph(body, in, &c.names());
      carried.assign(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(n));
      for (size_t k = 0; k < gathered; ++k) made[k].push_back(c.importer().tensor(out[n + k]));
    }
    for (size_t k = 0; k < gathered; ++k) {
      if (out_back[k] != 0) std::ranges::reverse(made[k]);
      carried.push_back(as_value(stacked(made[k], Call::wrapped(out_axes[k], made[k][0].ndim() + 1))));
    }
    return carried;
  };
  std::vector<Tensor> over;
  for (size_t k = 0; k < scanned; ++k) over.push_back(c.x(first + n + k));
  Values start;
  for (size_t i = 0; i < n; ++i) start.push_back(c.value(first + i));
  if (!batched) return scan_one(start, over);
  std::vector<std::vector<Tensor>> all(n + gathered);
  for (int64_t b = 0; b < over[0].size(0); ++b) {
    Values state;
    state.reserve(start.size());
    for (const Value& v : start) state.push_back(as_value(c.importer().tensor(v).at({b})));
    std::vector<Tensor> part;
    part.reserve(over.size());
    for (const Tensor& t : over) part.push_back(t.at({b}));
    const Values out = scan_one(state, part);
    for (size_t i = 0; i < out.size(); ++i) all[i].push_back(c.importer().tensor(out[i]));
  }
  Values out;
  for (const auto& a : all) out.push_back(as_value(stacked(a, 0)));
  return out;
}

// ** sequences

Values sequence_empty(Call&) {
  return {as_sequence({})};
}
Values sequence_construct(Call& c) {
  Values all;
  for (size_t i = 0; i < c.count(); ++i) all.push_back(c.value(i));
  return {as_sequence(std::move(all))};
}
int64_t place_in(Call& c, size_t input, int64_t otherwise, size_t size, bool end_too) {
  const auto n = static_cast<int64_t>(size);
  int64_t at = c.has(input) ? c.integer(input) : otherwise;
  if (at < 0) at += n;
  if (at < 0 || at > n || (at == n && !end_too)) Call::refuse(fmt::format("place {} in a sequence of {}", at, n));
  return at;
}
Values sequence_insert(Call& c) {
  Values all = c.sequence(0);
  const auto n = static_cast<int64_t>(all.size());
  all.insert(all.begin() + place_in(c, 2, n, all.size(), true), c.value(1));
  return {as_sequence(std::move(all))};
}
Values sequence_at(Call& c) {
  const Values& all = c.sequence(0);
  return {all[static_cast<size_t>(place_in(c, 1, 0, all.size(), false))]};
}
Values sequence_erase(Call& c) {
  Values all = c.sequence(0);
  all.erase(all.begin() + place_in(c, 1, static_cast<int64_t>(all.size()) - 1, all.size(), false));
  return {as_sequence(std::move(all))};
}
Values sequence_length(Call& c) {
  return {as_scalar(static_cast<int64_t>(c.sequence(0).size()))};
}
Values concat_from_sequence(Call& c) {
  std::vector<Tensor> all;
  for (const Value& v : c.sequence(0)) all.push_back(c.importer().tensor(v));
  if (all.empty()) Call::refuse("of an empty sequence");
  const bool fresh = c.integer("new_axis", 0) != 0;
  const int64_t axis = c.axis("axis", 0, all[0].ndim() + (fresh ? 1 : 0));
  if (fresh) return {as_value(stacked(all, axis))};
  return {as_value(all.size() == 1 ? all[0] : all[0].cat({all.begin() + 1, all.end()}, axis))};
}
Values split_to_sequence(Call& c) {
  const Tensor x = c.x(0);
  const int64_t axis = c.axis("axis", 0, x.ndim());
  const bool single = !c.has(1);
  std::vector<Tensor> parts;
  if (single || c.numbers(1).shape.empty())
    parts = x.split(single ? 1 : c.integer(size_t{1}), axis);
  else
    parts = x.split(c.ints(1), axis);
  Values out;
  for (const Tensor& t : parts) out.push_back(as_value(single && c.integer("keepdims", 1) == 0 ? t.squeeze(axis) : t));
  return {as_sequence(std::move(out))};
}
Values sequence_map(Call& c) {
  const Graph& body = c.graph("body");
  const Values& over = c.sequence(0);
  std::vector<Values> out(body.outputs.size());
  for (size_t i = 0; i < over.size(); ++i) {
    Values in{over[i]};
    for (size_t k = 1; k < c.count(); ++k) in.push_back(c.value(k)->sequence ? c.sequence(k).at(i) : c.value(k));
    const Values made = c.importer().run_graph(body, in, &c.names());
    for (size_t k = 0; k < made.size(); ++k) out[k].push_back(made[k]);
  }
  Values result;
  for (Values& o : out) result.push_back(as_sequence(std::move(o)));
  return result;
}

// ** optionals

Values optional(Call& c) {
  if (c.has(0)) return {c.value(0)};
  return {std::make_shared<ValueState>()};
}
bool holds(const Value& v) {
  return v->tensor || v->known || v->sequence;
}
Values optional_has_element(Call& c) {
  return {as_value(HostArray::from_ints(DType::bool_, {}, Ints{c.has(0) && holds(c.value(0)) ? 1 : 0}))};
}
Values optional_get_element(Call& c) {
  if (!holds(c.value(0))) Call::refuse("of an optional that is empty");
  return {c.value(0)};
}

}  // namespace

std::span<const Operator> control_operators() {
  static constexpr Operator kRows[] = {
      {"ConcatFromSequence", concat_from_sequence},
      {"If", branch},
      {"Loop", loop},
      {"Optional", optional},
      {"OptionalGetElement", optional_get_element},
      {"OptionalHasElement", optional_has_element},
      {"Scan", scan},
      {"SequenceAt", sequence_at},
      {"SequenceConstruct", sequence_construct},
      {"SequenceEmpty", sequence_empty},
      {"SequenceErase", sequence_erase},
      {"SequenceInsert", sequence_insert},
      {"SequenceLength", sequence_length},
      {"SequenceMap", sequence_map},
      {"SplitToSequence", split_to_sequence},
  };
  return kRows;
}

}  // namespace rangescope::onnx
