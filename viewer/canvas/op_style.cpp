#include "viewer/canvas/op_style.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace rangescope::viewer {

namespace {

struct OpStyle {
  std::string_view op;
  QRgb known;
  QRgb safe;
};

// The safe palette is Okabe and Ito's, one hue a family of ops, lighter and darker inside a family.
constexpr QRgb kAlu = 0xffffffc0, kSafeAlu = 0xfff7f0b0;
constexpr QRgb kMovement = 0xffd8f9e4, kSafeMovement = 0xffd5efe6;
constexpr OpStyle kOps[] = {
    {"ADD", kAlu, kSafeAlu},
    {"AFTER", 0xff8a7866, 0xff7a7a7a},
    {"ALLREDUCE", 0xffff40a0, 0xffcc79a7},
    {"AND", kAlu, kSafeAlu},
    {"BARRIER", 0xffff8080, 0xff9a9a9a},
    {"BINARY", 0xff404040, 0xff404040},
    {"BITCAST", kAlu, kSafeAlu},
    {"BUFFER", 0xffb0bdff, 0xff9cc9ea},
    {"CALL", 0xff00b7c8, 0xff0072b2},
    {"CAST", kAlu, kSafeAlu},
    {"CDIV", kAlu, kSafeAlu},
    {"CMOD", kAlu, kSafeAlu},
    {"CMPEQ", kAlu, kSafeAlu},
    {"CMPLT", kAlu, kSafeAlu},
    {"CMPNE", kAlu, kSafeAlu},
    {"CONST", 0xffe0e0e0, 0xffe0e0e0},
    {"CONTIGUOUS", 0xffffc14d, 0xffe69f00},
    {"COPY", 0xffa040a0, 0xffa04f7d},
    {"CUSTOM_FUNCTION", 0xffbf71b6, 0xff4d9bd0},
    {"END", 0xff524c46, 0xff505050},
    {"EXP2", kAlu, kSafeAlu},
    {"EXPAND", kMovement, kSafeMovement},
    {"FDIV", kAlu, kSafeAlu},
    {"FLIP", kMovement, kSafeMovement},
    {"FLOORDIV", kAlu, kSafeAlu},
    {"FLOORMOD", kAlu, kSafeAlu},
    {"FUNCTION", 0xffc07788, 0xff2f8fc4},
    {"GETADDR", 0xff9db1f0, 0xff7fb8e0},
    {"IF", 0xffc8b0c0, 0xffc0c0c0},
    {"INDEX", 0xffcef9b7, 0xff7fcfb3},
    {"INS", 0xffeec4ff, 0xffe3c6d8},
    {"LINEAR", 0xff7df4ff, 0xff8fd0f5},
    {"LOAD", 0xffffc0c0, 0xfff3c9a8},
    {"LOG2", kAlu, kSafeAlu},
    {"MAX", kAlu, kSafeAlu},
    {"MSELECT", 0xffd040a0, 0xffb86a97},
    {"MSTACK", 0xffd040a0, 0xffb86a97},
    {"MUL", kAlu, kSafeAlu},
    {"MULACC", kAlu, kSafeAlu},
    {"NEG", kAlu, kSafeAlu},
    {"OR", kAlu, kSafeAlu},
    {"PAD", kMovement, kSafeMovement},
    {"PARAM", 0xff14686f, 0xff00507e},
    {"PERMUTE", kMovement, kSafeMovement},
    {"POW", kAlu, kSafeAlu},
    {"RANGE", 0xffc8a0e0, 0xffdcb3cd},
    {"RECIPROCAL", kAlu, kSafeAlu},
    {"REDUCE", 0xffff5b5b, 0xffd55e00},
    {"RESHAPE", kMovement, kSafeMovement},
    {"REWRITE_ERROR", 0xff1a1b26, 0xff1a1b26},
    {"SHL", kAlu, kSafeAlu},
    {"SHR", kAlu, kSafeAlu},
    {"SHRINK", kMovement, kSafeMovement},
    {"SIN", kAlu, kSafeAlu},
    {"SOURCE", 0xffc0c0c0, 0xffc0c0c0},
    {"SPECIAL", 0xffc0c0ff, 0xffe6cfe0},
    {"SQRT", kAlu, kSafeAlu},
    {"STACK", kMovement, kSafeMovement},
    {"STAGE", 0xffac640d, 0xff9a5a00},
    {"STORE", 0xff87ceeb, 0xff56b4e9},
    {"SUB", kAlu, kSafeAlu},
    {"THREEFRY", 0xffffff80, 0xfff0e442},
    {"TRUNC", kAlu, kSafeAlu},
    {"UNSHARD", 0xfff6ccff, 0xffe8d3e1},
    {"WHERE", kAlu, kSafeAlu},
    {"WMMA", 0xffefefc0, 0xffefe8a0},
    {"XOR", kAlu, kSafeAlu},
};
static_assert(std::ranges::is_sorted(kOps, {}, &OpStyle::op));

struct AxisStyle {
  std::string_view axis;
  QRgb known;
  QRgb safe;
};
constexpr AxisStyle kAxes[] = {
    {"DEVICE", 0xff4cb050, 0xff009e73}, {"GLOBAL", 0xff4f7bff, 0xff0072b2}, {"GROUP_REDUCE", 0xffa02020, 0xff8f3f00},
    {"LOCAL", 0xff30c8d8, 0xff56b4e9},  {"LOOP", 0xfff4f4f4, 0xfff4f4f4},   {"REDUCE", 0xffff5050, 0xffd55e00},
    {"THREAD", 0xff80a8ff, 0xff7fb8e0}, {"UNROLL", 0xffe060e0, 0xffcc79a7}, {"UPCAST", 0xffffd83a, 0xfff0e442},
    {"WARP", 0xff40e0d0, 0xff8fd0f5},
};
static_assert(std::ranges::is_sorted(kAxes, {}, &AxisStyle::axis));

// Of every node of every frame: a power for each of them took as long as the painting.
double luminance(QRgb c) {
  static const std::array<double, 256> table = [] {
    std::array<double, 256> t{};
    for (size_t v = 0; v < t.size(); ++v) {
      const double s = static_cast<double>(v) / 255.0;
      t[v] = s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
    }
    return t;
  }();
  const auto linear = [](int v) { return table[static_cast<size_t>(v)]; };
  return 0.2126 * linear(qRed(c)) + 0.7152 * linear(qGreen(c)) + 0.0722 * linear(qBlue(c));
}

}  // namespace

QRgb opColor(std::string_view op, Palette palette) {
  const auto* it = std::ranges::lower_bound(kOps, op, {}, &OpStyle::op);
  if (it == std::end(kOps) || it->op != op) return 0xffffffff;
  return palette == Palette::Known ? it->known : it->safe;
}

QRgb axisColor(std::string_view axisType, Palette palette) {
  const auto* it = std::ranges::lower_bound(kAxes, axisType, {}, &AxisStyle::axis);
  if (it == std::end(kAxes) || it->axis != axisType) return 0xfff4f4f4;
  return palette == Palette::Known ? it->known : it->safe;
}

QRgb addressSpaceColor(std::string_view space) {
  if (space == "GLOBAL") return 0xff75bd7b;
  if (space == "LOCAL") return 0xffe7c86a;
  if (space == "REG") return 0xffe68181;
  return 0xffaaaaaa;
}

double contrast(QRgb a, QRgb b) {
  const double la = luminance(a), lb = luminance(b);
  return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QRgb textOn(QRgb fill) {
  return contrast(fill, 0xff000000) >= contrast(fill, 0xffffffff) ? 0xff000000 : 0xffffffff;
}

QRgb mix(QRgb from, QRgb to, double part) {
  const auto blend = [part](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * part)); };
  return qRgba(blend(qRed(from), qRed(to)), blend(qGreen(from), qGreen(to)), blend(qBlue(from), qBlue(to)),
               blend(qAlpha(from), qAlpha(to)));
}

}  // namespace rangescope::viewer
