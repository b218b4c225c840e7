#include "engine/frontend/host_array.h"

#include <fmt/format.h>

#include "engine/ir/elements.h"
#include "engine/ir/error.h"

namespace rangescope::frontend {

namespace {

size_t bytes_of(DType dtype, const std::vector<int64_t>& shape, const char* what) {
  if (is_weak(dtype) || dtype == DType::void_)
    throw GraphError(fmt::format("{} needs a dtype with a size, not {}", what, dtype_name(dtype)));
  int64_t n = 1;
  for (const int64_t s : shape) {
    if (s < 0) throw GraphError(fmt::format("{}: a size of {}", what, s));
    if (s > 0 && n > INT64_MAX / 16 / s) throw GraphError(fmt::format("{}: too many elements", what));
    n *= s;
  }
  return static_cast<size_t>(n) * static_cast<size_t>(itemsize(dtype));
}

template <class T, class Put>
HostArray filled(DType dtype, std::vector<int64_t> shape, std::span<const T> values, Put place) {
  const size_t size = bytes_of(dtype, shape, "data");
  const auto step = static_cast<size_t>(itemsize(dtype));
  if (size != values.size() * step)
    throw GraphError(fmt::format("data of {} elements given for a shape of {}", values.size(), size / step));
  auto bytes = std::make_shared<std::vector<std::byte>>(size);
  for (size_t i = 0; i < values.size(); ++i) place(dtype, values[i], bytes->data() + i * step);
  return {dtype, std::move(shape), std::move(bytes)};
}

}  // namespace

int64_t HostArray::count() const {
  int64_t n = 1;
  for (const int64_t s : shape) n *= s;
  return n;
}

HostArray HostArray::from_doubles(DType dtype, std::vector<int64_t> shape, std::span<const double> values) {
  return filled(dtype, std::move(shape), values, store_element);
}
HostArray HostArray::from_ints(DType dtype, std::vector<int64_t> shape, std::span<const int64_t> values) {
  return filled(dtype, std::move(shape), values, store_int);
}

HostArray HostArray::from_bytes(DType dtype, std::vector<int64_t> shape, std::span<const std::byte> bytes) {
  const size_t size = bytes_of(dtype, shape, "data");
  if (size != bytes.size())
    throw GraphError(fmt::format("{} bytes of data given for {} of {}", bytes.size(), size, dtype_name(dtype)));
  return {dtype, std::move(shape), std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end())};
}

std::vector<double> HostArray::to_doubles() const {
  std::vector<double> out(static_cast<size_t>(count()));
  const auto step = static_cast<size_t>(itemsize(dtype));
  for (size_t i = 0; i < out.size(); ++i) out[i] = load_element(dtype, bytes->data() + i * step);
  return out;
}

std::vector<int64_t> HostArray::to_ints() const {
  std::vector<int64_t> out(static_cast<size_t>(count()));
  const auto step = static_cast<size_t>(itemsize(dtype));
  for (size_t i = 0; i < out.size(); ++i) out[i] = load_int(dtype, bytes->data() + i * step);
  return out;
}

}  // namespace rangescope::frontend
