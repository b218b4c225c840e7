#version 460
// out = 3x3 convolution of x [BATCH, CHANNELS, SIZE, SIZE] with weights [FILTERS, CHANNELS, 3, 3], padded by one. An
// invocation computes 8 filters at 4 neighbouring pixels.
#define BATCH 8
#define CHANNELS 64
#define FILTERS 64
#define SIZE 56
#define OUT 8

layout(local_size_x = 14, local_size_y = 8) in;  // 14 vectors are a row
layout(std430, set = 0, binding = 0) writeonly buffer Out { vec4 result[]; };
layout(std430, set = 0, binding = 1) readonly buffer X { float x[]; };
layout(std430, set = 0, binding = 1) readonly buffer X4 { vec4 x4[]; };
layout(std430, set = 0, binding = 2) readonly buffer Weights { float w[]; };

// One row of one filter's weights, at three neighbours of each pixel.
#define ROW_OF(filter)                                                        \
  {                                                                           \
    const int at = weights + filter * CHANNELS * 9;                           \
    sum##filter += w[at] * left + w[at + 1] * middle + w[at + 2] * right; \
  }

void main() {
  const int column = int(gl_GlobalInvocationID.x), row = int(gl_GlobalInvocationID.y);
  const int filters = int(gl_WorkGroupID.z % (FILTERS / OUT)) * OUT, image = int(gl_WorkGroupID.z / (FILTERS / OUT));
  vec4 sum0 = vec4(0), sum1 = vec4(0), sum2 = vec4(0), sum3 = vec4(0);
  vec4 sum4 = vec4(0), sum5 = vec4(0), sum6 = vec4(0), sum7 = vec4(0);
  for (int c = 0; c < CHANNELS; ++c)
    for (int dy = 0; dy < 3; ++dy) {
      const int y = row + dy - 1;
      if (y < 0 || y >= SIZE) continue;
      const int from = ((image * CHANNELS + c) * SIZE + y) * SIZE + column * 4;
      const vec4 middle = x4[from / 4];
      const float before = column == 0 ? 0 : x[from - 1], after = column == SIZE / 4 - 1 ? 0 : x[from + 4];
      const vec4 left = vec4(before, middle.xyz), right = vec4(middle.yzw, after);
      const int weights = (filters * CHANNELS + c) * 9 + dy * 3;
      ROW_OF(0)
      ROW_OF(1)
      ROW_OF(2)
      ROW_OF(3)
      ROW_OF(4)
      ROW_OF(5)
      ROW_OF(6)
      ROW_OF(7)
    }
  const int to = (((image * FILTERS + filters) * SIZE + row) * SIZE) / 4 + column, next = SIZE * SIZE / 4;
  result[to + 0 * next] = sum0;
  result[to + 1 * next] = sum1;
  result[to + 2 * next] = sum2;
  result[to + 3 * next] = sum3;
  result[to + 4 * next] = sum4;
  result[to + 5 * next] = sum5;
  result[to + 6 * next] = sum6;
  result[to + 7 * next] = sum7;
}
