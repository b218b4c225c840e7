// What a builder sees of its node.

#include <fmt/format.h>

#include <algorithm>

#include "engine/onnx/dtypes.h"
#include "engine/onnx/importer.h"

namespace rangescope::onnx {

Value as_value(Tensor tensor) {
  auto v = std::make_shared<ValueState>();
  v->tensor = std::move(tensor);
  return v;
}
Value as_value(HostArray known) {
  auto v = std::make_shared<ValueState>();
  v->known = std::move(known);
  return v;
}
Value as_value(const Ints& ints) {
  return as_value(HostArray::from_ints(DType::int64, {static_cast<int64_t>(ints.size())}, ints));
}
Value as_scalar(int64_t number) {
  return as_value(HostArray::from_ints(DType::int64, {}, Ints{number}));
}
Value as_sequence(Values values) {
  auto v = std::make_shared<ValueState>();
  v->sequence = std::move(values);
  return v;
}
bool Call::is_rounded() const {
  return !node_.outputs.empty() && names_.rounded.contains(node_.outputs[0]);
}

frontend::Context& Call::context() const {
  return importer_.context();
}

const Value& Call::value(size_t i) const {
  if (!has(i)) refuse(fmt::format("input {} is missing", i));
  return inputs_[i];
}
Tensor Call::x(size_t i) const {
  return importer_.tensor(value(i));
}
std::optional<Tensor> Call::maybe(size_t i) const {
  return has(i) ? std::optional<Tensor>(x(i)) : std::nullopt;
}
const Values& Call::sequence(size_t i) const {
  if (!value(i)->sequence) refuse(fmt::format("input {} is no sequence", i));
  return *value(i)->sequence;
}
const HostArray& Call::numbers(size_t i) const {
  const std::string& name = i < node_.inputs.size() ? node_.inputs[i] : "";
  return importer_.numbers(value(i), fmt::format("input {}, \"{}\", must be known when the graph is built", i, name));
}
int64_t Call::integer(size_t i) const {
  const Ints v = ints(i);
  if (v.size() != 1) refuse(fmt::format("input {} must be one number, and has {}", i, v.size()));
  return v[0];
}
std::optional<Ints> Call::ints_or_attribute(size_t i, const char* name) const {
  if (has(i)) return ints(i);
  return list(name);
}

const Attribute* Call::attribute(const char* name) const {
  const auto it = std::ranges::find(node_.attributes, name, &Attribute::name);
  return it == node_.attributes.end() ? nullptr : &*it;
}

namespace {

[[noreturn]] void wrong_kind(const char* name, const char* what) {
  throw GraphError(fmt::format("the attribute {} is not {}", name, what));
}

}  // namespace

int64_t Call::integer(const char* name, int64_t otherwise) const {
  const Attribute* a = attribute(name);
  if (a == nullptr) return otherwise;
  if (a->kind != Attribute::Kind::Int) wrong_kind(name, "an integer");
  return a->ints[0];
}
double Call::number(const char* name, double otherwise) const {
  const Attribute* a = attribute(name);
  if (a == nullptr) return otherwise;
  if (a->kind == Attribute::Kind::Int) return static_cast<double>(a->ints[0]);
  if (a->kind != Attribute::Kind::Float) wrong_kind(name, "a number");
  return a->floats[0];
}
std::string Call::text(const char* name, const std::string& otherwise) const {
  const Attribute* a = attribute(name);
  if (a == nullptr) return otherwise;
  if (a->kind != Attribute::Kind::String) wrong_kind(name, "a text");
  return a->strings[0];
}
std::optional<Ints> Call::list(const char* name) const {
  const Attribute* a = attribute(name);
  if (a == nullptr) return std::nullopt;
  if (a->kind != Attribute::Kind::Ints && a->kind != Attribute::Kind::Int) wrong_kind(name, "a list of integers");
  return a->ints;
}
std::optional<std::vector<double>> Call::floats(const char* name) const {
  const Attribute* a = attribute(name);
  if (a == nullptr) return std::nullopt;
  if (a->kind != Attribute::Kind::Floats && a->kind != Attribute::Kind::Float) wrong_kind(name, "a list of numbers");
  return a->floats;
}
std::optional<std::vector<std::string>> Call::texts(const char* name) const {
  const Attribute* a = attribute(name);
  if (a == nullptr) return std::nullopt;
  if (a->kind != Attribute::Kind::Strings) wrong_kind(name, "a list of texts");
  return a->strings;
}
const Graph& Call::graph(const char* name) const {
  const Attribute* a = attribute(name);
  if (a == nullptr || !a->graph) wrong_kind(name, "a graph");
  return *a->graph;
}

Tensor Call::constant(const HostArray& array) const {
  return importer_.tensor(as_value(array));
}
Tensor Call::number_like(const Tensor& x, double value) const {
  return constant(HostArray::from_doubles(x.dtype(), {}, std::vector<double>{value}));
}
int64_t Call::wrapped(int64_t axis, size_t ndim) {
  const auto n = static_cast<int64_t>(ndim);
  if (axis < -n || axis >= n) refuse(fmt::format("there is no axis {} among {}", axis, n));
  return axis < 0 ? axis + n : axis;
}
int64_t Call::axis(const char* name, int64_t otherwise, size_t ndim) const {
  return wrapped(integer(name, otherwise), ndim);
}
void Call::refuse(const std::string& why) {
  throw GraphError(why);
}

int64_t sane(int64_t number) {
  constexpr int64_t kMost = int64_t{1} << 31;
  if (number < -kMost || number > kMost) Call::refuse(fmt::format("a size of {}", number));
  return number;
}

Shape shape_of(const Ints& sizes) {
  constexpr int64_t kMost = int64_t{1} << 40;
  Shape shape;
  int64_t count = 1;
  for (const int64_t s : sizes) {
    if (s < 0) Call::refuse(fmt::format("an axis of {}", s));
    if (s > 0 && count > kMost / s) Call::refuse("a tensor with more elements than fit anywhere");
    count *= s == 0 ? 1 : s;
    shape.emplace_back(s);
  }
  return shape;
}

DType dtype_of_number(int64_t number) {
  if (const auto dtype = dtype_of(number)) return *dtype;
  throw GraphError(fmt::format("the dtype {} is not supported", type_name(number)));
}

}  // namespace rangescope::onnx
