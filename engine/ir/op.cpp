#include "engine/ir/op.h"

#include <unordered_map>

namespace rangescope {

namespace {

constexpr std::string_view kAxisNames[] = {
#define X(name) #name,
    RANGESCOPE_AXIS_TYPES(X)
#undef X
};
constexpr std::string_view kAddrSpaceNames[] = {
#define X(name) #name,
    RANGESCOPE_ADDR_SPACES(X)
#undef X
};
constexpr std::string_view kOptOpNames[] = {
#define X(name) #name,
    RANGESCOPE_OPT_OPS(X)
#undef X
};

template <class Enum, size_t N>
std::optional<Enum> find_name(const std::string_view (&names)[N], std::string_view name) {
  for (size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Op> op_from_name(std::string_view name) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, Op> map;
    for (Op op : groups::All) map.emplace(op_name(op), op);
    return map;
  }();
  const auto it = by_name.find(name);
  return it == by_name.end() ? std::nullopt : std::optional(it->second);
}

std::string_view axis_name(AxisType axis) {
  return kAxisNames[static_cast<size_t>(axis)];
}
std::optional<AxisType> axis_from_name(std::string_view name) {
  return find_name<AxisType>(kAxisNames, name);
}

char axis_letter(AxisType axis) {
  switch (axis) {
    case AxisType::DEVICE:
      return 'd';
    case AxisType::GLOBAL:
      return 'g';
    case AxisType::WARP:
      return 'w';
    case AxisType::LOCAL:
      return 'l';
    case AxisType::WEAK:
      return 'L';
    case AxisType::GROUP_REDUCE:
      return 'G';
    case AxisType::REDUCE:
      return 'R';
    case AxisType::UPCAST:
      return 'u';
    case AxisType::UNROLL:
      return 'r';
    case AxisType::THREAD:
      return 't';
    case AxisType::LOOP:
      return 'L';
    case AxisType::PLACEHOLDER:
      break;
  }
  return '?';
}

std::optional<int> axis_position(AxisType axis) {
  switch (axis) {
    case AxisType::DEVICE:
      return -2;
    case AxisType::WEAK:
    case AxisType::LOOP:
      return -1;
    case AxisType::THREAD:
    case AxisType::GLOBAL:
      return 0;
    case AxisType::WARP:
      return 1;
    case AxisType::LOCAL:
    case AxisType::GROUP_REDUCE:
      return 2;
    case AxisType::UPCAST:
      return 3;
    case AxisType::REDUCE:
      return 4;
    case AxisType::UNROLL:
      return 5;
    case AxisType::PLACEHOLDER:
      break;
  }
  return std::nullopt;
}

std::string_view addrspace_name(AddrSpace space) {
  return kAddrSpaceNames[static_cast<size_t>(space)];
}
std::optional<AddrSpace> addrspace_from_name(std::string_view name) {
  return find_name<AddrSpace>(kAddrSpaceNames, name);
}

std::string_view optop_name(OptOp op) {
  return kOptOpNames[static_cast<size_t>(op)];
}
std::optional<OptOp> optop_from_name(std::string_view name) {
  return find_name<OptOp>(kOptOpNames, name);
}

}  // namespace rangescope
