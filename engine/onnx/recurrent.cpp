// Recurrent layers, unrolled over the steps.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "engine/onnx/operators.h"

namespace rangescope::onnx {

namespace {

constexpr int64_t kMostSteps = 2048;

Tensor activated(const std::string& name, const Tensor& x, double alpha, double beta) {
  std::string n = name;
  std::ranges::transform(n, n.begin(), [](unsigned char ch) { return static_cast<char>(std::tolower(ch)); });
  if (n == "sigmoid") return x.sigmoid();
  if (n == "tanh") return x.tanh();
  if (n == "relu") return x.relu();
  if (n == "affine") return x * Scalar(alpha) + Scalar(beta);
  if (n == "leakyrelu") return x.gt(0).where(x, x * Scalar(alpha));
  if (n == "hardsigmoid") return (x * Scalar(alpha) + Scalar(beta)).maximum(0.0).minimum(1.0);
  if (n == "softsign") return x.softsign();
  if (n == "softplus") return x.softplus();
  Call::refuse(fmt::format("the activation \"{}\"", name));
}

struct Layer {
  int64_t hidden = 0, steps = 0, batch = 0;
  bool backward = false;
  std::optional<Tensor> lengths;
  std::optional<double> clip;
  std::vector<std::string> names;
  std::vector<double> alphas, betas;
  Tensor act(size_t i, const Tensor& x) const {
    const Tensor limited = clip ? x.maximum(-*clip).minimum(*clip) : x;
    const auto at = [&](const std::vector<double>& v, double otherwise) { return i < v.size() ? v[i] : otherwise; };
    const bool hard = names[i] == "HardSigmoid";
    return activated(names[i], limited,
                     at(alphas, hard                      ? 0.2
                                : names[i] == "LeakyRelu" ? 0.01
                                                          : 1.0),
                     at(betas, hard ? 0.5 : 0.0));
  }
};

Tensor part(const Tensor& x, int64_t axis, int64_t from, int64_t to) {
  std::vector<std::optional<std::pair<Dim, Dim>>> cut(x.ndim());
  cut[static_cast<size_t>(axis)] = {Dim(from), Dim(to)};
  return x.shrink(cut);
}

// What a step makes of its input, (batch, features), and the states before it.
using Step = std::vector<Tensor> (*)(const Layer& l, const Tensor& x, const std::vector<Tensor>& states,
                                     const Tensor& w, const Tensor& r, const std::optional<Tensor>& b,
                                     const std::optional<Tensor>& p, const Call& c);

std::optional<Tensor> both_biases(const std::optional<Tensor>& b, int64_t width) {
  if (!b) return std::nullopt;
  return part(*b, 0, 0, width) + part(*b, 0, width, 2 * width);
}

std::vector<Tensor> rnn_step(const Layer& l, const Tensor& x, const std::vector<Tensor>& states, const Tensor& w,
                             const Tensor& r, const std::optional<Tensor>& b, const std::optional<Tensor>&,
                             const Call&) {
  Tensor z = x.matmul(w.transpose()) + states[0].matmul(r.transpose());
  if (const auto bias = both_biases(b, l.hidden)) z = z + *bias;
  return {l.act(0, z)};
}

std::vector<Tensor> lstm_step(const Layer& l, const Tensor& x, const std::vector<Tensor>& states, const Tensor& w,
                              const Tensor& r, const std::optional<Tensor>& b, const std::optional<Tensor>& p,
                              const Call& call) {
  const int64_t h = l.hidden;
  Tensor z = x.matmul(w.transpose()) + states[0].matmul(r.transpose());
  if (const auto bias = both_biases(b, 4 * h)) z = z + *bias;
  const auto gate = [&](int64_t i) { return part(z, 1, i * h, (i + 1) * h); };
  const auto peep = [&](int64_t i, const Tensor& g, const Tensor& cell) {
    return p ? g + part(*p, 0, i * h, (i + 1) * h) * cell : g;
  };
  const Tensor& before = states[1];
  const Tensor in = l.act(0, peep(0, gate(0), before));
  const Tensor forget = call.integer("input_forget", 0) != 0 ? Scalar(1.0) - in : l.act(0, peep(2, gate(2), before));
  const Tensor cell = forget * before + in * l.act(1, gate(3));
  const Tensor out = l.act(0, peep(1, gate(1), cell));
  return {out * l.act(2, cell), cell};
}

std::vector<Tensor> gru_step(const Layer& l, const Tensor& x, const std::vector<Tensor>& states, const Tensor& w,
                             const Tensor& r, const std::optional<Tensor>& b, const std::optional<Tensor>&,
                             const Call& c) {
  const int64_t h = l.hidden;
  const Tensor& before = states[0];
  Tensor wx = x.matmul(w.transpose());
  if (b) wx = wx + part(*b, 0, 0, 3 * h);
  const Tensor rt = r.transpose();
  const auto of_state = [&](int64_t from, int64_t to, const Tensor& s) {
    const Tensor y = s.matmul(part(rt, 1, from, to));
    return b ? y + part(*b, 0, 3 * h + from, 3 * h + to) : y;
  };
  const Tensor gates = l.act(0, part(wx, 1, 0, 2 * h) + of_state(0, 2 * h, before));
  const Tensor update = part(gates, 1, 0, h), reset = part(gates, 1, h, 2 * h);
  const Tensor fresh = c.integer("linear_before_reset", 0) != 0 ? reset * of_state(2 * h, 3 * h, before)
                                                                : of_state(2 * h, 3 * h, reset * before);
  const Tensor candidate = l.act(1, part(wx, 1, 2 * h, 3 * h) + fresh);
  return {(Scalar(1.0) - update) * candidate + update * before};
}

// One direction: all outputs by step, and the states at the end.
std::pair<std::vector<Tensor>, std::vector<Tensor>> run(const Layer& l, Step step, const Tensor& x,
                                                        std::vector<Tensor> states, const Tensor& w, const Tensor& r,
                                                        const std::optional<Tensor>& b, const std::optional<Tensor>& p,
                                                        const Call& c) {
  std::vector<Tensor> outputs;
  for (int64_t i = 0; i < l.steps; ++i) {
    const int64_t t = l.backward ? l.steps - 1 - i : i;
    std::vector<Tensor> next = step(l, x.at({t}), states, w, r, b, p, c);
    Tensor y = next[0];
    if (l.lengths) {  // past its end a sequence keeps its state and gives 0
      const Tensor alive = l.lengths->gt(t);
      for (size_t k = 0; k < next.size(); ++k) next[k] = alive.where(next[k], states[k]);
      y = alive.where(y, 0).cast(y.dtype());
    }
    for (Tensor& s : next) s = s.cast(x.dtype()).contiguous();
    outputs.push_back(y.cast(x.dtype()));
    states = std::move(next);
  }
  if (l.backward) std::ranges::reverse(outputs);
  return {outputs, states};
}

// `gates`: how many rows of weights an output needs; `states`: what is carried; the input of the first initial state.
Values layer(Call& c, Step step, size_t gates, size_t states, const std::vector<std::string>& defaults) {
  Tensor x = c.x(0);
  const Tensor w = c.x(1), r = c.x(2);
  const bool batch_first = c.integer("layout", 0) != 0;
  if (x.ndim() != 3 || w.ndim() != 3 || r.ndim() != 3) Call::refuse("its inputs have 3 axes each");
  if (batch_first) x = x.transpose(0, 1);
  Layer l;
  l.hidden = r.size(2);
  l.steps = x.size(0);
  l.batch = x.size(1);
  if (l.steps < 1 || l.steps > kMostSteps) Call::refuse(fmt::format("over {} steps", l.steps));
  if (w.size(1) != static_cast<int64_t>(gates) * l.hidden || r.size(1) != w.size(1) || w.size(2) != x.size(2))
    Call::refuse("its weights do not fit");
  const std::string direction = c.text("direction", "forward");
  const size_t directions = direction == "bidirectional" ? 2 : 1;
  if (w.size(0) != static_cast<int64_t>(directions)) Call::refuse("its weights have another number of directions");
  if (c.has_attribute("clip")) l.clip = c.number("clip", 0);
  if (c.has(4)) l.lengths = c.x(4).reshape({Dim(l.batch), Dim(1)});
  std::vector<std::string> names;
  for (size_t d = 0; d < directions; ++d) names.insert(names.end(), defaults.begin(), defaults.end());
  names = c.texts("activations").value_or(names);
  if (names.size() != defaults.size() * directions) Call::refuse("it has another number of activations");
  const std::vector<double> alphas = c.floats("activation_alpha").value_or(std::vector<double>{}),
                            betas = c.floats("activation_beta").value_or(std::vector<double>{});
  std::vector<std::vector<Tensor>> by_direction;  // outputs
  std::vector<std::vector<Tensor>> last(states);
  const std::optional<Tensor> b = c.maybe(3), p = states == 2 ? c.maybe(7) : std::nullopt;
  for (size_t d = 0; d < directions; ++d) {
    const auto di = static_cast<int64_t>(d);
    l.backward = direction == "reverse" || d == 1;
    const auto first = static_cast<std::ptrdiff_t>(d * defaults.size());
    const auto count = static_cast<std::ptrdiff_t>(defaults.size());
    l.names.assign(names.begin() + first, names.begin() + first + count);
    if (std::ssize(alphas) >= first + count) l.alphas.assign(alphas.begin() + first, alphas.begin() + first + count);
    if (std::ssize(betas) >= first + count) l.betas.assign(betas.begin() + first, betas.begin() + first + count);
    std::vector<Tensor> start;
    for (size_t s = 0; s < states; ++s) {
      if (c.has(5 + s)) {
        Tensor initial = c.x(5 + s);
        if (batch_first) initial = initial.transpose(0, 1);
        start.push_back(initial.at({di}));
      } else {
        start.push_back(
            c.context().full({Dim(l.batch), Dim(l.hidden)}, Scalar(0.0), {.dtype = x.dtype(), .buffer = false}));
      }
    }
    const auto row = [&](const std::optional<Tensor>& t) { return t ? std::optional<Tensor>(t->at({di})) : t; };
    auto [outputs, ends] = run(l, step, x, start, w.at({di}), r.at({di}), row(b), row(p), c);
    by_direction.push_back(std::move(outputs));
    for (size_t s = 0; s < states; ++s) last[s].push_back(ends[s]);
  }
  std::vector<Tensor> steps;  // (directions, batch, hidden) each
  for (int64_t t = 0; t < l.steps; ++t) {
    std::vector<Tensor> both;
    both.reserve(by_direction.size());
    for (const auto& outputs : by_direction) both.push_back(outputs[static_cast<size_t>(t)]);
    steps.push_back(stacked(both, 0));
  }
  Tensor y = stacked(steps, 0);
  Values out{as_value(batch_first ? y.permute({2, 0, 1, 3}) : y)};
  for (const auto& ends : last) {
    const Tensor end = stacked(ends, 0);
    out.push_back(as_value(batch_first ? end.transpose(0, 1) : end));
  }
  return out;
}

Values rnn(Call& c) {
  return layer(c, rnn_step, 1, 1, {"Tanh"});
}
Values lstm(Call& c) {
  return layer(c, lstm_step, 4, 2, {"Sigmoid", "Tanh", "Tanh"});
}
Values gru(Call& c) {
  return layer(c, gru_step, 3, 1, {"Sigmoid", "Tanh"});
}

}  // namespace

std::span<const Operator> recurrent_operators() {
  static constexpr Operator kRows[] = {{"GRU", gru}, {"LSTM", lstm}, {"RNN", rnn}};
  return kRows;
}

}  // namespace rangescope::onnx
