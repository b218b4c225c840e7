#include "engine/runtime/spirv.h"

#include <fmt/format.h>

#include <spirv-tools/libspirv.hpp>

namespace rangescope::runtime {

Result<std::string> disassemble(std::span<const uint32_t> spirv) {
  std::string message;
  spvtools::SpirvTools reader(SPV_ENV_VULKAN_1_2);
  reader.SetMessageConsumer([&](spv_message_level_t, const char*, const spv_position_t& position, const char* text) {
    message += fmt::format("{}word {}: {}", message.empty() ? "" : "; ", position.index, text);
  });
  std::string text;
  constexpr uint32_t k_options =
      SPV_BINARY_TO_TEXT_OPTION_NO_HEADER | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES | SPV_BINARY_TO_TEXT_OPTION_INDENT;
  if (!reader.Disassemble(spirv.data(), spirv.size(), &text, k_options))
    return tl::unexpected(Error{fmt::format("this is no SPIR-V module: {}", message.empty() ? "unreadable" : message)});
  return text;
}

}  // namespace rangescope::runtime
