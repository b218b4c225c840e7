// The session: what tensors are made of, where they are computed, and recording.

#include <algorithm>
#include <map>

#include "app/python/bindings/operands.h"
#include "app/session/session.h"

namespace rangescope::python {

namespace {

using frontend::Create;
using frontend::HostArray;

template <class T>
T must(Result<T> r) {
  if (!r) throw GraphError(r.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*r);
}

Create create(const std::optional<std::string>& dtype, const py::object& device, bool buffer = true) {
  return {dtype_of(dtype), device_of(device), buffer};
}

// The context and its runner; they live as long as the process.
struct Core {
  std::shared_ptr<frontend::Context> context;
  std::unique_ptr<app::Session> session;
};

py::tuple values_of(Core& core, const Tensor& t) {
  const HostArray a = must(frontend::read(t, *core.session));
  return py::make_tuple(std::string(dtype_name(a.dtype)), a.shape,
                        py::bytes(reinterpret_cast<const char*>(a.bytes->data()), a.bytes->size()));
}

HostArray host(const std::string& dtype, Ints shape, const py::bytes& data) {
  const std::string_view v = data;
  return HostArray::from_bytes(dtype_of(dtype), std::move(shape), std::as_bytes(std::span(v.data(), v.size())));
}

// Which of the tensors `root` is made of.
std::vector<bool> reaches(const Tensor& root, const std::vector<Tensor>& of) {
  std::vector<bool> out;
  out.reserve(of.size());
  for (const Tensor& t : of) out.push_back(root.uop().in_backward_slice_with_self(t.uop()));
  return out;
}

}  // namespace

void bind_session(py::module_& module) {
  using Name = std::optional<std::string>;
  module.def("reaches", &reaches);
  module.def("einsum", [](const std::string& formula, const std::vector<Tensor>& xs, const Name& dtype) {
    return Tensor::einsum(formula, xs, dtype_of(dtype));
  });
  py::class_<Core>(module, "Session")
      .def(py::init([](const std::string& runner, uint32_t seed) {
        return Core{frontend::Context::create({.device = "VK", .seed = seed}), std::make_unique<app::Session>(runner)};
      }))
      .def("from_bytes",
           [](Core& c, const std::string& dtype, const Ints& shape, const py::bytes& data, const Name& as,
              const py::object& device) { return c.context->from_data(host(dtype, shape, data), create(as, device)); })
      .def("from_values",
           [](Core& c, const std::string& dtype, const Ints& shape, const py::bytes& data, const std::string& held,
              const py::object& device) {
             const HostArray wide = host(held, shape, data);
             const DType to = dtype_of(dtype);
             return c.context->from_data(is_float(wide.dtype) ? HostArray::from_doubles(to, shape, wide.to_doubles())
                                                              : HostArray::from_ints(to, shape, wide.to_ints()),
                                         create({}, device));
           })
      .def("scalar", [](Core& c, const py::object& v,
                        const Name& dtype) { return c.context->scalar(scalar_of(v), dtype_of(dtype)); })
      .def("empty", [](Core& c, const Ints& shape, const Name& dtype,
                       const py::object& device) { return c.context->empty(shape_of(shape), create(dtype, device)); })
      .def(
          "full",
          [](Core& c, const Ints& shape, const py::object& value, const Name& dtype, const py::object& device,
             bool buffer) { return c.context->full(shape_of(shape), scalar_of(value), create(dtype, device, buffer)); })
      .def("arange",
           [](Core& c, const py::object& start, const py::object& stop, const py::object& step, const Name& dtype) {
             return c.context->arange(scalar_of(start), scalar_of(stop), scalar_of(step), dtype_of(dtype));
           })
      .def("linspace",
           [](Core& c, const py::object& start, const py::object& stop, int64_t steps, const Name& dtype) {
             return c.context->linspace(scalar_of(start), scalar_of(stop), steps, dtype_of(dtype));
           })
      .def("eye", [](Core& c, int64_t n, std::optional<int64_t> m,
                     const Name& dtype) { return c.context->eye(n, m, dtype_of(dtype)); })
      .def("random",
           [](Core& c, const std::string& kind, const Ints& shape, const Name& dtype, const py::object& device) {
             const Create with = create(dtype, device);
             const Shape s = shape_of(shape);
             if (kind == "rand") return c.context->rand(s, with);
             if (kind == "randn") return c.context->randn(s, with);
             if (kind == "scaled_uniform") return c.context->scaled_uniform(s, with);
             if (kind == "glorot_uniform") return c.context->glorot_uniform(s, with);
             if (kind == "kaiming_uniform") return c.context->kaiming_uniform(s, 0.01, with);
             if (kind == "kaiming_normal") return c.context->kaiming_normal(s, 0.01, with);
             throw GraphError("no random numbers of the kind " + kind);
           })
      .def("uniform",
           [](Core& c, const Ints& shape, const py::object& low, const py::object& high, const Name& dtype,
              const py::object& device) {
             return c.context->uniform(shape_of(shape), scalar_of(low), scalar_of(high), create(dtype, device));
           })
      .def("normal",
           [](Core& c, const Ints& shape, const py::object& mean, const py::object& std, const Name& dtype,
              const py::object& device) {
             return c.context->normal(shape_of(shape), scalar_of(mean), scalar_of(std), create(dtype, device));
           })
      .def("randint",
           [](Core& c, const Ints& shape, int64_t low, int64_t high, const Name& dtype, const py::object& device) {
             return c.context->randint(shape_of(shape), low, high, create(dtype, device));
           })
      .def("randperm", [](Core& c, int64_t n, const Name& dtype,
                          const py::object& device) { return c.context->randperm(n, create(dtype, device)); })
      .def("manual_seed", [](Core& c, uint32_t seed) { c.context->manual_seed(seed); })
      .def("set_location", [](Core& c, std::string where) { c.context->location = std::move(where); })
      .def("set_training", [](Core& c, bool on) { c.context->training = on; })
      .def("set_flag",
           [](Core& c, const std::string& name, std::optional<int64_t> value) {
             if (value)
               c.context->flags[name] = *value;
             else
               c.context->flags.erase(name);
           })
      .def("realize",
           [](Core& c, const std::vector<Tensor>& ts) { must(frontend::realize(*c.context, ts, *c.session)); })
      .def("values", &values_of)
      .def("start_recording",
           [](Core& c, const std::string& path, int repeats, std::vector<std::string> without,
              const std::map<std::string, int64_t>& flags) {
             must(c.session->start_recording(path, repeats, {std::move(without), {flags.begin(), flags.end()}}));
           })
      .def("stop_recording",
           [](Core& c, const std::string& failure) { return must(c.session->stop_recording(failure)); })
      .def("device_name", [](Core& c) { return c.session->device_name(); })
      .def("kernels_run", [](Core& c) { return c.session->kernels_run(); });
}

}  // namespace rangescope::python
