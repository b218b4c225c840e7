#version 460
// Sum of each row of a [ROWS, COLUMNS]: an invocation a row.
#define COLUMNS 4096
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) writeonly buffer Out { float sum[]; };
layout(std430, set = 0, binding = 1) readonly buffer A { vec4 a[]; };

void main() {
  const uint row = gl_GlobalInvocationID.x;
  vec4 s = vec4(0), t = vec4(0);
  for (int i = 0; i < COLUMNS / 4; i += 2) {
    s += a[row * (COLUMNS / 4) + i];
    t += a[row * (COLUMNS / 4) + i + 1];
  }
  s += t;
  sum[row] = (s.x + s.y) + (s.z + s.w);
}
