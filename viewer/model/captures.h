#pragma once

#include <QRgb>
#include <string>
#include <utility>
#include <vector>

#include "engine/ir/uop.h"

namespace rangescope::viewer {

// What the names of a rule's pattern (JSON, engine/trace/pattern_json.h) stand for where it matched `root`, in the
// order of the graph. Where a pattern fits in several ways, the first of them, which is not always the one that the
// rule took. Empty: the pattern names nothing, does not fit, or is too much for a moment.
std::vector<std::pair<std::string, UOp>> captures(const std::string& pattern, UOp root);

// Of the nth name of a pattern, in the graph and in the text.
QRgb captureColor(size_t n);

}  // namespace rangescope::viewer
