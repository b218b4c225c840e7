#version 460
// out = a b^T, scaled: row-major [M, K] and [N, K], one product for each workgroup along z. Both are read along k, so the
// vectors hold partial sums and are added up at the end.
#ifndef M
#define M 512
#define N 512
#define K 64
#endif
#define SCALE (1 / sqrt(float(K)))
#define ROWS 4
#define COLUMNS 4

layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) writeonly buffer Out { vec4 product[]; };
layout(std430, set = 0, binding = 1) readonly buffer A { vec4 a[]; };
layout(std430, set = 0, binding = 2) readonly buffer B { vec4 b[]; };

void main() {
  const uint column = gl_GlobalInvocationID.x * COLUMNS, row = gl_GlobalInvocationID.y * ROWS;
  const uint a_from = (gl_GlobalInvocationID.z * M + row) * (K / 4);
  const uint b_from = (gl_GlobalInvocationID.z * N + column) * (K / 4);
  vec4 sums[ROWS];
  for (int r = 0; r < ROWS; ++r) sums[r] = vec4(0);
  for (int k = 0; k < K / 4; ++k) {
    vec4 y[COLUMNS];
    for (int c = 0; c < COLUMNS; ++c) y[c] = b[b_from + c * (K / 4) + k];
    for (int r = 0; r < ROWS; ++r) {
      const vec4 x = a[a_from + r * (K / 4) + k];
      for (int i = 0; i < 4; ++i)
        for (int c = 0; c < COLUMNS; ++c) sums[r][c] = fma(x[i], y[c][i], sums[r][c]);
    }
  }
  for (int r = 0; r < ROWS; ++r)
    product[((gl_GlobalInvocationID.z * M + row + r) * N + column) / 4] = sums[r] * SCALE;
}
