#include "engine/frontend/host_array.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "engine/ir/error.h"
#include "engine/ir/scalar_bits.h"

namespace rangescope::frontend {

namespace {

template <class T>
T load(const std::byte* at) {
  T v;
  std::memcpy(&v, at, sizeof(T));
  return v;
}
double float_of(DType dtype, const std::byte* at) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, static_cast<size_t>(itemsize(dtype)));  // little endian: the low bytes
  return float_from_bits(bits, dtype);
}

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

double load_element(DType dtype, const std::byte* at) {
  return is_float(dtype)          ? float_of(dtype, at)
         : dtype == DType::uint64 ? static_cast<double>(load<uint64_t>(at))
                                  : static_cast<double>(load_int(dtype, at));
}

int64_t load_int(DType dtype, const std::byte* at) {
  switch (dtype) {
    case DType::bool_:
      return load<uint8_t>(at) != 0 ? 1 : 0;
    case DType::int8:
      return load<int8_t>(at);
    case DType::uint8:
      return load<uint8_t>(at);
    case DType::int16:
      return load<int16_t>(at);
    case DType::uint16:
      return load<uint16_t>(at);
    case DType::int32:
      return load<int32_t>(at);
    case DType::uint32:
      return load<uint32_t>(at);
    case DType::int64:
    case DType::uint64:
      return load<int64_t>(at);
    default: {
      const double v = float_of(dtype, at);
      if (!(std::fabs(v) < 9.2e18)) throw GraphError("a float that is no integer is asked for as one");
      return static_cast<int64_t>(v);
    }
  }
}

void store_int(DType dtype, int64_t value, std::byte* at) {
  if (is_float(dtype)) return store_element(dtype, static_cast<double>(value), at);
  if (dtype == DType::bool_) value = value != 0 ? 1 : 0;
  std::memcpy(at, &value, static_cast<size_t>(itemsize(dtype)));  // little endian: the low bytes
}

void store_element(DType dtype, double value, std::byte* at) {
  if (!is_float(dtype)) {
    if (dtype == DType::bool_) return store_int(dtype, value != 0 ? 1 : 0, at);
    if (!(std::fabs(value) < 1.9e19)) throw GraphError(fmt::format("{} is no value of {}", value, dtype_name(dtype)));
    return store_int(
        dtype, value >= 9.2e18 ? static_cast<int64_t>(static_cast<uint64_t>(value)) : static_cast<int64_t>(value), at);
  }
  const uint64_t bits = float_bits(value, dtype);
  std::memcpy(at, &bits, static_cast<size_t>(itemsize(dtype)));
}

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
