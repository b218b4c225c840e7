#pragma once
// The argument of a node: the value that is not a source. Arguments are immutable and interned per store, so that two
// equal arguments of one store are the same pointer. Tags use the same type.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "engine/ir/dtype.h"
#include "engine/ir/op.h"
#include "engine/ir/scalar.h"

namespace rangescope {

class Arg;

// A device is one name, or a tuple of names for a value that lives on several devices. `none` is neither.
struct Device {
  std::vector<std::string> names;
  bool is_tuple = false;

  static Device single(std::string name) { return {{std::move(name)}, false}; }
  static Device tuple(std::vector<std::string> names) { return {std::move(names), true}; }
  bool is_none() const { return names.empty() && !is_tuple; }
  bool operator==(const Device&) const = default;
};

// BUFFER and PARAM. `bounds` is the value range of a variable, an inclusive [min, max].
struct ParamArg {
  int64_t slot = 0;
  DType dtype = DType::void_;
  std::optional<std::pair<Scalar, Scalar>> bounds;
  std::optional<Int> multiple_of;
  std::optional<std::string> name;
  std::optional<AddrSpace> addrspace = AddrSpace::GLOBAL;
  std::optional<int64_t> axis;
  Device device;
  bool is_volatile = false;
  bool operator==(const ParamArg&) const = default;
};

// STAGE: where the staged value lives, and whether the pass that removes stages may remove it. The device of a local
// stage is a number.
struct StageArg {
  std::variant<std::monostate, Device, int64_t> device;
  AddrSpace addrspace = AddrSpace::GLOBAL;
  bool removable = true;
  bool operator==(const StageArg&) const = default;
};

// One choice of the kernel optimiser.
struct OptArg {
  OptOp op = OptOp::TC;
  std::optional<int64_t> axis;
  std::vector<Arg> arg;  // empty: none; one element: the value
  bool operator==(const OptArg&) const;
};

// SINK of a kernel.
struct KernelInfo {
  std::string name = "test";
  std::vector<AxisType> axis_types;
  bool dont_use_locals = false;
  std::vector<OptArg> applied_opts;
  std::optional<std::vector<OptArg>> opts_to_apply;
  bool operator==(const KernelInfo&) const = default;
};

// CALL and FUNCTION.
struct CallInfo {
  std::optional<std::string> name;
  bool precompile = false;
  bool precompile_backward = false;
  bool operator==(const CallInfo&) const = default;
};

struct Bytes {
  std::string data;
  bool operator==(const Bytes&) const = default;
};

// A large value, apart from the argument that it is: most arguments are a number or two.
template <class T>
class Boxed {
 public:
  explicit Boxed(T value) : value_(std::make_shared<const T>(std::move(value))) {}
  const T& operator*() const { return *value_; }
  bool operator==(const Boxed& other) const { return value_ == other.value_ || *value_ == *other.value_; }

 private:
  std::shared_ptr<const T> value_;
};

class Arg {
 public:
  using Tuple = std::vector<Arg>;
  using Value =
      std::variant<std::monostate, Scalar, std::string, Op, DType, AxisType, AddrSpace, Bytes, Boxed<ParamArg>,
                   Boxed<StageArg>, Boxed<KernelInfo>, Boxed<CallInfo>, Boxed<OptArg>, Tuple>;

  Arg() = default;
  Arg(Scalar v) : value_(v) {}
  Arg(bool v) : value_(Scalar::of_bool(v)) {}
  Arg(int v) : value_(Scalar(v)) {}
  Arg(int64_t v) : value_(Scalar(v)) {}
  Arg(std::string v) : value_(std::move(v)) {}
  Arg(const char* v) : value_(std::string(v)) {}
  Arg(Op v) : value_(v) {}
  Arg(DType v) : value_(v) {}
  Arg(AxisType v) : value_(v) {}
  Arg(AddrSpace v) : value_(v) {}
  Arg(Bytes v) : value_(std::move(v)) {}
  Arg(ParamArg v) : value_(Boxed(std::move(v))) {}
  Arg(StageArg v) : value_(Boxed(std::move(v))) {}
  Arg(KernelInfo v) : value_(Boxed(std::move(v))) {}
  Arg(CallInfo v) : value_(Boxed(std::move(v))) {}
  Arg(OptArg v) : value_(Boxed(std::move(v))) {}
  Arg(Tuple v) : value_(std::move(v)) {}
  Arg(const Device& device);  // a name, a tuple of names, or none

  static Arg tuple(Tuple v) { return Arg(std::move(v)); }
  static inline const Arg& none();

  bool is_none() const { return std::holds_alternative<std::monostate>(value_); }
  template <class T>
  bool is() const {
    return get_if<T>() != nullptr;
  }
  // The value as T; a graph whose argument has another type is refused with GraphError.
  template <class T>
  const T& as() const {
    if (const T* v = get_if<T>()) return *v;
    throw_wrong_type();
  }
  template <class T>
  const T* get_if() const {
    if constexpr (kIsLarge<T>) {
      const auto* box = std::get_if<Boxed<T>>(&value_);
      return box == nullptr ? nullptr : &**box;
    } else {
      return std::get_if<T>(&value_);
    }
  }
  bool is_int() const;       // an int scalar (not a bool)
  int64_t as_int64() const;  // refuses what is not an int or does not fit
  const Tuple& as_tuple() const { return as<Tuple>(); }
  Device as_device() const;

  const Value& value() const { return value_; }
  uint64_t hash() const {
    if (is_none()) return kNoneHash;  // the one shared argument is never written to: threads have it in common
    if (hash_ == 0) hash_ = compute_hash();
    return hash_;
  }
  // Same kind and same bits: what hash-consing needs.
  bool operator==(const Arg& other) const { return value_ == other.value_; }
  // Equality as patterns see it: 1, 1.0 and True are equal.
  bool python_equal(const Arg& other) const;
  // Order as the reference's tuplize compares arguments; <0, 0, >0. Refuses kinds that have no order.
  int compare(const Arg& other) const;

 private:
  template <class T>
  static constexpr bool kIsLarge =
      std::is_same_v<T, ParamArg> || std::is_same_v<T, StageArg> || std::is_same_v<T, KernelInfo> ||
      std::is_same_v<T, CallInfo> || std::is_same_v<T, OptArg>;
  [[noreturn]] void throw_wrong_type() const;
  static constexpr uint64_t kNoneHash = 0x51ed270b93a1c4d7ULL;
  uint64_t compute_hash() const;
  Value value_;
  mutable uint64_t hash_ = 0;  // 0: not computed yet; an argument never changes
};

namespace detail {
inline constinit const Arg no_arg;
}
inline const Arg& Arg::none() {
  return detail::no_arg;
}

}  // namespace rangescope
