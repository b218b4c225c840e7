#pragma once
// What methods of tensors take: axes, slices, pads, windows.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "engine/ir/dim.h"

namespace rangescope::frontend {

using Ints = std::vector<int64_t>;

// The axes that an operation works on: none said, all.
struct Axes {
  Axes() = default;
  Axes(int axis) : list(Ints{axis}) {}
  Axes(int64_t axis) : list(Ints{axis}) {}
  Axes(Ints axes) : list(std::move(axes)) {}
  Axes(std::initializer_list<int64_t> axes) : list(Ints(axes)) {}
  std::optional<Ints> list;
};

// start:stop:step of Python.
struct Slice {
  std::optional<Dim> start, stop;
  std::optional<int64_t> step;
};
struct NewAxis {};
struct Ellipsis {};

// How an axis is padded: elements before and after; negative ones are cut off.
using Pads = std::vector<std::pair<Dim, Dim>>;

// Of a window that slides: one number is for every axis.
struct Window {
  Ints stride = {1};
  Ints dilation = {1};
  Ints padding = {0};  // one for all; one an axis; or before and after of each axis, the last axis first
};

}  // namespace rangescope::frontend
