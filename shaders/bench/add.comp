#version 460
// out = a + b, 16 bytes at a time.
layout(local_size_x = 128) in;
layout(std430, set = 0, binding = 0) writeonly buffer Out { vec4 sum[]; };
layout(std430, set = 0, binding = 1) readonly buffer A { vec4 a[]; };
layout(std430, set = 0, binding = 2) readonly buffer B { vec4 b[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  sum[i] = a[i] + b[i];
}
