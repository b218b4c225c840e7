#include "app/python/bindings/operands.h"

namespace rangescope::python {

DType dtype_of(const std::string& name) {
  const auto dtype = dtype_from_name(name);
  if (!dtype || *dtype == DType::void_) throw GraphError("there is no dtype \"" + name + "\"");
  return *dtype;
}

std::optional<DType> dtype_of(const std::optional<std::string>& name) {
  return name ? std::optional(dtype_of(*name)) : std::nullopt;
}

Device device_of(const py::object& device) {
  if (device.is_none()) return {};
  if (py::isinstance<py::str>(device)) return Device::single(device.cast<std::string>());
  return Device::tuple(device.cast<std::vector<std::string>>());
}

Scalar scalar_of(const py::handle& value) {
  if (py::isinstance<py::bool_>(value)) return Scalar(value.cast<bool>());
  if (py::isinstance<py::float_>(value)) return Scalar(value.cast<double>());
  if (py::isinstance<py::int_>(value)) {
    int overflow = 0;
    const long long small = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (overflow == 0) return Scalar(static_cast<int64_t>(small));
    const unsigned long long large = PyLong_AsUnsignedLongLong(value.ptr());
    if (PyErr_Occurred() == nullptr) return Scalar(static_cast<uint64_t>(large));
    PyErr_Clear();
    throw GraphError("an integer that does not fit 64 bits");
  }
  throw py::type_error("expected a tensor, an int, a float or a bool, not " +
                       std::string(py::str(py::type::of(value).attr("__name__"))));
}

Operand operand_of(const py::handle& value) {
  if (py::isinstance<Tensor>(value)) return value.cast<Tensor>();
  return scalar_of(value);
}

Shape shape_of(const Ints& sizes) {
  return {sizes.begin(), sizes.end()};
}

std::vector<Tensor::Index> index_of(const py::list& index) {
  std::vector<Tensor::Index> out;
  for (const py::handle i : index) {
    if (i.is_none()) {
      out.emplace_back(frontend::NewAxis{});
    } else if (i.is(py::ellipsis())) {
      out.emplace_back(frontend::Ellipsis{});
    } else if (py::isinstance<Tensor>(i)) {
      out.emplace_back(i.cast<Tensor>());
    } else if (py::isinstance<py::slice>(i)) {
      const auto part = [&](const char* name) -> std::optional<int64_t> {
        const py::object v = i.attr(name);
        return v.is_none() ? std::nullopt : std::optional(v.cast<int64_t>());
      };
      frontend::Slice s;
      if (const auto v = part("start")) s.start = Dim(*v);
      if (const auto v = part("stop")) s.stop = Dim(*v);
      s.step = part("step");
      out.emplace_back(s);
    } else {
      out.emplace_back(i.cast<int64_t>());
    }
  }
  return out;
}

frontend::Axes axes_of(const std::optional<Ints>& axes) {
  return axes ? frontend::Axes(*axes) : frontend::Axes();
}

}  // namespace rangescope::python
