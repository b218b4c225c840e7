// Methods of one form, found by name: functions of each element, operators, reductions.

#include <map>

#include "app/python/bindings/operands.h"

namespace rangescope::python {

namespace {

using Unary = Tensor (Tensor::*)() const;
using Binary = Tensor (Tensor::*)(const Operand&, bool) const;
using Compare = Tensor (Tensor::*)(const Operand&) const;
using Reduce = Tensor (Tensor::*)(const frontend::Axes&, bool) const;

template <class T>
T find(const std::map<std::string, T>& table, const std::string& name) {
  const auto it = table.find(name);
  if (it == table.end()) throw GraphError("a tensor has no " + name);
  return it->second;
}

#define M(name) \
  { #name, &Tensor::name }

const std::map<std::string, Unary>& unary() {
  static const std::map<std::string, Unary> table = {
      M(reciprocal),  M(trunc),       M(sqrt),       M(rsqrt),
      M(square),      M(sin),         M(cos),        M(tan),
      M(asin),        M(acos),        M(atan),       M(sinh),
      M(cosh),        M(asinh),       M(acosh),      M(atanh),
      M(exp),         M(exp2),        M(log),        M(log2),
      M(log10),       M(ceil),        M(floor),      M(round),
      M(sign),        M(abs),         M(erf),        M(relu),
      M(relu6),       M(sigmoid),     M(tanh),       M(hardswish),
      M(quick_gelu),  M(swish),       M(mish),       M(logsigmoid),
      M(isnan),       M(isfinite),    M(softsign),   M(neg),
      M(logical_not), M(bitwise_not), M(contiguous), M(contiguous_backward),
      M(detach),      M(diag)};
  return table;
}

const std::map<std::string, Binary>& binary() {
  static const std::map<std::string, Binary> table = {
      M(add), M(sub),         M(mul),        M(div),         M(floordiv), M(trunc_div), M(mod),
      M(pow), M(bitwise_and), M(bitwise_or), M(bitwise_xor), M(lshift),   M(rshift)};
  return table;
}

const std::map<std::string, Compare>& compare() {
  static const std::map<std::string, Compare> table = {M(lt),      M(gt),      M(le),   M(ge),       M(eq),       M(ne),
                                                       M(maximum), M(minimum), M(fmod), M(copysign), M(logaddexp)};
  return table;
}

const std::map<std::string, Reduce>& reductions() {
  static const std::map<std::string, Reduce> table = {M(max), M(min), M(any), M(all), M(mean), M(logsumexp)};
  return table;
}

#undef M

}  // namespace

void bind_functions(py::class_<Tensor>& tensor) {
  using Name = std::optional<std::string>;
  using AxisList = std::optional<Ints>;
  tensor.def("unary", [](const Tensor& t, const std::string& name) { return (t.*find(unary(), name))(); })
      .def("binary", [](const Tensor& t, const std::string& name, const py::object& y,
                        bool reverse) { return (t.*find(binary(), name))(operand_of(y), reverse); })
      .def("compare", [](const Tensor& t, const std::string& name,
                         const py::object& y) { return (t.*find(compare(), name))(operand_of(y)); })
      .def("reduce", [](const Tensor& t, const std::string& name, const AxisList& axes,
                        bool keepdim) { return (t.*find(reductions(), name))(axes_of(axes), keepdim); })
      .def("sum", [](const Tensor& t, const AxisList& axes, bool keepdim,
                     const Name& dtype) { return t.sum(axes_of(axes), keepdim, dtype_of(dtype)); })
      .def("prod", [](const Tensor& t, const AxisList& axes, bool keepdim,
                      const Name& dtype) { return t.prod(axes_of(axes), keepdim, dtype_of(dtype)); })
      .def("var", [](const Tensor& t, const AxisList& axes, bool keepdim,
                     int64_t correction) { return t.var(axes_of(axes), keepdim, correction); })
      .def("std", [](const Tensor& t, const AxisList& axes, bool keepdim,
                     int64_t correction) { return t.std(axes_of(axes), keepdim, correction); })
      .def("argmax", &Tensor::argmax)
      .def("argmin", &Tensor::argmin)
      .def("cumsum", &Tensor::cumsum)
      .def("cumprod", &Tensor::cumprod)
      .def("cummax", &Tensor::cummax)
      .def("cummin", &Tensor::cummin)
      .def("logcumsumexp", &Tensor::logcumsumexp)
      .def("sort", &Tensor::sort)
      .def("topk", &Tensor::topk)
      .def("where", [](const Tensor& t, const py::object& a,
                       const py::object& b) { return t.where(operand_of(a), operand_of(b)); })
      .def("clamp",
           [](const Tensor& t, const py::object& low, const py::object& high) {
             const auto bound = [](const py::object& v) {
               return v.is_none() ? std::optional<Operand>() : std::optional(operand_of(v));
             };
             return t.clamp(bound(low), bound(high));
           })
      .def("lerp", [](const Tensor& t, const Tensor& end, const py::object& w) { return t.lerp(end, operand_of(w)); })
      .def("isinf", &Tensor::isinf)
      .def("isclose", [](const Tensor& t, const py::object& y, double rtol, double atol,
                         bool equal_nan) { return t.isclose(operand_of(y), rtol, atol, equal_nan); })
      .def("leaky_relu", &Tensor::leaky_relu)
      .def("elu", &Tensor::elu)
      .def("celu", &Tensor::celu)
      .def("selu", &Tensor::selu)
      .def("gelu", &Tensor::gelu)
      .def("softplus", &Tensor::softplus)
      .def("hardsigmoid", &Tensor::hardsigmoid)
      .def("softmax", [](const Tensor& t, int64_t axis, const Name& dtype) { return t.softmax(axis, dtype_of(dtype)); })
      .def("log_softmax",
           [](const Tensor& t, int64_t axis, const Name& dtype) { return t.log_softmax(axis, dtype_of(dtype)); })
      .def("layernorm", &Tensor::layernorm)
      .def("groupnorm", &Tensor::groupnorm)
      .def("normalize", &Tensor::normalize)
      .def("batchnorm", &Tensor::batchnorm)
      .def("dropout", &Tensor::dropout)
      .def("attention", &Tensor::scaled_dot_product_attention)
      .def("binary_crossentropy",
           [](const Tensor& t, const Tensor& y, const std::string& r) { return t.binary_crossentropy(y, r); })
      .def("binary_crossentropy_logits",
           [](const Tensor& t, const Tensor& y, const std::string& r) { return t.binary_crossentropy_logits(y, r); })
      .def("sparse_categorical_crossentropy",
           [](const Tensor& t, const Tensor& y, int64_t ignore, double smoothing, const std::string& r) {
             return t.sparse_categorical_crossentropy(y, ignore, smoothing, r);
           })
      .def("cross_entropy", [](const Tensor& t, const Tensor& y, const std::string& r,
                               double smoothing) { return t.cross_entropy(y, r, smoothing); })
      .def("gradient", &Tensor::gradient)
      .def("dot", [](const Tensor& t, const Tensor& w, const Name& dtype) { return t.dot(w, dtype_of(dtype)); })
      .def("matmul", [](const Tensor& t, const Tensor& w, const Name& dtype) { return t.matmul(w, dtype_of(dtype)); })
      .def("linear", &Tensor::linear);
}

}  // namespace rangescope::python
