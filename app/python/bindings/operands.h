#pragma once
// Python's values as the frontend's.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/frontend/tensor.h"

namespace rangescope::python {

namespace py = pybind11;
using frontend::Ints;
using frontend::Operand;
using frontend::Tensor;

DType dtype_of(const std::string& name);
std::optional<DType> dtype_of(const std::optional<std::string>& name);
// A name, a list of names, or none.
Device device_of(const py::object& device);
// An int, a bool or a float.
Scalar scalar_of(const py::handle& value);
// The same or a tensor.
Operand operand_of(const py::handle& value);
Shape shape_of(const Ints& sizes);
// Ints, slices, None, ..., tensors.
std::vector<Tensor::Index> index_of(const py::list& index);
frontend::Axes axes_of(const std::optional<Ints>& axes);

void bind_session(py::module_& module);
void bind_tensor(py::class_<Tensor>& tensor);
void bind_functions(py::class_<Tensor>& tensor);

}  // namespace rangescope::python
