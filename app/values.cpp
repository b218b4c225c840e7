#include "app/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "app/models/npy.h"
#include "engine/ir/dim.h"
#include "engine/ir/traversal.h"

namespace rangescope::app {

namespace {

using frontend::HostArray;

template <class N>
std::optional<N> number_in(std::string_view text) {
  N n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(n) : std::nullopt;
}

// "p7.npy" is of slot 7.
std::optional<int64_t> slot_of(const std::filesystem::path& file) {
  const std::string name = file.stem().string();
  if (file.extension() != ".npy" || !name.starts_with('p')) return std::nullopt;
  return number_in<int64_t>(std::string_view(name).substr(1));
}

std::map<int64_t, UOp> parameters(UOp root) {
  std::map<int64_t, UOp> out;
  for (const UOp u : toposort(root, false))
    if (u.is(Op::PARAM) && u.addrspace() != AddrSpace::ALU && u.arg().as<ParamArg>().slot >= 0)
      out.try_emplace(u.arg().as<ParamArg>().slot, u);
  return out;
}

int64_t devices_of(UOp parameter) {
  return parameter.device().is_tuple ? static_cast<int64_t>(parameter.device().names.size()) : 1;
}

// On all devices together.
int64_t elements_of(UOp parameter) {
  return parameter.max_numel() * (parameter.arg().as<ParamArg>().axis ? 1 : devices_of(parameter));
}

std::vector<int64_t> shape_of(UOp parameter) {
  if (devices_of(parameter) == 1 && parameter.shape_or_null() != nullptr) return parameter.max_shape();
  return {elements_of(parameter)};
}

Result<void> take_file(const std::filesystem::path& file, UOp parameter, LoadedProgram& p) {
  auto array = read_npy(file.string());
  if (!array) return tl::unexpected(array.error());
  const DType dtype = parameter.dtype();
  const bool as_float32 = array->dtype == DType::float32 && is_float(dtype) && itemsize(dtype) <= 2;
  if (array->dtype != dtype && !as_float32)
    return refuse(fmt::format("{}: it holds {}, and the parameter {}", file.string(), dtype_name(array->dtype),
                              dtype_name(dtype)));
  const int64_t count = elements_of(parameter);
  if (array->count() != count)
    return refuse(
        fmt::format("{}: it holds {} elements, and the parameter has {}", file.string(), array->count(), count));
  if (as_float32) array = HostArray::from_doubles(dtype, array->shape, array->to_doubles());
  p.contents[parameter.arg().as<ParamArg>().slot] = *array->bytes;
  return {};
}

}  // namespace

Result<Values> values_of(const std::vector<std::string>& said) {
  Values out;
  for (const std::string& text : said) {
    if (text == "fill") {
      out.seed = 0;
    } else if (text == "random") {
      out.seed = 1;
    } else if (text.starts_with("random:")) {
      const auto seed = number_in<uint32_t>(std::string_view(text).substr(7));
      if (!seed) return refuse(fmt::format("--values {}: a seed is a number from 0 to 4294967295", text));
      out.seed = int64_t{*seed} + 1;
    } else if (std::filesystem::is_directory(text)) {
      out.folders.push_back(text);
    } else if (text.ends_with(".npy")) {
      out.files.push_back(text);
    } else {
      return refuse(
          fmt::format("--values {}: it is neither fill, random nor random:SEED, nor a folder or a file .npy", text));
    }
  }
  return out;
}

Result<void> take_values(const std::vector<std::string>& said, LoadedProgram& p) {
  const auto values = values_of(said);
  if (!values) return tl::unexpected(values.error());
  p.seed = values->seed;
  if (values->folders.empty() && values->files.empty()) return {};
  const std::map<int64_t, UOp> all = parameters(p.program.root);
  size_t found = 0;
  for (const std::string& folder : values->folders)
    for (const auto& [slot, parameter] : all) {
      const auto file = std::filesystem::path(folder) / fmt::format("p{}.npy", slot);
      if (!std::filesystem::exists(file)) continue;
      ++found;
      if (auto r = take_file(file, parameter, p); !r) return r;
    }
  for (const std::string& file : values->files) {
    const auto slot = slot_of(file);
    if (!slot || !all.contains(*slot))
      return refuse(fmt::format(
          "--values {}: its name says for which parameter it is, p0.npy for slot 0; {} has {}", file, p.program.name,
          all.empty() ? "none" : fmt::format("p{} to p{}", all.begin()->first, all.rbegin()->first)));
    ++found;
    if (auto r = take_file(file, all.at(*slot), p); !r) return r;
  }
  if (found == 0)
    return refuse(fmt::format("--values {}: there is no p0.npy or the like for a parameter of {}", values->folders[0],
                              p.program.name));
  return {};
}

Result<void> save_outputs(const Execution& e, const std::string& folder) {
  std::error_code made;
  std::filesystem::create_directories(folder, made);
  const auto contents = runtime::contents_by_slot(e.program, e.after);
  std::set<int64_t> saved;
  for (const runtime::ProgramBuffer& b : e.program.buffers) {
    if (!b.is_parameter() || !b.written || !saved.insert(b.slot()).second) continue;
    const auto file = std::filesystem::path(folder) / fmt::format("p{}.npy", b.slot());
    const HostArray array = HostArray::from_bytes(b.dtype, shape_of(b.node), contents.at(b.slot()));
    if (auto r = write_npy(file.string(), array); !r) return r;
  }
  return {};
}

}  // namespace rangescope::app
