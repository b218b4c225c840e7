#include "engine/codegen/glsl_float64.h"

namespace rangescope::codegen {

namespace {

// 2^n * 2^r with r in [-0.5, 0.5] and the power series of 2^r. The scale goes on in two steps, so that a subnormal
// result is rounded once.
constexpr const char* kExp2 = R"(
double exp2_float64(double x) {
  if (isnan(x)) return x;
  if (x >= 1024.0lf) return packDouble2x32(uvec2(0u, 0x7ff00000u));
  if (x < -1075.0lf) return 0.0lf;
  double whole = roundEven(x), r = x - whole;
  double p = 1.3691488853904128e-12lf;
  p = p * r + 2.5678435993488206e-11lf;
  p = p * r + 4.4455382718708116e-10lf;
  p = p * r + 7.054911620801123e-09lf;
  p = p * r + 1.01780860092397e-07lf;
  p = p * r + 1.321548679014431e-06lf;
  p = p * r + 1.5252733804059841e-05lf;
  p = p * r + 0.0001540353039338161lf;
  p = p * r + 0.0013333558146428443lf;
  p = p * r + 0.009618129107628477lf;
  p = p * r + 0.05550410866482158lf;
  p = p * r + 0.24022650695910072lf;
  p = p * r + 0.6931471805599453lf;
  p = p * r + 1.0lf;
  int n = int(whole), half_n = n / 2, rest = n - half_n;
  return p * packDouble2x32(uvec2(0u, uint(half_n + 1023) << 20)) * packDouble2x32(uvec2(0u, uint(rest + 1023) << 20));
}
)";

// x = m * 2^e with m around 1; log m is the series of 2 artanh((m - 1) / (m + 1)).
constexpr const char* kLog2 = R"(
double log2_float64(double x) {
  if (isnan(x) || x < 0.0lf) return packDouble2x32(uvec2(0u, 0x7ff80000u));
  if (x == 0.0lf) return packDouble2x32(uvec2(0u, 0xfff00000u));
  if (isinf(x)) return x;
  int e = 0;
  if (x < 2.2250738585072014e-308lf) x *= 18014398509481984.0lf, e = -54;
  uvec2 bits = unpackDouble2x32(x);
  e += int(bits.y >> 20) - 1023;
  double m = packDouble2x32(uvec2(bits.x, (bits.y & 0xfffffu) | 0x3ff00000u));
  if (m > 1.4142135623730951lf) m *= 0.5lf, e += 1;
  double s = (m - 1.0lf) / (m + 1.0lf), z = s * s;
  double p = 0.11541560327111708lf;
  p = p * z + 0.12545174268599682lf;
  p = p * z + 0.1373995277037108lf;
  p = p * z + 0.15186263588304877lf;
  p = p * z + 0.16972882833987804lf;
  p = p * z + 0.19235933878519512lf;
  p = p * z + 0.22195308321368667lf;
  p = p * z + 0.2623081892525388lf;
  p = p * z + 0.3205988979753252lf;
  p = p * z + 0.4121985831111324lf;
  p = p * z + 0.5770780163555853lf;
  p = p * z + 0.9617966939259756lf;
  return double(e) + (s * 2.8853900817779268lf + (s * (4.0710547481862066e-17lf) + s * z * p));
}
)";

}  // namespace

std::string glsl_float64_functions(const std::string& body) {
  const auto calls = [&](const char* name) { return body.find(name) != std::string::npos; };
  return std::string(calls("exp2_float64(") ? kExp2 : "") + (calls("log2_float64(") ? kLog2 : "");
}

}  // namespace rangescope::codegen
