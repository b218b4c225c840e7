#version 460
// Softmax of each row of a [ROWS, COLUMNS]: an invocation a row, which it reads three times. Writes where it reads too:
// the exponentials are not computed twice.
#ifndef COLUMNS
#define COLUMNS 4096
#endif
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) buffer Out { vec4 result[]; };
layout(std430, set = 0, binding = 1) readonly buffer A { vec4 a[]; };

void main() {
  const uint from = gl_GlobalInvocationID.x * (COLUMNS / 4);
  vec4 largest = a[from];
  for (int i = 1; i < COLUMNS / 4; ++i) largest = max(largest, a[from + i]);
  const float top = max(max(largest.x, largest.y), max(largest.z, largest.w));
  vec4 s = vec4(0);
  for (int i = 0; i < COLUMNS / 4; ++i) s += exp2((a[from + i] - top) * 1.4426950408889634);
  const float scale = 1 / ((s.x + s.y) + (s.z + s.w));
  for (int i = 0; i < COLUMNS / 4; ++i) result[from + i] = exp2((a[from + i] - top) * 1.4426950408889634) * scale;
}
