#version 460
// out = a, 16 bytes at a time.
layout(local_size_x = 128) in;
layout(std430, set = 0, binding = 0) writeonly buffer Out { vec4 to[]; };
layout(std430, set = 0, binding = 1) readonly buffer A { vec4 from[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  to[i] = from[i];
}
