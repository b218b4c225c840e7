// Reshapes and permutes by a formula, as einops writes them (reference: mixin/movement.py rearrange).

#include <fmt/format.h>

#include <algorithm>

#include "engine/frontend/tensor.h"

namespace rangescope::frontend {

namespace {

// One side: the names in order, and which of them stand in one pair of parentheses.
struct Side {
  std::vector<std::string> names;
  std::vector<std::pair<size_t, size_t>> groups;
};

Side parse_side(const std::string& text, const std::string& formula) {
  Side side;
  std::string name;
  bool open = false;
  const auto end_name = [&] {
    if (name == "1") {
      side.groups.emplace_back(side.names.size(), side.names.size());
    } else if (!name.empty()) {
      side.names.push_back(name);
    }
    name.clear();
  };
  for (const char c : text + " ") {
    if (c != ' ' && c != '(' && c != ')') {
      name += c;
      continue;
    }
    end_name();
    if (c == ' ') continue;
    if ((c == '(') == open) throw GraphError("the parentheses of \"" + formula + "\" do not match");
    open = c == '(';
    if (open)
      side.groups.emplace_back(side.names.size(), 0);
    else
      side.groups.back().second = side.names.size();
  }
  if (open) throw GraphError("the parentheses of \"" + formula + "\" do not match");
  return side;
}

// Names for the axes that "..." stands for.
void expand_ellipsis(Side& side, size_t count) {
  const auto it = std::ranges::find(side.names, "...");
  if (it == side.names.end()) return;
  const auto at = static_cast<size_t>(it - side.names.begin());
  side.names.erase(it);
  for (size_t j = 0; j < count; ++j)
    side.names.insert(side.names.begin() + static_cast<std::ptrdiff_t>(at + j), fmt::format("...{}", j));
  for (auto& [from, to] : side.groups) {
    if (from > at) from += count - 1;
    if (to > at) to += count - 1;
  }
}

}  // namespace

Tensor Tensor::rearrange(const std::string& formula, const std::vector<std::pair<std::string, int64_t>>& sizes) const {
  const Scope scope(context(), "rearrange");
  const size_t arrow = formula.find("->");
  if (arrow == std::string::npos || formula.find("->", arrow + 2) != std::string::npos)
    throw GraphError(fmt::format(R"("{}" needs one "->")", formula));
  Side left = parse_side(formula.substr(0, arrow), formula), right = parse_side(formula.substr(arrow + 2), formula);
  std::vector<std::string> a = left.names, b = right.names;
  std::ranges::sort(a);
  std::ranges::sort(b);
  if (a != b || std::ranges::adjacent_find(a) != a.end())
    throw GraphError("both sides of \"" + formula + "\" must name the same axes, each once");
  if (std::ranges::find(a, "...") != a.end()) {
    size_t grouped = 0;
    for (const auto& [from, to] : left.groups) {
      for (size_t i = from; i < to; ++i)
        if (left.names[i] == "...") throw GraphError("\"...\" cannot stand in parentheses on the left");
      grouped += to - from;
    }
    const size_t written = left.names.size() - 1 + left.groups.size() - grouped;
    if (written > ndim()) throw GraphError("\"" + formula + "\" names more axes than the tensor has");
    const size_t count = ndim() - written;
    expand_ellipsis(left, count);
    expand_ellipsis(right, count);
  }
  const auto size_of = [&](const std::string& name) {
    for (const auto& [n, s] : sizes)
      if (n == name) return s;
    return int64_t{-1};
  };
  for (const auto& [name, size] : sizes)
    if (std::ranges::find(left.names, name) == left.names.end())
      throw GraphError(fmt::format(R"("{}" has no axis "{}")", formula, name));
  Tensor t = *this;
  for (const auto& [from, to] : left.groups) {
    Shape parts;
    for (size_t i = from; i < to; ++i) parts.emplace_back(size_of(left.names[i]));
    t = t.unflatten(static_cast<int64_t>(from), parts);
  }
  if (t.ndim() != left.names.size())
    throw GraphError(fmt::format("\"{}\" does not fit a tensor of shape {}", formula, rangescope::to_string(shape())));
  for (size_t i = 0; i < left.names.size(); ++i)
    if (const int64_t s = size_of(left.names[i]); s >= 0 && t.sizes()[i] != s)
      throw GraphError(fmt::format("axis \"{}\" has {} elements, not {}", left.names[i], t.sizes()[i], s));
  Ints order;
  for (const std::string& name : right.names) order.push_back(std::ranges::find(left.names, name) - left.names.begin());
  t = t.permute(order);
  for (size_t i = right.groups.size(); i-- > 0;) {
    const auto from = static_cast<int64_t>(right.groups[i].first), to = static_cast<int64_t>(right.groups[i].second);
    t = from < to ? t.flatten(from, to - 1) : t.unsqueeze(from);
  }
  return t;
}

}  // namespace rangescope::frontend
