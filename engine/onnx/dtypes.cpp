#include "engine/onnx/dtypes.h"

#include <fmt/format.h>

namespace rangescope::onnx {

std::optional<DType> dtype_of(int64_t number) {
  switch (number) {
    case 1:
      return DType::float32;
    case 2:
      return DType::uint8;
    case 3:
      return DType::int8;
    case 4:
      return DType::uint16;
    case 5:
      return DType::int16;
    case 6:
      return DType::int32;
    case 7:
      return DType::int64;
    case 9:
      return DType::bool_;
    case 10:
      return DType::float16;
    case 11:
      return DType::float64;
    case 12:
      return DType::uint32;
    case 13:
      return DType::uint64;
    case 16:
      return DType::bfloat16;
    default:
      return std::nullopt;
  }
}

std::string type_name(int64_t number) {
  switch (number) {
    case 8:
      return "string";
    case 14:
      return "complex64";
    case 15:
      return "complex128";
    default:
      break;
  }
  const auto dtype = dtype_of(number);
  return dtype ? std::string(dtype_name(*dtype)) : fmt::format("numbered {}", number);
}

}  // namespace rangescope::onnx
