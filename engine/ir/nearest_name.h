#pragma once
// Which of the names there are someone may have meant.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rangescope {

// Those within a third of `said` in edits, or that begin with it or hold it; the nearest first, at most `most`. Upper
// and lower case are alike.
std::vector<std::string_view> nearest_names(std::string_view said, std::span<const std::string_view> names,
                                            size_t most = 3);
// " Did you mean X, Y or Z?", or nothing where nothing is near.
std::string did_you_mean(std::string_view said, std::span<const std::string_view> names, size_t most = 3);

}  // namespace rangescope
