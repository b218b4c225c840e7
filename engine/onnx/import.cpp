#include "engine/onnx/import.h"

#include <fmt/format.h>

#include <new>
#include <stdexcept>

#include "engine/onnx/importer.h"

namespace rangescope::onnx {

namespace {

constexpr int64_t kOldest = 7, kNewest = 17;

// Older versions are read where the meaning is the same; newer ones are refused.
void check_opset(const Model& model) {
  const auto it = model.opsets.find("");
  if (it == model.opsets.end() || it->second <= kNewest) return;
  throw GraphError(fmt::format("it is written in version {} of the operators; versions {} to {} are supported",
                               it->second, kOldest, kNewest));
}

void check_operators(const Model& model) {
  const auto missing = unsupported_operators(model);
  if (missing.empty()) return;
  std::string list;
  for (const auto& [name, count] : missing) list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", name, count);
  throw GraphError("these operators are not supported (how often it uses them): " + list);
}

}  // namespace

Result<Import> import_model(frontend::Context& context, const Model& model, const ImportOptions& options) {
  auto made = frontend::attempt([&] {
    check_opset(model);
    check_operators(model);
    try {
      return Importer(context, model, options).run();
    } catch (const std::out_of_range&) {
      throw GraphError("a list of numbers is shorter than its operator needs");
    } catch (const std::length_error&) {
      throw GraphError("a list of numbers is longer than anything can be");
    } catch (const std::bad_alloc&) {
      throw GraphError("there is not enough memory for it");
    }
  });
  if (!made) return refuse(fmt::format("{}: {}", model.path, made.error().message));
  return made;
}

}  // namespace rangescope::onnx
