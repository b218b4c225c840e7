#pragma once
// What a pass decides without rewriting anything: which values get a place in memory of their own, and why. For who
// records it; with no listener attached that is one branch.

#include <functional>
#include <span>
#include <string_view>

#include "engine/ir/store.h"

namespace rangescope {

// The store's listener.
struct Decisions {
  static constexpr bool kOutlivesNodes = true;
  // `node` is materialized over `ranges`, which close there.
  std::function<void(UOp node, std::span<const UOp> ranges, std::string_view reason)> realized;
};

inline Decisions& decisions(Store& store) {
  return store.extension<Decisions>();
}

}  // namespace rangescope
