#include "app/models/onnx_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "app/models/npy.h"
#include "app/values.h"
#include "engine/ir/json.h"

namespace rangescope::app {

namespace {

// NAME=REST; none: no `=`.
std::optional<std::pair<std::string, std::string>> split(const std::string& text) {
  const size_t at = text.rfind('=');
  if (at == std::string::npos) return std::nullopt;
  return std::pair(text.substr(0, at), text.substr(at + 1));
}

Result<onnx::ImportOptions> options_of(const Input& in, const Values& values, const onnx::Model& model) {
  onnx::ImportOptions options;
  for (const std::string& text : in.dims) {
    const auto parts = split(text);
    int64_t n = -1;
    if (parts) {
      const std::string& digits = parts->second;
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
      if (error != std::errc() || end != digits.data() + digits.size()) n = -1;
    }
    if (n < 0) return refuse(fmt::format("--dim {}: it should be NAME=N, with N 0 or more", text));
    options.dims[parts->first] = n;
  }
  std::vector<std::string> names;  // of inputs that are no initialisers
  for (const onnx::ValueInfo& v : model.graph.inputs)
    if (std::ranges::find(model.graph.initializers, v.name, &onnx::TensorData::name) == model.graph.initializers.end())
      names.push_back(v.name);
  std::vector<std::string> inputs = in.inputs;
  for (const std::string& folder : values.folders)
    for (const std::string& name : names)
      if (const auto file = std::filesystem::path(folder) / npy_name(name);
          std::filesystem::exists(file) &&
          std::ranges::none_of(inputs, [&](const std::string& given) { return given.starts_with(name + "="); }))
        inputs.push_back(name + "=" + file.string());
  for (const std::string& text : inputs) {
    auto parts = split(text);
    if (!parts && names.size() == 1) parts = {names[0], text};
    if (!parts)
      return refuse(fmt::format("--input {}: the model has {} inputs, so it should be NAME=FILE.npy, with a NAME of {}",
                                text, names.size(), fmt::join(names, ", ")));
    const auto known = std::ranges::find(model.graph.inputs, parts->first, &onnx::ValueInfo::name);
    if (known == model.graph.inputs.end())
      return refuse(
          fmt::format("--input {}: the model has no such input; it has {}", parts->first, fmt::join(names, ", ")));
    if (parts->second.ends_with(".pb")) {
      const auto value = onnx::read_value(parts->second, known->kind);
      if (!value) return tl::unexpected(value.error());
      if (value->tensors.size() != 1 || !value->tensors[0].problem.empty())
        return refuse(fmt::format("{}: it holds no tensor that can be used", parts->second));
      options.inputs[parts->first] = value->tensors[0].array;
    } else {
      auto array = read_npy(parts->second);
      if (!array) return tl::unexpected(array.error());
      options.inputs[parts->first] = std::move(*array);
    }
  }
  return options;
}

frontend::HostArray filled(const frontend::Argument& a, const std::vector<int64_t>& shape, int64_t seed) {
  std::vector<double> v(static_cast<size_t>(a.count), 0.0);
  uint32_t state = 12345 + static_cast<uint32_t>(seed);
  if (is_float(a.dtype))
    for (double& x : v) {
      state = state * 1664525U + 1013904223U;
      x = static_cast<double>(state >> 8U) / (1 << 24);
    }
  return frontend::HostArray::from_doubles(a.dtype, shape, v);
}

}  // namespace

std::vector<std::pair<std::string, int64_t>> settings_of_models() {
  return {{"MAX_KERNEL_BUFFERS", 31}};
}

bool reads_models() {
  return true;
}

Result<OnnxProgram> load_onnx(const Input& in) {
  const auto model = onnx::read_model(in.path);
  if (!model) return tl::unexpected(model.error());
  const auto values = values_of(in.values);
  if (!values) return tl::unexpected(values.error());
  if (!values->files.empty())
    return refuse(fmt::format("--values {}: a model's input is given as --input NAME=FILE.npy", values->files[0]));
  auto options = options_of(in, *values, *model);
  if (!options) return tl::unexpected(options.error());
  const auto context = frontend::Context::create();
  auto import = onnx::import_model(*context, *model, *options);
  if (!import) return tl::unexpected(import.error());
  std::vector<std::pair<std::string, frontend::Tensor>> outputs;
  for (const onnx::ModelOutput& o : import->outputs) outputs.emplace_back(o.name, o.tensor);
  auto program = frontend::make_program(*context, outputs);
  if (!program) return refuse(fmt::format("{}: {}", in.path, program.error().message));
  OnnxProgram out{std::move(*import), std::move(*program), std::move(options->inputs), {}};
  for (const frontend::Argument& a : out.program.arguments) {
    if (a.name.empty() || out.inputs.contains(a.name)) continue;
    const auto input = std::ranges::find(out.import.inputs, a.name, &onnx::ModelInput::name);
    out.inputs[a.name] = filled(a, input->shape, values->seed);
    out.filled.push_back(a.name);
  }
  return out;
}

Result<LoadedProgram> loaded_onnx(const Input& in) {
  auto p = load_onnx(in);
  if (!p) return tl::unexpected(p.error());
  LoadedProgram out;
  out.program.name = std::filesystem::path(in.path).stem().string();
  out.program.suite = "onnx";
  out.program.flags = settings_of_models();
  out.program.root = p->program.root;
  out.store = std::move(p->program.store);
  if (out.program.root.src_count() == 0)
    return refuse(fmt::format("{}: its results are known without computing anything", in.path));
  out.line = to_json(out.program);
  for (size_t slot = 0; slot < p->program.arguments.size(); ++slot) {
    const frontend::Argument& a = p->program.arguments[slot];
    const frontend::Context::Data& bytes = a.name.empty() ? a.data : p->inputs.at(a.name).bytes;
    out.contents[static_cast<int64_t>(slot)] =
        bytes ? *bytes : std::vector<std::byte>(static_cast<size_t>(a.count) * static_cast<size_t>(itemsize(a.dtype)));
  }
  return out;
}

}  // namespace rangescope::app
