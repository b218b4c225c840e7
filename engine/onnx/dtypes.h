#pragma once
// The dtypes of ONNX, by their numbers in TensorProto.DataType.

#include <cstdint>
#include <optional>
#include <string>

#include "engine/ir/dtype.h"

namespace rangescope::onnx {

// None: it is not supported.
std::optional<DType> dtype_of(int64_t number);
// For messages, of those that are not supported too.
std::string type_name(int64_t number);

}  // namespace rangescope::onnx
