#pragma once
// Names that patterns bind nodes to. One list for all rules: a capture is a small number, so that a match looks
// them up in an array and not in a map.

#include <cstdint>
#include <string_view>

namespace rangescope {

// clang-format off
#define RANGESCOPE_CAPTURES(X)                                                                            \
  X(a) X(a1) X(acc) X(add) X(after) X(ah) X(al) X(alt) X(alu) X(arg) X(ast) X(b) X(base) X(bc) X(bits)    \
  X(body) X(buf) X(bufs) X(c) X(c0) X(c1) X(c2) X(c3) X(call) X(cast) X(cond) X(copy) X(cpy) X(cut)       \
  X(d) X(data) X(dest) X(div) X(dst) X(e) X(end) X(end_) X(existing_buf) X(expr) X(f) X(fac) X(ff)        \
  X(function) X(g) X(gate) X(gep) X(hi) X(i) X(idx) X(idx1) X(idx1_arg) X(idx2) X(idx_x) X(idx_y)         \
  X(index) X(inp) X(k) X(key) X(l) X(ld) X(lin) X(linear_call) X(ll) X(lo) X(load) X(loop) X(lower)       \
  X(m) X(mask) X(mop) X(moved) X(ms) X(mstack) X(mul) X(multi) X(mv) X(n) X(num) X(op) X(or_cast)         \
  X(out) X(p) X(params) X(permute) X(q) X(r) X(r1) X(r2) X(rb) X(red) X(reduce) X(reshape) X(ret)         \
  X(rng) X(root) X(s) X(sh) X(shape) X(shp) X(shrink) X(si) X(sink) X(src) X(st) X(step) X(stk)           \
  X(store) X(t) X(target) X(tr) X(tt) X(u) X(uidx) X(upper) X(v) X(val) X(valid) X(value) X(w)      \
  X(wmma) X(x) X(x1) X(x2) X(x3) X(y) X(y2) X(z)
// clang-format on

enum class CaptureId : uint8_t {
#define X(name) name,
  RANGESCOPE_CAPTURES(X)
#undef X
      kCount
};

inline constexpr std::string_view kCaptureNames[] = {
#define X(name) #name,
    RANGESCOPE_CAPTURES(X)
#undef X
};
inline constexpr size_t kCaptureCount = static_cast<size_t>(CaptureId::kCount);
inline constexpr int kPatternCaptures = 24;  // that one pattern can have

constexpr std::string_view capture_name(CaptureId id) {
  return kCaptureNames[static_cast<size_t>(id)];
}

// The captures as values to write patterns and rewrites with: `using namespace captures;` then `var(x) + 0` and `m[x]`.
namespace captures {
#define X(name) inline constexpr CaptureId name = CaptureId::name;
RANGESCOPE_CAPTURES(X)
#undef X
}  // namespace captures

}  // namespace rangescope
