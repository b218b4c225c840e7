#include "engine/ir/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace rangescope {

namespace {

std::string in_lower_case(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

size_t edits(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t up = row[j];
      row[j] = std::min({up + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = up;
    }
  }
  return row[b.size()];
}

}  // namespace

std::vector<std::string_view> nearest_names(std::string_view said, std::span<const std::string_view> names,
                                            size_t most) {
  const std::string wanted = in_lower_case(said);
  const size_t far = std::max<size_t>(2, said.size() / 3) + 1;
  std::vector<std::pair<size_t, std::string_view>> near;
  for (const std::string_view name : names) {
    const std::string candidate = in_lower_case(name);
    const size_t d = edits(wanted, candidate);
    if (d < far)
      near.emplace_back(d, name);
    else if (wanted.size() > 2 && candidate.find(wanted) != std::string::npos)
      near.emplace_back(far, name);
  }
  std::ranges::stable_sort(near, {}, &std::pair<size_t, std::string_view>::first);
  std::vector<std::string_view> out;
  for (const auto& [d, name] : near)
    if (out.size() < most) out.push_back(name);
  return out;
}

std::string did_you_mean(std::string_view said, std::span<const std::string_view> names, size_t most) {
  const auto near = nearest_names(said, names, most);
  std::string list;
  for (size_t i = 0; i < near.size(); ++i)
    list += fmt::format("{}{}", i == 0 ? "" : i + 1 == near.size() ? " or " : ", ", near[i]);
  return list.empty() ? list : fmt::format(" Did you mean {}?", list);
}

}  // namespace rangescope
