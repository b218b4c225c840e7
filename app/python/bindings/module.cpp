// rangescope._core: the tensors of engine/frontend and the session of app/session. The package's Python files give them
// the form that users see.

#include "app/python/bindings/operands.h"

PYBIND11_MODULE(_core, module) {
  using namespace rangescope::python;
  module.doc() = "The engine behind rangescope.Tensor; use that.";
  py::register_exception<rangescope::GraphError>(module, "Error", PyExc_RuntimeError);
  py::class_<Tensor> tensor(module, "Tensor", "A node of the graph; rangescope.Tensor holds one.");
  bind_tensor(tensor);
  bind_functions(tensor);
  bind_session(module);
}
