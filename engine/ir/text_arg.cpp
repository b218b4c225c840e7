// Arguments, dtypes, devices and ranges as text.

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/text.h"

namespace rangescope {

namespace {

// repr() of a string: quotes as Python picks them, what does not print escaped. Bytes beyond ASCII are kept: UTF-8.
std::string quoted(const std::string& s, bool escape_high) {
  const char quote = s.find('\'') != std::string::npos && s.find('"') == std::string::npos ? '"' : '\'';
  std::string r(1, quote);
  for (const char c : s) {
    const auto u = static_cast<unsigned char>(c);
    if (c == quote || c == '\\')
      (r += '\\') += c;
    else if (c == '\n')
      r += "\\n";
    else if (c == '\r')
      r += "\\r";
    else if (c == '\t')
      r += "\\t";
    else if (u < 0x20 || u == 0x7f || (escape_high && u >= 0x80))
      r += fmt::format("\\x{:02x}", u);
    else
      r += c;
  }
  return r + quote;
}

const char* python_bool(bool b) {
  return b ? "True" : "False";
}

// Arguments nest, but never deeper than they can be read.
// NOLINTBEGIN(misc-no-recursion)
class Repr {
 public:
  std::string operator()(const std::monostate&) const { return "None"; }
  std::string operator()(const Scalar& v) const { return v.str(); }
  std::string operator()(const std::string& v) const { return quoted(v, false); }
  std::string operator()(Op v) const { return fmt::format("Ops.{}", op_name(v)); }
  std::string operator()(DType v) const { return dtype_repr(v); }
  std::string operator()(AxisType v) const { return fmt::format("AxisType.{}", axis_name(v)); }
  std::string operator()(AddrSpace v) const { return fmt::format("AddrSpace.{}", addrspace_name(v)); }
  std::string operator()(const Bytes& v) const { return "b" + quoted(v.data, true); }
  std::string operator()(const ParamArg& v) const {
    std::string r = fmt::format("ParamArg({}, {}", v.slot, dtype_repr(v.dtype));
    if (v.bounds) r += fmt::format(", vmin_vmax=({}, {})", v.bounds->first.str(), v.bounds->second.str());
    if (v.multiple_of) r += ", multiple_of=" + v.multiple_of->to_string();
    if (v.name) r += ", name=" + (*this)(*v.name);
    if (v.addrspace != AddrSpace::GLOBAL) r += ", addrspace=" + (v.addrspace ? (*this)(*v.addrspace) : "None");
    if (v.axis) r += fmt::format(", axis={}", *v.axis);
    if (!v.device.is_none()) r += ", device=" + to_string(Arg(v.device));
    if (v.is_volatile) r += ", volatile=True";
    return r + ")";
  }
  template <class T>
  std::string operator()(const Boxed<T>& v) const {
    return (*this)(*v);
  }
  std::string operator()(const StageArg& v) const {
    const auto* d = std::get_if<Device>(&v.device);
    const int64_t* i = std::get_if<int64_t>(&v.device);
    return fmt::format("BufferizeOpts(device={}, addrspace={}, removable={})",
                       d != nullptr   ? to_string(Arg(*d))
                       : i != nullptr ? std::to_string(*i)
                                      : "None",
                       (*this)(v.addrspace), python_bool(v.removable));
  }
  std::string operator()(const KernelInfo& v) const {
    return fmt::format(
        "KernelInfo(name={}, axis_types={}, dont_use_locals={}, applied_opts={}, opts_to_apply={}, estimates=None, "
        "beam=0)",
        (*this)(v.name), tuple(v.axis_types), python_bool(v.dont_use_locals), tuple(v.applied_opts),
        v.opts_to_apply ? tuple(*v.opts_to_apply) : "None");
  }
  std::string operator()(const CallInfo& v) const {
    return fmt::format("CallInfo(None, {}, {}, {})", v.name ? (*this)(*v.name) : "None", python_bool(v.precompile),
                       python_bool(v.precompile_backward));
  }
  std::string operator()(const OptArg& v) const {
    return fmt::format("Opt(op=OptOps.{}, axis={}, arg={})", optop_name(v.op),
                       v.axis ? std::to_string(*v.axis) : "None", v.arg.empty() ? "None" : (*this)(v.arg[0]));
  }
  std::string operator()(const Arg::Tuple& v) const { return tuple(v); }
  std::string operator()(const Arg& v) const { return std::visit(*this, v.value()); }

 private:
  template <class T>
  std::string tuple(const std::vector<T>& items) const {
    std::string r = "(";
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) r += ", ";
      r += (*this)(items[i]);
    }
    return r + (items.size() == 1 ? ",)" : ")");
  }
};
// NOLINTEND(misc-no-recursion)

}  // namespace

std::string to_string(const Arg& arg) {
  return Repr{}(arg);
}

std::string to_string(const Device& device) {
  if (!device.is_tuple) return device.is_none() ? "" : device.names[0];
  return fmt::format("({})", fmt::join(device.names, ", "));
}

std::string dtype_repr(DType dtype) {
  const auto alias = [&]() -> std::string_view {
    switch (dtype) {
      case DType::int8:
        return "char";
      case DType::uint8:
        return "uchar";
      case DType::int16:
        return "short";
      case DType::uint16:
        return "ushort";
      case DType::int32:
        return "int";
      case DType::uint32:
        return "uint";
      case DType::int64:
        return "long";
      case DType::uint64:
        return "ulong";
      case DType::float16:
        return "half";
      case DType::float32:
        return "float";
      case DType::float64:
        return "double";
      default:
        return dtype_name(dtype);
    }
  };
  return fmt::format("dtypes.{}", alias());
}

std::string range_str(UOp range) {
  const Arg::Tuple& ids = range.arg().as_tuple();
  std::string r;
  for (size_t i = 0; i + 1 < ids.size(); ++i) {
    const Int id = ids[i].as<Scalar>().as_int();
    if (i > 0) r += '_';
    r += id.sign() < 0 ? "m" + (-id).to_string() : id.to_string();
  }
  return r;
}

std::string multirange_str(std::span<const UOp> ranges) {
  UOps sorted(ranges.begin(), ranges.end());
  std::ranges::stable_sort(sorted, [](UOp a, UOp b) { return a.arg().compare(b.arg()) < 0; });
  std::string r;
  for (const UOp u : sorted) r += (r.empty() ? "" : ",") + range_str(u);
  return r;
}

}  // namespace rangescope
