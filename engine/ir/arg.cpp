#include "engine/ir/arg.h"

#include <fmt/format.h>

#include <functional>

#include "engine/ir/error.h"

namespace rangescope {

namespace {

uint64_t combine(uint64_t h, uint64_t v) {
  return (h ^ (v + 0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2))) * 0xff51afd7ed558ccdULL;
}
uint64_t hash_text(const std::string& s) {
  uint64_t h = 1469598103934665603ULL;  // FNV-1a: the same on every machine, unlike std::hash
  for (const char c : s) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return h;
}
uint64_t hash_device(const Device& d) {
  uint64_t h = d.is_tuple ? 7 : 3;
  for (const std::string& n : d.names) h = combine(h, hash_text(n));
  return h;
}
uint64_t hash_opt(const OptArg& o) {
  uint64_t h = combine(static_cast<uint64_t>(o.op), static_cast<uint64_t>(o.axis.value_or(-99)));
  for (const Arg& a : o.arg) h = combine(h, a.hash());
  return h;
}

struct Hasher {
  uint64_t operator()(const std::monostate&) const { return 0; }  // Arg::hash does not ask
  uint64_t operator()(const Scalar& v) const { return v.hash(); }
  uint64_t operator()(const std::string& v) const { return hash_text(v); }
  uint64_t operator()(Op v) const { return 0x1000 + static_cast<uint64_t>(v); }
  uint64_t operator()(DType v) const { return 0x2000 + static_cast<uint64_t>(v); }
  uint64_t operator()(AxisType v) const { return 0x3000 + static_cast<uint64_t>(v); }
  uint64_t operator()(AddrSpace v) const { return 0x4000 + static_cast<uint64_t>(v); }
  uint64_t operator()(const Bytes& v) const { return hash_text(v.data) + 1; }
  template <class T>
  uint64_t operator()(const Boxed<T>& v) const {
    return (*this)(*v);
  }
  uint64_t operator()(const ParamArg& v) const {
    uint64_t h = combine(static_cast<uint64_t>(v.slot), static_cast<uint64_t>(v.dtype));
    if (v.bounds) h = combine(combine(h, v.bounds->first.hash()), v.bounds->second.hash());
    if (v.multiple_of) h = combine(h, v.multiple_of->hash());
    if (v.name) h = combine(h, hash_text(*v.name));
    h = combine(h, v.addrspace ? static_cast<uint64_t>(*v.addrspace) + 1 : 0);
    if (v.axis) h = combine(h, static_cast<uint64_t>(*v.axis));
    return combine(h, hash_device(v.device) + static_cast<uint64_t>(v.is_volatile));
  }
  uint64_t operator()(const StageArg& v) const {
    uint64_t h = combine(static_cast<uint64_t>(v.addrspace), static_cast<uint64_t>(v.removable));
    if (const auto* d = std::get_if<Device>(&v.device)) return combine(h, hash_device(*d));
    if (const int64_t* i = std::get_if<int64_t>(&v.device)) return combine(h, static_cast<uint64_t>(*i) + 11);
    return h;
  }
  uint64_t operator()(const KernelInfo& v) const {
    uint64_t h = hash_text(v.name);
    for (const AxisType a : v.axis_types) h = combine(h, static_cast<uint64_t>(a));
    h = combine(h, static_cast<uint64_t>(v.dont_use_locals));
    for (const OptArg& o : v.applied_opts) h = combine(h, hash_opt(o));
    if (v.opts_to_apply) {
      h = combine(h, 5);
      for (const OptArg& o : *v.opts_to_apply) h = combine(h, hash_opt(o));
    }
    return h;
  }
  uint64_t operator()(const CallInfo& v) const {
    const uint64_t h = v.name ? hash_text(*v.name) : 1;
    return combine(h, static_cast<uint64_t>(v.precompile) * 2 + static_cast<uint64_t>(v.precompile_backward));
  }
  uint64_t operator()(const OptArg& v) const { return hash_opt(v); }
  uint64_t operator()(const Arg::Tuple& v) const {
    uint64_t h = 0x7000 + v.size();
    for (const Arg& a : v) h = combine(h, a.hash());
    return h;
  }
};

template <class T>
int three_way(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}
[[noreturn]] void no_order(const char* what) {
  throw GraphError(fmt::format("two nodes cannot be put in order: {}", what));
}

int compare_scalar(const Scalar& a, const Scalar& b) {
  if (rangescope::python_equal(a, b)) return 0;
  return python_less(a, b) ? -1 : 1;
}

// None against a value has no order in the reference; equal ones do.
template <class T, class F>
int compare_optional(const std::optional<T>& a, const std::optional<T>& b, const char* what, F compare) {
  if (!a && !b) return 0;
  if (!a || !b) no_order(what);
  return compare(*a, *b);
}

int compare_param(const ParamArg& a, const ParamArg& b) {
  if (const int c = three_way(a.slot, b.slot)) return c;
  if (a.dtype != b.dtype) return dtype_less(a.dtype, b.dtype) ? -1 : 1;
  if (const int c = compare_optional(a.bounds, b.bounds, "one variable has bounds, the other has none",
                                     [](const auto& x, const auto& y) {
                                       const int first = compare_scalar(x.first, y.first);
                                       return first != 0 ? first : compare_scalar(x.second, y.second);
                                     }))
    return c;
  if (const int c = compare_optional(a.multiple_of, b.multiple_of,
                                     "one variable is a multiple of a number, the other of none", three_way<Int>))
    return c;
  if (const int c =
          compare_optional(a.name, b.name, "one buffer has a name, the other has none", three_way<std::string>))
    return c;
  if (const int c = compare_optional(a.addrspace, b.addrspace, "one buffer has an address space, the other has none",
                                     three_way<AddrSpace>))
    return c;
  if (const int c = compare_optional(a.axis, b.axis, "one buffer has an axis, the other has none", three_way<int64_t>))
    return c;
  if (!(a.device == b.device)) {
    if (a.device.is_tuple != b.device.is_tuple || a.device.is_none() || b.device.is_none())
      no_order("their devices are of different kinds");
    return three_way(a.device.names, b.device.names);
  }
  return three_way(a.is_volatile, b.is_volatile);
}

}  // namespace

bool OptArg::operator==(const OptArg&) const = default;

Arg::Arg(const Device& device) {
  if (device.is_none()) return;
  if (!device.is_tuple) {
    value_ = device.names[0];
    return;
  }
  Tuple names;
  for (const std::string& n : device.names) names.emplace_back(n);
  value_ = std::move(names);
}

void Arg::throw_wrong_type() const {
  throw GraphError("a node's argument has another type than its op needs");
}

bool Arg::is_int() const {
  const auto* v = get_if<Scalar>();
  return v != nullptr && v->is_int();
}

int64_t Arg::as_int64() const {
  const auto& v = as<Scalar>();
  if (!v.is_int() && !v.is_bool()) throw_wrong_type();
  const std::optional<int64_t> small = v.as_int().to_int64();
  if (!small) throw GraphError("an integer argument is too large");
  return *small;
}

Device Arg::as_device() const {
  if (is_none()) return {};
  if (const auto* name = get_if<std::string>()) return Device::single(*name);
  std::vector<std::string> names;
  for (const Arg& a : as<Tuple>()) names.push_back(a.as<std::string>());
  return Device::tuple(std::move(names));
}

uint64_t Arg::compute_hash() const {
  const uint64_t h = combine(value_.index() + 1, std::visit(Hasher{}, value_));
  return h == 0 ? 1 : h;
}

bool Arg::python_equal(const Arg& other) const {
  const auto* a = get_if<Scalar>();
  const auto* b = other.get_if<Scalar>();
  if (a != nullptr && b != nullptr) return rangescope::python_equal(*a, *b);
  const auto* s = get_if<Tuple>();
  const auto* t = other.get_if<Tuple>();
  if (s == nullptr || t == nullptr) return *this == other;
  if (s->size() != t->size()) return false;
  for (size_t i = 0; i < s->size(); ++i)
    if (!(*s)[i].python_equal((*t)[i])) return false;
  return true;
}

int Arg::compare(const Arg& other) const {
  if (python_equal(other)) return 0;
  if (const auto* a = get_if<Scalar>()) {
    const auto* b = other.get_if<Scalar>();
    if (b == nullptr || a->is_invalid() || b->is_invalid()) no_order("their arguments are of different kinds");
    return compare_scalar(*a, *b);
  }
  if (value_.index() != other.value_.index()) no_order("their arguments are of different kinds");
  if (const auto* a = get_if<std::string>()) return three_way(*a, other.as<std::string>());
  if (const auto* a = get_if<Op>()) return three_way(*a, other.as<Op>());
  if (const auto* a = get_if<AddrSpace>()) return three_way(*a, other.as<AddrSpace>());
  if (const auto* a = get_if<DType>()) return dtype_less(*a, other.as<DType>()) ? -1 : 1;
  if (const auto* a = get_if<ParamArg>()) return compare_param(*a, other.as<ParamArg>());
  if (const auto* a = get_if<Bytes>()) return three_way(a->data, other.as<Bytes>().data);
  if (const auto* s = get_if<Tuple>()) {
    const auto& t = other.as<Tuple>();
    for (size_t i = 0; i < std::min(s->size(), t.size()); ++i)
      if (const int c = (*s)[i].compare(t[i])) return c;
    return three_way(s->size(), t.size());
  }
  no_order("their arguments have no order");
}

}  // namespace rangescope
