// Sums of products by a formula (reference: mixin/op.py einsum): operands are aligned to one alphabet, multiplied,
// summed over what the result does not name.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>

#include "engine/frontend/tensor.h"

namespace rangescope::frontend {

namespace {

std::vector<std::string> parts_of(const std::string& s) {
  std::vector<std::string> out(1);
  for (const char c : s)
    if (c == ',')
      out.emplace_back();
    else
      out.back() += c;
  return out;
}

void replace_first(std::string& s, const std::string& with) {
  if (const size_t at = s.find("..."); at != std::string::npos) s.replace(at, 3, with);
}

struct Formula {
  std::vector<std::string> inputs;
  std::string output;
};

// Letters for what "..." stands for; the result where it is not written: what stands once, in order.
Formula parse(std::string formula, const std::vector<Tensor>& xs) {
  std::erase(formula, ' ');
  const size_t arrow = formula.find("->");
  const bool has_output = arrow != std::string::npos;
  std::string lhs = formula.substr(0, arrow), rhs = has_output ? formula.substr(arrow + 2) : "";
  Formula f{parts_of(lhs), rhs};
  if (f.inputs.size() != xs.size())
    throw GraphError(fmt::format("einsum \"{}\" names {} operands, {} are given", formula, f.inputs.size(), xs.size()));
  const bool dots = formula.find("...") != std::string::npos;
  std::string unused;
  for (const char c : std::string("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    if (formula.find(c) == std::string::npos) unused += c;
  std::string all;
  if (dots) {
    std::vector<size_t> extra;
    for (size_t i = 0; i < xs.size(); ++i) {
      const std::string& s = f.inputs[i];
      const bool here = s.find("...") != std::string::npos;
      extra.push_back(here && xs[i].ndim() + 3 > s.size() ? xs[i].ndim() + 3 - s.size() : 0);
    }
    const size_t most = *std::ranges::max_element(extra);
    for (size_t i = 0; i < xs.size(); ++i) replace_first(f.inputs[i], unused.substr(most - extra[i], extra[i]));
    all = unused.substr(0, most);
    replace_first(f.output, all);
  }
  for (size_t i = 0; i < xs.size(); ++i) {
    if (f.inputs[i].size() != xs[i].ndim() ||
        !std::ranges::all_of(f.inputs[i], [](unsigned char c) { return std::isalpha(c); }))
      throw GraphError(fmt::format("einsum \"{}\": operand {} has the shape {}", formula, i, to_string(xs[i].shape())));
  }
  if (!has_output) {
    std::string joined;
    for (const std::string& s : f.inputs) joined += s;
    for (const char c : joined)
      if (std::ranges::count(joined, c) == 1 && all.find(c) == std::string::npos) f.output += c;
    std::ranges::sort(f.output);
    f.output = all + f.output;
  }
  return f;
}

// The diagonal over two axes of one letter, in the reference's place for it: last.
Tensor trace(const Tensor& t, size_t j, size_t k) {
  const int64_t n = t.sizes()[j];
  if (t.ndim() == 2) return t.diagonal();
  Ints order;
  for (size_t i = 0; i < t.ndim(); ++i)
    if (i != j && i != k) order.push_back(static_cast<int64_t>(i));
  order.push_back(static_cast<int64_t>(j));
  order.push_back(static_cast<int64_t>(k));
  const Tensor flat = t.permute(order).flatten(-2);
  Pads pads(t.ndim() - 2, {Dim(0), Dim(0)});
  pads.emplace_back(Dim(0), Dim(n));
  return flat.pad(pads).unflatten(-1, {Dim(n), Dim(n + 1)}).at({Ellipsis{}, int64_t{0}});
}

}  // namespace

Tensor Tensor::einsum(std::string formula, const std::vector<Tensor>& operands, std::optional<DType> dt) {
  if (operands.empty()) throw GraphError("einsum needs an operand");
  const Scope scope(operands[0].context(), "einsum");
  std::vector<Tensor> xs = operands;
  Formula f = parse(std::move(formula), xs);
  for (size_t i = 0; i < xs.size(); ++i) {
    std::string& s = f.inputs[i];
    for (size_t j = 0; j < s.size(); ++j)
      for (size_t k = s.find(s[j], j + 1); k != std::string::npos; k = s.find(s[j], j + 1)) {
        if (xs[i].sizes()[j] != xs[i].sizes()[k]) throw GraphError("einsum: a letter stands for two sizes");
        const char letter = s[j];
        xs[i] = trace(xs[i], j, k);
        s.erase(k, 1);  // the diagonal is the last axis
        s.erase(j, 1);
        s += letter;
        j = 0;
      }
  }
  std::map<char, int64_t> size;
  for (size_t i = 0; i < xs.size(); ++i)
    for (size_t j = 0; j < f.inputs[i].size(); ++j) {
      const int64_t n = xs[i].sizes()[j];
      const auto [it, fresh] = size.emplace(f.inputs[i][j], n);
      if (!fresh && it->second != n) {
        if (it->second != 1 && n != 1)
          throw GraphError(fmt::format("einsum: '{}' stands for {} and {}", f.inputs[i][j], it->second, n));
        it->second = std::max(it->second, n);
      }
    }
  for (const char c : f.output)
    if (!size.contains(c) || std::ranges::count(f.output, c) != 1)
      throw GraphError(fmt::format("einsum: '{}' of the result must stand once, and in an operand", c));
  for (size_t i = 0; i < xs.size(); ++i) {
    const std::string& s = f.inputs[i];
    if (s.empty()) continue;
    std::string sorted = s;
    std::ranges::sort(sorted);
    Ints order;
    for (const char c : sorted) order.push_back(static_cast<int64_t>(s.find(c)));
    Shape aligned;
    for (const auto& [c, n] : size) {
      const size_t at = s.find(c);
      aligned.emplace_back(at == std::string::npos ? 1 : xs[i].sizes()[at]);
    }
    xs[i] = xs[i].permute(order).reshape(aligned);
  }
  Tensor product = xs[0];
  for (size_t i = 1; i < xs.size(); ++i) product = xs[0].dtype() == DType::bool_ ? product & xs[i] : product * xs[i];
  Ints summed, order;
  std::string kept;
  int64_t axis = 0;
  for (const auto& [c, n] : size) {
    if (f.output.find(c) == std::string::npos)
      summed.push_back(axis);
    else
      kept += c;
    ++axis;
  }
  for (const char c : f.output) order.push_back(static_cast<int64_t>(kept.find(c)));
  return product.sum(Axes(summed), false, dt).permute(order);
}

}  // namespace rangescope::frontend
