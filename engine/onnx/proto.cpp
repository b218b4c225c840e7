// From protobuf messages to model.h. The only file that knows protobuf.

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <onnx/onnx-data.pb.h>
#include <onnx/onnx-ml.pb.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "engine/onnx/dtypes.h"
#include "engine/onnx/model.h"

namespace rangescope::onnx {

namespace {

namespace pb = ::onnx;

constexpr int64_t kMostElements = int64_t{1} << 31;
constexpr int kDeepest = 32;  // graphs within graphs

// Numbers of a repeated field as the dtype's bytes: `T` is what an element is in memory.
template <class T, class Field>
std::vector<std::byte> bytes_of_field(const Field& field) {
  std::vector<std::byte> out(static_cast<size_t>(field.size()) * sizeof(T));
  size_t at = 0;
  for (const auto v : field) {
    const auto element = static_cast<T>(v);
    std::memcpy(out.data() + at, &element, sizeof(T));
    at += sizeof(T);
  }
  return out;
}

std::vector<std::byte> typed_bytes(const pb::TensorProto& t, DType dtype) {
  switch (dtype) {
    case DType::float32:
      return bytes_of_field<float>(t.float_data());
    case DType::float64:
      return bytes_of_field<double>(t.double_data());
    case DType::int64:
      return bytes_of_field<int64_t>(t.int64_data());
    case DType::uint64:
      return bytes_of_field<uint64_t>(t.uint64_data());
    case DType::uint32:
      return bytes_of_field<uint32_t>(t.uint64_data());
    case DType::int32:
      return bytes_of_field<int32_t>(t.int32_data());
    case DType::int16:
      return bytes_of_field<int16_t>(t.int32_data());
    case DType::uint16:
    case DType::float16:
    case DType::bfloat16:
      return bytes_of_field<uint16_t>(t.int32_data());
    case DType::int8:
      return bytes_of_field<int8_t>(t.int32_data());
    default:
      return bytes_of_field<uint8_t>(t.int32_data());
  }
}

std::vector<std::byte> bytes_of_string(const std::string& s) {
  const auto* bytes = reinterpret_cast<const std::byte*>(s.data());
  return {bytes, bytes + s.size()};
}

// Reads a part of a file beside the model; `location` may not lead out of its folder.
std::vector<std::byte> external_bytes(const pb::TensorProto& t, const std::string& folder, size_t size) {
  std::string location;
  int64_t offset = 0, length = static_cast<int64_t>(size);
  for (const auto& entry : t.external_data()) {
    try {
      if (entry.key() == "location") location = entry.value();
      if (entry.key() == "offset") offset = std::stoll(entry.value());
      if (entry.key() == "length") length = std::stoll(entry.value());
    } catch (const std::exception&) {
      throw GraphError(
          fmt::format("tensor \"{}\": external data with the {} \"{}\"", t.name(), entry.key(), entry.value()));
    }
  }
  const std::filesystem::path path(location);
  bool leaves = location.empty() || path.is_absolute();
  for (const auto& part : path) leaves = leaves || part == "..";
  if (leaves || folder.empty())
    throw GraphError(
        fmt::format("tensor \"{}\": its external data \"{}\" is not beside the model", t.name(), location));
  if (offset < 0 || length != static_cast<int64_t>(size))
    throw GraphError(
        fmt::format("tensor \"{}\": {} bytes of external data where its shape needs {}", t.name(), length, size));
  const std::string file = (std::filesystem::path(folder) / path).string();
  std::ifstream in(file, std::ios::binary);
  if (!in) throw GraphError(fmt::format("tensor \"{}\": its external data {} cannot be read", t.name(), file));
  std::error_code ignored;
  const auto available = std::filesystem::file_size(file, ignored);
  if (ignored || static_cast<uint64_t>(offset) + size > available)
    throw GraphError(fmt::format("tensor \"{}\": {} is too short", t.name(), file));
  std::vector<std::byte> out(size);
  in.seekg(offset);
  in.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(size));
  if (!in) throw GraphError(fmt::format("tensor \"{}\": {} is too short", t.name(), file));
  return out;
}

TensorData tensor_of(const pb::TensorProto& t, const std::string& folder) {
  TensorData out;
  out.name = t.name();
  const auto dtype = dtype_of(t.data_type());
  if (!dtype) {
    out.problem = fmt::format("the dtype {} is not supported", type_name(t.data_type()));
    return out;
  }
  int64_t count = 1;
  std::vector<int64_t> shape;
  for (const int64_t d : t.dims()) {
    if (d < 0 || (d > 0 && count > kMostElements / d))
      throw GraphError(fmt::format("tensor \"{}\" has an axis of {}", t.name(), d));
    count *= d;
    shape.push_back(d);
  }
  const size_t size = static_cast<size_t>(count) * static_cast<size_t>(itemsize(*dtype));
  std::vector<std::byte> bytes = t.data_location() == pb::TensorProto::EXTERNAL ? external_bytes(t, folder, size)
                                 : t.has_raw_data()                             ? bytes_of_string(t.raw_data())
                                                                                : typed_bytes(t, *dtype);
  if (bytes.size() != size)
    throw GraphError(
        fmt::format("tensor \"{}\" holds {} bytes where its shape needs {}", t.name(), bytes.size(), size));
  if (*dtype == DType::bool_)
    for (std::byte& b : bytes) b = b == std::byte{0} ? b : std::byte{1};
  out.array = {*dtype, std::move(shape), std::make_shared<const std::vector<std::byte>>(std::move(bytes))};
  return out;
}

class Reader {
 public:
  explicit Reader(std::string folder) : folder_(std::move(folder)) {}

  Attribute attribute(const pb::AttributeProto& a, int depth) {
    using Kind = Attribute::Kind;
    Attribute out;
    out.name = a.name();
    if (!a.ref_attr_name().empty()) {
      out.kind = Kind::Reference;
      out.reference = a.ref_attr_name();
      return out;
    }
    switch (a.type()) {
      case pb::AttributeProto::FLOAT:
        out.kind = Kind::Float;
        out.floats = {static_cast<double>(a.f())};
        break;
      case pb::AttributeProto::INT:
        out.kind = Kind::Int;
        out.ints = {a.i()};
        break;
      case pb::AttributeProto::STRING:
        out.kind = Kind::String;
        out.strings = {a.s()};
        break;
      case pb::AttributeProto::TENSOR:
        out.kind = Kind::Tensor;
        out.tensor = std::make_shared<const TensorData>(tensor_of(a.t(), folder_));
        break;
      case pb::AttributeProto::GRAPH:
        out.kind = Kind::Graph;
        out.graph = std::make_shared<const Graph>(graph(a.g(), depth + 1));
        break;
      case pb::AttributeProto::FLOATS:
        out.kind = Kind::Floats;
        out.floats.assign(a.floats().begin(), a.floats().end());
        break;
      case pb::AttributeProto::INTS:
        out.kind = Kind::Ints;
        out.ints.assign(a.ints().begin(), a.ints().end());
        break;
      case pb::AttributeProto::STRINGS:
        out.kind = Kind::Strings;
        out.strings.assign(a.strings().begin(), a.strings().end());
        break;
      default:
        break;
    }
    return out;
  }

  Node node(const pb::NodeProto& n, int depth) {
    Node out{n.name(), n.op_type(), plain_domain(n.domain()), {}, {}, {}};
    out.inputs.assign(n.input().begin(), n.input().end());
    out.outputs.assign(n.output().begin(), n.output().end());
    for (const auto& a : n.attribute()) out.attributes.push_back(attribute(a, depth));
    return out;
  }

  ValueInfo value_info(const pb::ValueInfoProto& v) {
    ValueInfo out;
    out.name = v.name();
    const pb::TypeProto& t = v.type();
    switch (t.value_case()) {
      case pb::TypeProto::kTensorType:
        out.kind = "tensor";
        break;
      case pb::TypeProto::kSequenceType:
        out.kind = "sequence";
        return out;
      case pb::TypeProto::kMapType:
        out.kind = "map";
        return out;
      case pb::TypeProto::kSparseTensorType:
        out.kind = "sparse tensor";
        return out;
      case pb::TypeProto::kOptionalType:
        out.kind = t.optional_type().elem_type().has_sequence_type() ? "optional sequence" : "optional";
        return out;
      default:
        out.kind = "value without a type";
        return out;
    }
    out.dtype = dtype_of(t.tensor_type().elem_type());
    out.dtype_name = type_name(t.tensor_type().elem_type());
    if (!t.tensor_type().has_shape()) return out;
    out.dims.emplace();
    for (const auto& d : t.tensor_type().shape().dim()) {
      Dimension dim;
      if (d.has_dim_value() && d.dim_value() >= 0) dim.size = d.dim_value();
      if (d.has_dim_param()) dim.name = d.dim_param();
      out.dims->push_back(std::move(dim));
    }
    return out;
  }

  Graph graph(const pb::GraphProto& g, int depth) {
    if (depth > kDeepest) throw GraphError("graphs lie too deep within each other");
    Graph out;
    out.name = g.name();
    for (const auto& n : g.node()) out.nodes.push_back(node(n, depth));
    for (const auto& t : g.initializer()) out.initializers.push_back(tensor_of(t, folder_));
    for (const auto& t : g.sparse_initializer()) {
      TensorData data;
      data.name = t.values().name();
      data.problem = "sparse initialisers are not supported";
      out.initializers.push_back(std::move(data));
    }
    for (const auto& v : g.input()) out.inputs.push_back(value_info(v));
    for (const auto& v : g.output()) out.outputs.push_back(value_info(v));
    return out;
  }

  Function function(const pb::FunctionProto& f) {
    Function out{f.name(), plain_domain(f.domain()), {}, {}, {}, {}};
    out.inputs.assign(f.input().begin(), f.input().end());
    out.outputs.assign(f.output().begin(), f.output().end());
    for (const auto& n : f.node()) out.nodes.push_back(node(n, 0));
    for (const auto& o : f.opset_import()) out.opsets[plain_domain(o.domain())] = o.version();
    return out;
  }

 private:
  std::string folder_;
};

// False where the bytes are not such a message; unlike ParseFromString, quiet and without a limit on the size.
bool parse(google::protobuf::MessageLite& message, const std::string& bytes) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max())) return false;
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  google::protobuf::io::CodedInputStream coded(&stream);
  coded.SetRecursionLimit(400);
  return message.ParsePartialFromCodedStream(&coded) && coded.ConsumedEntireMessage();
}

Result<std::string> read_file(const std::string& path) {
  std::error_code not_there;
  if (!std::filesystem::is_regular_file(path, not_there)) return refuse(fmt::format("{}: there is no such file", path));
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return refuse(fmt::format("{} cannot be read", path));
  return std::move(text).str();
}

template <class F>
auto guarded(const std::string& name, F f) -> Result<decltype(f())> {
  try {
    return f();
  } catch (const GraphError& e) {
    return refuse(fmt::format("{}: {}", name, e.message()));
  } catch (const std::bad_alloc&) {
    return refuse(fmt::format("{}: there is not enough memory for it", name));
  } catch (const google::protobuf::FatalException& e) {
    return refuse(fmt::format("{}: protobuf refuses it: {}", name, e.what()));
  }
}

}  // namespace

std::string plain_domain(const std::string& domain) {
  return domain == "ai.onnx" ? "" : domain;
}

Result<Model> parse_model(const std::string& bytes, const std::string& folder, const std::string& name) {
  return guarded(name, [&] {
    pb::ModelProto proto;
    if (!parse(proto, bytes)) throw GraphError("it is no ONNX model: the protobuf message is broken or cut short");
    if (!proto.has_graph() || (proto.graph().node_size() == 0 && proto.graph().output_size() == 0))
      throw GraphError("it is no ONNX model: it has no graph");
    Reader reader(folder);
    Model model;
    model.path = name;
    for (const auto& o : proto.opset_import()) model.opsets[plain_domain(o.domain())] = o.version();
    model.graph = reader.graph(proto.graph(), 0);
    for (const auto& f : proto.functions()) model.functions.push_back(reader.function(f));
    return model;
  });
}

Result<Model> read_model(const std::string& path) {
  const auto bytes = read_file(path);
  if (!bytes) return tl::unexpected(bytes.error());
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return parse_model(*bytes, folder.empty() ? "." : folder, path);
}

Result<StoredValue> read_value(const std::string& path, const std::string& kind) {
  const auto bytes = read_file(path);
  if (!bytes) return tl::unexpected(bytes.error());
  return guarded(path, [&] {
    StoredValue out;
    pb::TensorProto tensor;
    pb::SequenceProto sequence;
    pb::OptionalProto optional;
    const auto take_sequence = [&](const pb::SequenceProto& s) {
      out.is_sequence = true;
      for (const auto& t : s.tensor_values()) out.tensors.push_back(tensor_of(t, ""));
    };
    bool good = true;
    if (kind == "sequence") {
      good = parse(sequence, *bytes);
      if (good) take_sequence(sequence);
    } else if (kind.starts_with("optional")) {
      good = parse(optional, *bytes);
      if (optional.has_tensor_value())
        out.tensors.push_back(tensor_of(optional.tensor_value(), ""));
      else if (optional.has_sequence_value())
        take_sequence(optional.sequence_value());
      else
        out.present = false;
    } else {
      good = parse(tensor, *bytes);
      if (good) out.tensors.push_back(tensor_of(tensor, ""));
    }
    if (!good) throw GraphError("the protobuf message is broken");
    return out;
  });
}

}  // namespace rangescope::onnx
