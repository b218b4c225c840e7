#version 460
// Each row of a [ROWS, COLUMNS] less its mean, over its standard deviation: an invocation a row.
#define COLUMNS 1024
#define EPSILON 1e-5
layout(local_size_x = 8) in;
layout(std430, set = 0, binding = 0) writeonly buffer Out { vec4 result[]; };
layout(std430, set = 0, binding = 1) readonly buffer A { vec4 a[]; };

float total(vec4 v) { return (v.x + v.y) + (v.z + v.w); }

void main() {
  const uint from = gl_GlobalInvocationID.x * (COLUMNS / 4);
  vec4 s = vec4(0);
  for (int i = 0; i < COLUMNS / 4; ++i) s += a[from + i];
  const float mean = total(s) / COLUMNS;
  vec4 squares = vec4(0);
  for (int i = 0; i < COLUMNS / 4; ++i) {
    const vec4 d = a[from + i] - mean;
    squares = fma(d, d, squares);
  }
  const float scale = inversesqrt(total(squares) / COLUMNS + EPSILON);
  for (int i = 0; i < COLUMNS / 4; ++i) result[from + i] = (a[from + i] - mean) * scale;
}
