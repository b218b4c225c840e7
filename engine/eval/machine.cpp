#include "engine/eval/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/eval/elementwise.h"
#include "engine/ir/error.h"
#include "engine/ir/scalar.h"
#include "engine/ir/traversal.h"

namespace rangescope::eval {

namespace {

// A machine's order of a sum is another than the evaluator's: so many times what rounding makes here.
constexpr double kOtherOrder = 8;

const BufferResult* buffer_in(const Outcome& outcome, int64_t slot) {
  const auto it = std::ranges::find(outcome.buffers, slot, &BufferResult::slot);
  return it == outcome.buffers.end() ? nullptr : &*it;
}

bool near(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::fabs(a - b) <= tolerance;
}

// What rounding makes of nearly all elements: the 95th percentile of the difference.
double usual_difference(const std::vector<double>& exact, const std::vector<double>& rounded) {
  std::vector<double> d;
  d.reserve(exact.size());
  for (size_t i = 0; i < exact.size(); ++i)
    if (const double x = std::fabs(exact[i] - rounded[i]); std::isfinite(x)) d.push_back(x);
  if (d.empty()) return 0;
  const auto at = d.begin() + static_cast<std::ptrdiff_t>((d.size() - 1) * 95 / 100);
  std::ranges::nth_element(d, at);
  return *at;
}

std::string int_text(DType dtype, int64_t v) {
  return dtype == DType::uint64 ? std::to_string(static_cast<uint64_t>(v)) : std::to_string(v);
}

std::optional<Difference> float_difference(const BufferResult& exact, const BufferResult& rounded, const Array& got,
                                           const Tolerance& tolerance) {
  std::vector<double> e, r;
  for (size_t i = 0; i < got.floats.size(); ++i) {
    e.push_back(exact.element(i));
    r.push_back(rounded.element(i));
  }
  double largest = 0;
  for (const double x : e)
    if (std::isfinite(x)) largest = std::max(largest, std::fabs(x));
  const double base = std::max(tolerance.absolute, tolerance.relative * largest), usual = usual_difference(e, r);
  for (size_t i = 0; i < e.size(); ++i) {
    if (!exact.after->invalid.empty() && exact.after->invalid[i] != 0) continue;
    const double own = std::fabs(e[i] - r[i]);
    const double within = base + kOtherOrder * std::max(usual, std::isfinite(own) ? own : 0);
    if (near(got.floats[i], e[i], within) || near(got.floats[i], r[i], within)) continue;
    return Difference{.slot = exact.slot,
                      .element = static_cast<int64_t>(i),
                      .text = fmt::format("element {} of the buffer in slot {} is {}, not {} (within {:.3g})", i,
                                          exact.slot, python_repr(got.floats[i]), python_repr(e[i]), within)};
  }
  return std::nullopt;
}

std::optional<Difference> int_difference(const BufferResult& exact, const BufferResult& rounded, const Array& got) {
  for (size_t i = 0; i < got.ints.size(); ++i) {
    if (!exact.after->invalid.empty() && exact.after->invalid[i] != 0) continue;
    const int64_t e = exact.after->ints[i], r = rounded.after->ints[i], g = got.ints[i];
    if (g == e || e != r) continue;
    return Difference{.slot = exact.slot,
                      .element = static_cast<int64_t>(i),
                      .text = fmt::format("element {} of the buffer in slot {} is {}, not {}", i, exact.slot,
                                          int_text(exact.dtype, g), int_text(exact.dtype, e))};
  }
  return std::nullopt;
}

}  // namespace

Tolerance machine_tolerance(UOp graph) {
  DTypeSet computed;
  bool built_in = false;
  for (const UOp u : toposort(graph)) {
    if (!u.in(groups::ALU) && !u.in({Op::REDUCE, Op::CAST})) continue;
    computed.insert(u.dtype());
    built_in = built_in || u.in({Op::EXP2, Op::LOG2, Op::SIN, Op::POW});
  }
  if (computed.contains(DType::fp8e5m2) || computed.contains(DType::fp8e5m2fnuz)) return {1, 0.125};
  if (computed.contains(DType::fp8e4m3) || computed.contains(DType::fp8e4m3fnuz)) return {0.5, 0.0625};
  if (computed.contains(DType::bfloat16)) return {6e-2, 1e-6};
  if (computed.contains(DType::float16)) return {8e-3, 1e-6};
  if (computed.contains(DType::float32)) return {built_in ? 1e-4 : 1e-5, built_in ? 1e-6 : 1e-30};
  return {1e-10, 1e-30};
}

Result<Expectation> expectation(UOp graph, Inputs inputs) {
  Expectation out;
  inputs.round_each = false;
  auto exact = evaluate(graph, inputs);
  if (!exact) return tl::unexpected(std::move(exact.error()));
  out.exact = std::move(*exact);
  inputs.round_each = true;
  auto rounded = evaluate(graph, inputs);
  if (!rounded) return tl::unexpected(std::move(rounded.error()));
  out.rounded = std::move(*rounded);
  out.tolerance = machine_tolerance(graph);
  return out;
}

std::optional<Difference> machine_difference(const Expectation& expected, int64_t slot, const Array& got) {
  const BufferResult *exact = buffer_in(expected.exact, slot), *rounded = buffer_in(expected.rounded, slot);
  if (exact == nullptr || rounded == nullptr) return std::nullopt;
  const bool floats = is_float(exact->dtype);
  const size_t have = floats ? got.floats.size() : got.ints.size(),
               want = floats ? exact->after->floats.size() : exact->after->ints.size();
  if (have != want)
    return Difference{.slot = slot,
                      .text = fmt::format("the buffer in slot {} has {} elements, not {}", slot, have, want)};
  return floats ? float_difference(*exact, *rounded, got, expected.tolerance) : int_difference(*exact, *rounded, got);
}

}  // namespace rangescope::eval
