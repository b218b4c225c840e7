#include "app/models/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

namespace rangescope::app {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct Descr {
  const char* name;
  DType dtype;
};
constexpr Descr kDescr[] = {
    {"|b1", DType::bool_},  {"|i1", DType::int8},    {"|u1", DType::uint8},   {"<i2", DType::int16},
    {"<u2", DType::uint16}, {"<i4", DType::int32},   {"<u4", DType::uint32},  {"<i8", DType::int64},
    {"<u8", DType::uint64}, {"<f2", DType::float16}, {"<f4", DType::float32}, {"<f8", DType::float64},
};

// What follows 'key': in the header, a Python dict that numpy writes.
std::optional<std::string> entry(const std::string& header, const std::string& key) {
  const size_t at = header.find('\'' + key + "':");
  if (at == std::string::npos) return std::nullopt;
  size_t from = header.find_first_not_of(' ', at + key.size() + 3);
  if (from == std::string::npos) return std::nullopt;
  const char close = header[from] == '(' ? ')' : header[from] == '\'' ? '\'' : ',';
  if (close != ',') ++from;
  const size_t to = header.find_first_of(close == ',' ? ",}" : std::string(1, close), from);
  return to == std::string::npos ? std::nullopt : std::optional(header.substr(from, to - from));
}

// From the first axis fastest to the last axis fastest.
std::vector<std::byte> turned(const std::vector<std::byte>& in, const std::vector<int64_t>& shape, size_t item) {
  std::vector<std::byte> out(in.size());
  std::vector<int64_t> at(shape.size(), 0);
  for (size_t i = 0; i * item < in.size(); ++i) {
    size_t place = 0;
    for (size_t a = 0; a < shape.size(); ++a)
      place = place * static_cast<size_t>(shape[a]) + static_cast<size_t>(at[a]);
    std::memcpy(out.data() + place * item, in.data() + i * item, item);
    for (size_t a = 0; a < shape.size(); ++a) {
      if (++at[a] < shape[a]) break;
      at[a] = 0;
    }
  }
  return out;
}

}  // namespace

std::string npy_name(const std::string& name) {
  std::string s = name;
  for (char& c : s)
    if (c == '/' || c == '\\' || c == ':' || static_cast<unsigned char>(c) < 32) c = '_';
  return (s.empty() || s[0] == '.' ? '_' + s : s) + ".npy";
}

Result<frontend::HostArray> read_npy(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return refuse(fmt::format("{}: there is no such file, or it cannot be read", path));
  const auto broken = [&](const std::string& why) { return refuse(fmt::format("{} is no .npy file: {}", path, why)); };
  std::array<char, 8> start{};
  in.read(start.data(), start.size());
  if (!in || std::string_view(start.data(), 6) != kMagic) return broken("it does not begin as one");
  const size_t wide = start[6] == 1 ? 2 : 4;
  std::array<unsigned char, 4> length{};
  in.read(reinterpret_cast<char*>(length.data()), static_cast<std::streamsize>(wide));
  const size_t header_size = length[0] | length[1] << 8U | length[2] << 16U | static_cast<size_t>(length[3]) << 24U;
  if (!in || header_size > (size_t{1} << 20)) return broken("its header is cut short");
  std::string header(header_size, ' ');
  in.read(header.data(), static_cast<std::streamsize>(header_size));
  const auto descr = entry(header, "descr"), order = entry(header, "fortran_order"), sizes = entry(header, "shape");
  if (!in || !descr || !order || !sizes) return broken("its header is not understood");
  std::optional<DType> dtype;
  for (const Descr& d : kDescr)
    if (*descr == d.name || (*descr == "?" && d.dtype == DType::bool_)) dtype = d.dtype;
  if (!dtype) return refuse(fmt::format("{}: the dtype \"{}\" is not supported", path, *descr));
  std::vector<int64_t> shape;
  int64_t count = 1;
  std::istringstream numbers(*sizes);
  for (std::string part; std::getline(numbers, part, ',');) {
    if (part.find_first_not_of(' ') == std::string::npos) continue;
    int64_t d = -1;
    std::istringstream(part) >> d;
    if (d < 0 || (d > 0 && count > (int64_t{1} << 31) / d)) return broken("its shape is not understood");
    shape.push_back(d);
    count *= d;
  }
  const auto item = static_cast<size_t>(itemsize(*dtype));
  std::vector<std::byte> bytes(static_cast<size_t>(count) * item);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (in.gcount() != static_cast<std::streamsize>(bytes.size()))
    return refuse(fmt::format("{} is too short for its shape", path));
  if (order->starts_with("True") && shape.size() > 1) bytes = turned(bytes, shape, item);
  return frontend::HostArray{*dtype, std::move(shape),
                             std::make_shared<const std::vector<std::byte>>(std::move(bytes))};
}

Result<void> write_npy(const std::string& path, const frontend::HostArray& given) {
  frontend::HostArray array = given;
  const char* descr = nullptr;
  for (const Descr& d : kDescr)
    if (d.dtype == array.dtype) descr = d.name;
  if (descr == nullptr) {  // numpy has no such dtype
    array = frontend::HostArray::from_doubles(DType::float32, array.shape, array.to_doubles());
    descr = "<f4";
  }
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr,
                                   fmt::join(array.shape, ", "), array.shape.size() == 1 ? "," : "");
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::ofstream out(path, std::ios::binary);
  out << kMagic << '\x01' << '\0' << static_cast<char>(header.size() & 0xFFU) << static_cast<char>(header.size() >> 8U)
      << header;
  out.write(reinterpret_cast<const char*>(array.bytes->data()), static_cast<std::streamsize>(array.bytes->size()));
  out.close();
  if (!out) return refuse(fmt::format("{} cannot be written", path));
  return {};
}

}  // namespace rangescope::app
