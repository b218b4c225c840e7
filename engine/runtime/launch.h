#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace rangescope::runtime {

// What a kernel does with one of its buffers.
enum class Access : uint8_t { read, write, read_write };

// A kernel's argument that is a number: a member of the shader's push constant block.
struct Variable {
  std::string name;
  uint32_t offset = 0;  // bytes into the block
  uint32_t size = 4;    // bytes: 4 an int32, 8 an int64
};

// A GLSL compute kernel, independent of the compiler's IR. It sees storage buffers at set 0, bindings 0, 1, ... and,
// where it has variables, one push constant block. Its local size stands in the GLSL.
struct KernelSource {
  std::string name;  // unique enough to find it by: messages and traces show it
  std::string glsl;
  std::array<uint32_t, 3> global_size{1, 1, 1};  // workgroups
  std::array<uint32_t, 3> local_size{1, 1, 1};   // of a workgroup: checked against the device before compiling
  uint32_t buffer_count = 0;
  std::vector<Access> access;  // one a buffer; empty: all are read and written
  std::vector<Variable> variables;
  // Iterations of all its loops that one invocation goes through, at most, unrolled ones apart; 0: not known. Devices
  // with a limit (DeviceLimits::max_loop_iterations) refuse a kernel beyond it.
  uint64_t loop_iterations = 0;
};

struct BufferDesc {
  uint64_t bytes = 0;
};

// A buffer, or a part of it. A part bound to a kernel starts at a multiple of DeviceLimits::storage_offset_alignment.
struct BufferRange {
  static constexpr uint64_t k_rest = ~uint64_t{0};

  // A list of numbers names whole buffers.
  BufferRange(uint32_t index) : buffer(index) {}
  BufferRange(uint32_t index, uint64_t from, uint64_t count = k_rest) : buffer(index), offset(from), bytes(count) {}

  uint32_t buffer;
  uint64_t offset = 0;
  uint64_t bytes = k_rest;
};

struct KernelDispatch {
  uint32_t kernel = 0;
  std::vector<BufferRange> buffers = {};
  std::vector<int64_t> values = {};                         // of the kernel's variables
  std::optional<std::array<uint32_t, 3>> global_size = {};  // where variables decide it; else the kernel's own
};

// A COPY of a schedule: `to` takes as many bytes as `from` has.
struct CopyDispatch {
  BufferRange from;
  BufferRange to;
};

using Dispatch = std::variant<KernelDispatch, CopyDispatch>;

}  // namespace rangescope::runtime
