#include "engine/trace/describe.h"

#include <fmt/format.h>

#include "engine/ir/text.h"

namespace rangescope::trace {

namespace {

constexpr size_t kMostDims = 8;
constexpr size_t kArgChars = 48;

std::string shape_text(UOp u) {
  const Shape* shape = nullptr;
  try {
    shape = u.shape_or_null();
  } catch (const GraphError&) {
    return {};  // between two matches a graph may not hold together
  }
  if (shape == nullptr || shape->empty()) return {};
  std::string s = "(";
  for (size_t i = 0; i < shape->size() && i < kMostDims; ++i) {
    const Dim& d = (*shape)[i];
    s += (i > 0 ? ", " : "") + (d.is_int() ? std::to_string(d.value) : short_label(d.sym, 16));
  }
  return s + (shape->size() > kMostDims ? ", ...)" : shape->size() == 1 ? ",)" : ")");
}

}  // namespace

std::string one_line(std::string_view text, size_t most) {
  std::string s;
  for (const char c : text) s += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
  if (s.size() <= most) return s;
  s.resize(most - 3);
  while (!s.empty() && (static_cast<unsigned char>(s.back()) & 0xc0) == 0x80) s.pop_back();  // no half character
  return s + "...";
}

std::string without_colors(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    const size_t start = rest.starts_with("\x1b[") ? 2 : rest.starts_with("\\x1b[") ? 5 : 0;
    const size_t end = start == 0 ? 0 : rest.find_first_not_of("0123456789;", start);
    if (end != 0 && end != std::string_view::npos && rest[end] == 'm')
      i += end + 1;
    else
      out += text[i++];
  }
  return out;
}

std::string describe(UOp u) {
  std::string s(op_name(u.op()));
  if (u.dtype() != DType::void_) s += " " + std::string(dtype_name(u.dtype()));
  if (const std::string shape = shape_text(u); !shape.empty()) s += " " + shape;
  if (u.is_const() || u.is(Op::RANGE) || u.is(Op::INDEX))
    s += "  " + short_label(u, kArgChars);
  else if (const auto* kernel = u.arg().get_if<KernelInfo>())
    s += "  " + one_line(without_colors(kernel->name), kArgChars);
  else if (!u.arg().is_none())
    s += "  " + one_line(to_string(u.arg()), kArgChars);
  return s;
}

std::optional<std::vector<int64_t>> sizes_of(UOp u) {
  try {
    const Shape* shape = u.shape_or_null();
    if (shape == nullptr) return std::nullopt;
    std::vector<int64_t> sizes;
    for (const Dim& d : *shape) sizes.push_back(d.is_int() ? d.value : -1);
    return sizes;
  } catch (const GraphError&) {
    return std::nullopt;
  }
}

std::string describe_step(const Reader& reader, int64_t pass, int64_t step) {
  const Pass* p = reader.pass(pass);
  if (p == nullptr) return {};
  const std::string which = step <= 0                               ? "input"
                            : step >= p->matches && p->matches == 0 ? "end"
                                                                    : fmt::format("match {}", step);
  return fmt::format("{} of {} (pass {})", which, one_line(p->name, 60), pass);
}

}  // namespace rangescope::trace
