#version 460
// Sum of each column of a [ROWS, COLUMNS]: an invocation takes 16 columns, so that the processor goes through memory in
// long steps.
#define ROWS 4096
#define COLUMNS 4096
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) writeonly buffer Out { vec4 sum[]; };
layout(std430, set = 0, binding = 1) readonly buffer A { vec4 a[]; };

void main() {
  const uint column = gl_GlobalInvocationID.x * 4;
  vec4 s0 = vec4(0), s1 = vec4(0), s2 = vec4(0), s3 = vec4(0);
  for (int i = 0; i < ROWS; ++i) {
    const uint at = i * (COLUMNS / 4) + column;
    s0 += a[at];
    s1 += a[at + 1];
    s2 += a[at + 2];
    s3 += a[at + 3];
  }
  sum[column] = s0;
  sum[column + 1] = s1;
  sum[column + 2] = s2;
  sum[column + 3] = s3;
}
