// Arguments and tags as JSON.

#include <fmt/format.h>

#include "engine/ir/json.h"
#include "engine/ir/json_reader.h"

namespace rangescope {

// Arguments nest; what is read is at most JsonReader::kMaxDepth deep, and so is what is written.
// NOLINTBEGIN(misc-no-recursion)

namespace {

// ** reading

template <class T>
T named(JsonReader& in, std::optional<T> (*from_name)(std::string_view), const char* what) {
  const std::string_view name = in.string();
  if (const std::optional<T> v = from_name(name)) return *v;
  in.refuse(fmt::format("unknown {} '{}'", what, name));
}
AxisType read_axis(JsonReader& in) {
  return named(in, axis_from_name, "axis type");
}
AddrSpace read_addrspace(JsonReader& in) {
  return named(in, addrspace_from_name, "address space");
}
DType read_dtype(JsonReader& in) {
  return named(in, dtype_from_name, "dtype");
}
int64_t read_int(JsonReader& in) {
  return in.integer(INT64_MIN, INT64_MAX);
}

double read_special_float(JsonReader& in) {
  const std::string_view name = in.string();
  if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (name == "inf") return std::numeric_limits<double>::infinity();
  if (name == "-inf") return -std::numeric_limits<double>::infinity();
  in.refuse(fmt::format("expected nan, inf or -inf, found '{}'", name));
}

Scalar read_scalar(JsonReader& in) {
  const Arg a = read_arg(in);
  if (const auto* v = a.get_if<Scalar>()) return *v;
  in.refuse("expected a bool, a number or the invalid value");
}

Bytes read_bytes(JsonReader& in) {
  const std::string_view hex = in.string();
  const auto digit = [&](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    in.refuse("bytes are written as hexadecimal digits");
  };
  if (hex.size() % 2 != 0) in.refuse("bytes need an even number of hexadecimal digits");
  Bytes b;
  b.data.reserve(hex.size() / 2);
  for (size_t i = 0; i < hex.size(); i += 2) b.data += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
  return b;
}

Device read_device(JsonReader& in) {
  if (in.try_null()) return {};
  if (in.peek() == JsonReader::Kind::String) return Device::single(std::string(in.string()));
  std::vector<std::string> names;
  in.array([&](size_t) { names.emplace_back(in.string()); });
  return Device::tuple(std::move(names));
}

// {"addrspace": "LOCAL"}, or null for none
std::optional<AddrSpace> read_param_addrspace(JsonReader& in) {
  const Arg a = read_arg(in);
  if (a.is_none()) return std::nullopt;
  if (const auto* s = a.get_if<AddrSpace>()) return *s;
  in.refuse("expected an address space");
}

[[noreturn]] void unknown_key(const JsonReader& in, std::string_view key, const char* where) {
  in.refuse(fmt::format("unknown key '{}' of {}", key, where));
}

ParamArg read_param(JsonReader& in) {
  ParamArg p;
  bool slot = false, dtype = false;
  in.object([&](std::string_view key) {
    if (key == "slot") {
      p.slot = read_int(in);
      slot = true;
    } else if (key == "dtype") {
      p.dtype = read_dtype(in);
      dtype = true;
    } else if (key == "vmin_vmax") {
      std::vector<Scalar> b;
      in.array([&](size_t) { b.push_back(read_scalar(in)); });
      if (b.size() != 2) in.refuse(fmt::format("vmin_vmax needs two values, it has {}", b.size()));
      p.bounds.emplace(b[0], b[1]);
    } else if (key == "multiple_of") {
      const Scalar v = read_scalar(in);
      if (!v.is_int()) in.refuse("multiple_of needs an integer");
      p.multiple_of = v.as_int();
    } else if (key == "name") {
      p.name = std::string(in.string());
    } else if (key == "addrspace") {
      p.addrspace = read_param_addrspace(in);
    } else if (key == "axis") {
      p.axis = read_int(in);
    } else if (key == "device") {
      p.device = read_device(in);
    } else if (key == "volatile") {
      p.is_volatile = in.boolean();
    } else {
      unknown_key(in, key, "a parameter");
    }
  });
  if (!slot || !dtype) in.refuse("a parameter needs a slot and a dtype");
  return p;
}

StageArg read_stage(JsonReader& in) {
  StageArg s;
  in.object([&](std::string_view key) {
    if (key == "device") {
      if (in.peek() == JsonReader::Kind::Number)
        s.device = read_int(in);
      else if (Device d = read_device(in); !d.is_none())
        s.device = std::move(d);
    } else if (key == "addrspace") {
      s.addrspace = read_addrspace(in);
    } else if (key == "removable") {
      s.removable = in.boolean();
    } else {
      unknown_key(in, key, "a stage's options");
    }
  });
  return s;
}

OptArg read_opt(JsonReader& in) {
  OptArg o;
  size_t count = 0;
  in.array([&](size_t i) {
    count = i + 1;
    if (i == 0) {
      o.op = named(in, optop_from_name, "optimisation");
    } else if (i == 1) {
      if (!in.try_null()) o.axis = read_int(in);
    } else if (const Arg a = read_arg(in); !a.is_none()) {
      o.arg.assign(1, a);
    }
  });
  if (count != 3) in.refuse(fmt::format("an optimisation is [op, axis, arg], this one has {} elements", count));
  return o;
}

OptArg read_wrapped_opt(JsonReader& in) {
  const Arg a = read_arg(in);
  if (const auto* o = a.get_if<OptArg>()) return *o;
  in.refuse("expected an optimisation");
}

KernelInfo read_kernel(JsonReader& in) {
  KernelInfo k;
  in.object([&](std::string_view key) {
    if (key == "name") {
      k.name = in.string();
    } else if (key == "axis_types") {
      in.array([&](size_t) { k.axis_types.push_back(read_axis(in)); });
    } else if (key == "dont_use_locals") {
      k.dont_use_locals = in.boolean();
    } else if (key == "applied_opts") {
      in.array([&](size_t) { k.applied_opts.push_back(read_wrapped_opt(in)); });
    } else if (key == "opts_to_apply") {
      k.opts_to_apply.emplace();
      in.array([&](size_t) { k.opts_to_apply->push_back(read_wrapped_opt(in)); });
    } else {
      unknown_key(in, key, "a kernel's info");
    }
  });
  return k;
}

CallInfo read_call(JsonReader& in) {
  CallInfo c;
  in.object([&](std::string_view key) {
    if (key == "name") {
      if (!in.try_null()) c.name = std::string(in.string());
    } else if (key == "precompile") {
      c.precompile = in.boolean();
    } else if (key == "precompile_backward") {
      c.precompile_backward = in.boolean();
    } else {
      unknown_key(in, key, "a call's info");
    }
  });
  return c;
}

Arg read_object(JsonReader& in) {
  Arg r;
  size_t keys = 0;
  in.object([&](std::string_view key) {
    if (++keys > 1) in.refuse("an argument's object has one key, which names its kind");
    if (key == "float") {
      r = Scalar(read_special_float(in));
    } else if (key == "invalid") {
      in.skip();
      r = Scalar::invalid();
    } else if (key == "op") {
      r = named(in, op_from_name, "op");
    } else if (key == "dtype") {
      r = read_dtype(in);
    } else if (key == "axis") {
      r = read_axis(in);
    } else if (key == "addrspace") {
      r = read_addrspace(in);
    } else if (key == "bytes") {
      r = read_bytes(in);
    } else if (key == "param") {
      r = read_param(in);
    } else if (key == "stage") {
      r = read_stage(in);
    } else if (key == "kernel") {
      r = read_kernel(in);
    } else if (key == "call") {
      r = read_call(in);
    } else if (key == "opt") {
      r = read_opt(in);
    } else {
      in.refuse(fmt::format("unknown kind of argument '{}'", key));
    }
  });
  if (keys == 0) in.refuse("an argument's object has one key, which names its kind");
  return r;
}

// ** writing

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  void operator()(const std::monostate&) { out_ += "null"; }
  void operator()(const Scalar& v) { rangescope::append_json(out_, v); }
  void operator()(const std::string& v) { append_json_string(out_, v); }
  void operator()(Op v) { object("op", op_name(v)); }
  void operator()(DType v) { object("dtype", dtype_name(v)); }
  void operator()(AxisType v) { object("axis", axis_name(v)); }
  void operator()(AddrSpace v) { object("addrspace", addrspace_name(v)); }
  void operator()(const Bytes& v) {
    out_ += R"({"bytes":")";
    for (const char c : v.data) fmt::format_to(std::back_inserter(out_), "{:02x}", static_cast<unsigned char>(c));
    out_ += "\"}";
  }
  template <class T>
  void operator()(const Boxed<T>& v) {
    (*this)(*v);
  }
  void operator()(const ParamArg& v) {
    fmt::format_to(std::back_inserter(out_), R"({{"param":{{"slot":{},"dtype":"{}")", v.slot, dtype_name(v.dtype));
    if (v.bounds) {
      out_ += R"(,"vmin_vmax":[)";
      (*this)(v.bounds->first);
      out_ += ',';
      (*this)(v.bounds->second);
      out_ += ']';
    }
    if (v.multiple_of) out_ += R"(,"multiple_of":)" + v.multiple_of->to_string();
    if (v.name) {
      out_ += R"(,"name":)";
      append_json_string(out_, *v.name);
    }
    if (v.addrspace != AddrSpace::GLOBAL) {
      out_ += R"(,"addrspace":)";
      if (v.addrspace)
        (*this)(*v.addrspace);
      else
        out_ += "null";
    }
    if (v.axis) out_ += R"(,"axis":)" + std::to_string(*v.axis);
    if (!v.device.is_none()) {
      out_ += R"(,"device":)";
      device(v.device);
    }
    if (v.is_volatile) out_ += R"(,"volatile":true)";
    out_ += "}}";
  }
  void operator()(const StageArg& v) {
    out_ += R"({"stage":{"device":)";
    if (const auto* d = std::get_if<Device>(&v.device))
      device(*d);
    else if (const int64_t* i = std::get_if<int64_t>(&v.device))
      out_ += std::to_string(*i);
    else
      out_ += "null";
    fmt::format_to(std::back_inserter(out_), R"(,"addrspace":"{}","removable":{}}}}})", addrspace_name(v.addrspace),
                   v.removable);
  }
  void operator()(const KernelInfo& v) {
    out_ += R"({"kernel":{"name":)";
    append_json_string(out_, v.name);
    if (!v.axis_types.empty()) {
      out_ += R"(,"axis_types":)";
      list(v.axis_types, [&](AxisType a) { append_json_string(out_, axis_name(a)); });
    }
    if (v.dont_use_locals) out_ += R"(,"dont_use_locals":true)";
    if (!v.applied_opts.empty()) {
      out_ += R"(,"applied_opts":)";
      list(v.applied_opts, *this);
    }
    if (v.opts_to_apply) {
      out_ += R"(,"opts_to_apply":)";
      list(*v.opts_to_apply, *this);
    }
    out_ += "}}";
  }
  void operator()(const CallInfo& v) {
    out_ += R"({"call":{"name":)";
    if (v.name)
      append_json_string(out_, *v.name);
    else
      out_ += "null";
    fmt::format_to(std::back_inserter(out_), R"(,"precompile":{},"precompile_backward":{}}}}})", v.precompile,
                   v.precompile_backward);
  }
  void operator()(const OptArg& v) {
    fmt::format_to(std::back_inserter(out_), R"({{"opt":["{}",)", optop_name(v.op));
    out_ += v.axis ? std::to_string(*v.axis) : "null";
    out_ += ',';
    if (v.arg.empty())
      out_ += "null";
    else
      (*this)(v.arg[0]);
    out_ += "]}";
  }
  void operator()(const Arg::Tuple& v) { list(v, *this); }
  void operator()(const Arg& v) { std::visit(*this, v.value()); }

 private:
  void object(std::string_view key, std::string_view name) {
    fmt::format_to(std::back_inserter(out_), R"({{"{}":"{}"}})", key, name);
  }
  template <class T, class Each>
  void list(const std::vector<T>& items, Each&& each) {
    out_ += '[';
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out_ += ',';
      each(items[i]);
    }
    out_ += ']';
  }
  void device(const Device& d) { (*this)(Arg(d)); }

  std::string& out_;
};

}  // namespace

Arg read_arg(JsonReader& in) {
  switch (in.peek()) {
    case JsonReader::Kind::Null:
      in.try_null();
      return {};
    case JsonReader::Kind::Bool:
      return in.boolean();
    case JsonReader::Kind::Number:
      return in.number();
    case JsonReader::Kind::String:
      return std::string(in.string());
    case JsonReader::Kind::Array: {
      Arg::Tuple items;
      in.array([&](size_t) { items.push_back(read_arg(in)); });
      return items;
    }
    case JsonReader::Kind::Object:
      break;
  }
  return read_object(in);
}

Result<Arg> read_arg(std::string_view json) {
  try {
    JsonReader in(json);
    Arg a = read_arg(in);
    in.finish();
    return a;
  } catch (const GraphError& e) {
    return tl::unexpected(Error{"an argument cannot be read: " + e.message()});
  }
}

void append_json(std::string& out, const Arg& arg) {
  Writer{out}(arg);
}

std::string to_json(const Arg& arg) {
  std::string out;
  append_json(out, arg);
  return out;
}

// NOLINTEND(misc-no-recursion)

}  // namespace rangescope
