#version 460
// out = a b: row-major matrices [M, K] and [K, N], one product for each workgroup along z. An invocation keeps a tile of
// ROWS x (4 VECTORS) sums in registers and reads everything 16 bytes at a time.
#ifndef M
#define M 512
#define N 512
#define K 512
#endif
#define ROWS 8
#define VECTORS 2

layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, set = 0, binding = 0) writeonly buffer Out { vec4 product[]; };
layout(std430, set = 0, binding = 1) readonly buffer A { vec4 a[]; };
layout(std430, set = 0, binding = 2) readonly buffer B { vec4 b[]; };

void main() {
  const uint column = gl_GlobalInvocationID.x * VECTORS, row = gl_GlobalInvocationID.y * ROWS;
  const uint a_from = (gl_GlobalInvocationID.z * M + row) * (K / 4);
  const uint b_from = gl_GlobalInvocationID.z * K * (N / 4) + column;
  const uint to = (gl_GlobalInvocationID.z * M + row) * (N / 4) + column;
  vec4 s0_0 = vec4(0);
  vec4 s0_1 = vec4(0);
  vec4 s1_0 = vec4(0);
  vec4 s1_1 = vec4(0);
  vec4 s2_0 = vec4(0);
  vec4 s2_1 = vec4(0);
  vec4 s3_0 = vec4(0);
  vec4 s3_1 = vec4(0);
  vec4 s4_0 = vec4(0);
  vec4 s4_1 = vec4(0);
  vec4 s5_0 = vec4(0);
  vec4 s5_1 = vec4(0);
  vec4 s6_0 = vec4(0);
  vec4 s6_1 = vec4(0);
  vec4 s7_0 = vec4(0);
  vec4 s7_1 = vec4(0);
  for (int k = 0; k < K / 4; ++k) {
    const vec4 x0 = a[a_from + 0 * (K / 4) + k];
    const vec4 x1 = a[a_from + 1 * (K / 4) + k];
    const vec4 x2 = a[a_from + 2 * (K / 4) + k];
    const vec4 x3 = a[a_from + 3 * (K / 4) + k];
    const vec4 x4 = a[a_from + 4 * (K / 4) + k];
    const vec4 x5 = a[a_from + 5 * (K / 4) + k];
    const vec4 x6 = a[a_from + 6 * (K / 4) + k];
    const vec4 x7 = a[a_from + 7 * (K / 4) + k];
    const vec4 y0_0 = b[b_from + (k * 4 + 0) * (N / 4) + 0];
    s0_0 += x0.x * y0_0;
    s1_0 += x1.x * y0_0;
    s2_0 += x2.x * y0_0;
    s3_0 += x3.x * y0_0;
    s4_0 += x4.x * y0_0;
    s5_0 += x5.x * y0_0;
    s6_0 += x6.x * y0_0;
    s7_0 += x7.x * y0_0;
    const vec4 y0_1 = b[b_from + (k * 4 + 0) * (N / 4) + 1];
    s0_1 += x0.x * y0_1;
    s1_1 += x1.x * y0_1;
    s2_1 += x2.x * y0_1;
    s3_1 += x3.x * y0_1;
    s4_1 += x4.x * y0_1;
    s5_1 += x5.x * y0_1;
    s6_1 += x6.x * y0_1;
    s7_1 += x7.x * y0_1;
    const vec4 y1_0 = b[b_from + (k * 4 + 1) * (N / 4) + 0];
    s0_0 += x0.y * y1_0;
    s1_0 += x1.y * y1_0;
    s2_0 += x2.y * y1_0;
    s3_0 += x3.y * y1_0;
    s4_0 += x4.y * y1_0;
    s5_0 += x5.y * y1_0;
    s6_0 += x6.y * y1_0;
    s7_0 += x7.y * y1_0;
    const vec4 y1_1 = b[b_from + (k * 4 + 1) * (N / 4) + 1];
    s0_1 += x0.y * y1_1;
    s1_1 += x1.y * y1_1;
    s2_1 += x2.y * y1_1;
    s3_1 += x3.y * y1_1;
    s4_1 += x4.y * y1_1;
    s5_1 += x5.y * y1_1;
    s6_1 += x6.y * y1_1;
    s7_1 += x7.y * y1_1;
    const vec4 y2_0 = b[b_from + (k * 4 + 2) * (N / 4) + 0];
    s0_0 += x0.z * y2_0;
    s1_0 += x1.z * y2_0;
    s2_0 += x2.z * y2_0;
    s3_0 += x3.z * y2_0;
    s4_0 += x4.z * y2_0;
    s5_0 += x5.z * y2_0;
    s6_0 += x6.z * y2_0;
    s7_0 += x7.z * y2_0;
    const vec4 y2_1 = b[b_from + (k * 4 + 2) * (N / 4) + 1];
    s0_1 += x0.z * y2_1;
    s1_1 += x1.z * y2_1;
    s2_1 += x2.z * y2_1;
    s3_1 += x3.z * y2_1;
    s4_1 += x4.z * y2_1;
    s5_1 += x5.z * y2_1;
    s6_1 += x6.z * y2_1;
    s7_1 += x7.z * y2_1;
    const vec4 y3_0 = b[b_from + (k * 4 + 3) * (N / 4) + 0];
    s0_0 += x0.w * y3_0;
    s1_0 += x1.w * y3_0;
    s2_0 += x2.w * y3_0;
    s3_0 += x3.w * y3_0;
    s4_0 += x4.w * y3_0;
    s5_0 += x5.w * y3_0;
    s6_0 += x6.w * y3_0;
    s7_0 += x7.w * y3_0;
    const vec4 y3_1 = b[b_from + (k * 4 + 3) * (N / 4) + 1];
    s0_1 += x0.w * y3_1;
    s1_1 += x1.w * y3_1;
    s2_1 += x2.w * y3_1;
    s3_1 += x3.w * y3_1;
    s4_1 += x4.w * y3_1;
    s5_1 += x5.w * y3_1;
    s6_1 += x6.w * y3_1;
    s7_1 += x7.w * y3_1;
  }
  product[to + 0 * (N / 4) + 0] = s0_0;
  product[to + 0 * (N / 4) + 1] = s0_1;
  product[to + 1 * (N / 4) + 0] = s1_0;
  product[to + 1 * (N / 4) + 1] = s1_1;
  product[to + 2 * (N / 4) + 0] = s2_0;
  product[to + 2 * (N / 4) + 1] = s2_1;
  product[to + 3 * (N / 4) + 0] = s3_0;
  product[to + 3 * (N / 4) + 1] = s3_1;
  product[to + 4 * (N / 4) + 0] = s4_0;
  product[to + 4 * (N / 4) + 1] = s4_1;
  product[to + 5 * (N / 4) + 0] = s5_0;
  product[to + 5 * (N / 4) + 1] = s5_1;
  product[to + 6 * (N / 4) + 0] = s6_0;
  product[to + 6 * (N / 4) + 1] = s6_1;
  product[to + 7 * (N / 4) + 0] = s7_0;
  product[to + 7 * (N / 4) + 1] = s7_1;
}
