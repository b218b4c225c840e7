// What a tensor is, and methods that move, index, write and slide windows.

#include "app/python/bindings/operands.h"
#include "engine/ir/dim.h"

namespace rangescope::python {

namespace {

using Pairs = std::vector<std::optional<std::pair<int64_t, int64_t>>>;

frontend::Pads pads_of(const Pairs& pairs) {
  frontend::Pads out;
  for (const auto& p : pairs) out.emplace_back(p ? Dim(p->first) : Dim(0), p ? Dim(p->second) : Dim(0));
  return out;
}

std::vector<std::optional<std::pair<Dim, Dim>>> cut_of(const Pairs& pairs) {
  std::vector<std::optional<std::pair<Dim, Dim>>> out;
  for (const auto& p : pairs) out.push_back(p ? std::optional(std::pair(Dim(p->first), Dim(p->second))) : std::nullopt);
  return out;
}

py::object device_name(const Tensor& t) {
  const Device& d = t.device();
  if (d.is_none()) return py::none();
  if (d.is_tuple) return py::tuple(py::cast(d.names));
  return py::cast(d.names[0]);
}

}  // namespace

void bind_tensor(py::class_<Tensor>& tensor) {
  using Name = std::optional<std::string>;
  using Size = std::optional<Ints>;
  tensor.def_property_readonly("shape", &Tensor::sizes)
      .def_property_readonly("dtype", [](const Tensor& t) { return std::string(dtype_name(t.dtype())); })
      .def_property_readonly("device", &device_name)
      .def_property_readonly("op", [](const Tensor& t) { return std::string(op_name(t.uop().op())); })
      .def("is_same", &Tensor::same_as)
      .def("graph", [](const Tensor& t) { return t.uop().render(false); })
      .def("cast", [](const Tensor& t, const std::string& dtype) { return t.cast(dtype_of(dtype)); })
      .def("bitcast", [](const Tensor& t, const std::string& dtype) { return t.bitcast(dtype_of(dtype)); })
      .def("const_like", [](const Tensor& t, const py::object& v,
                            const Name& dtype) { return t.const_like(scalar_of(v), dtype_of(dtype)); })
      .def("empty_like", [](const Tensor& t, const Name& dtype) { return t.empty_like({dtype_of(dtype)}); })
      .def("full_like", [](const Tensor& t, const py::object& v,
                           const Name& dtype) { return t.full_like(scalar_of(v), {dtype_of(dtype)}); })
      .def("rand_like", [](const Tensor& t, const Name& dtype) { return t.rand_like({dtype_of(dtype)}); })
      .def("randn_like", [](const Tensor& t, const Name& dtype) { return t.randn_like(dtype_of(dtype)); })
      // movement
      .def("reshape", [](const Tensor& t, const Ints& s) { return t.reshape(shape_of(s)); })
      .def("expand", [](const Tensor& t, const Ints& s) { return t.expand(shape_of(s)); })
      .def("permute", &Tensor::permute)
      .def("transpose", &Tensor::transpose)
      .def("flip", &Tensor::flip)
      .def("shrink", [](const Tensor& t, const Pairs& p) { return t.shrink(cut_of(p)); })
      .def("pad", [](const Tensor& t, const Pairs& p, const std::string& mode,
                     const py::object& value) { return t.pad(pads_of(p), mode, scalar_of(value)); })
      .def("pad_flat", [](const Tensor& t, const Ints& p, const std::string& mode,
                          const py::object& value) { return t.pad_flat(p, mode, scalar_of(value)); })
      .def("squeeze", &Tensor::squeeze)
      .def("unsqueeze", &Tensor::unsqueeze)
      .def("flatten", &Tensor::flatten)
      .def("unflatten", [](const Tensor& t, int64_t axis, const Ints& s) { return t.unflatten(axis, shape_of(s)); })
      .def("repeat", &Tensor::repeat)
      .def("repeat_interleave", &Tensor::repeat_interleave)
      .def("roll", &Tensor::roll)
      .def("rearrange", &Tensor::rearrange)
      .def("diagonal", &Tensor::diagonal)
      .def("unfold", &Tensor::unfold)
      .def("stack", &Tensor::stack)
      .def("cat", &Tensor::cat)
      .def("split", [](const Tensor& t, const Ints& sizes, int64_t axis) { return t.split(sizes, axis); })
      .def("split_even", [](const Tensor& t, int64_t size, int64_t axis) { return t.split(size, axis); })
      .def("chunk", &Tensor::chunk)
      .def("meshgrid", [](const Tensor& t, const std::vector<Tensor>& more,
                          const std::string& indexing) { return t.meshgrid(more, indexing); })
      .def("triu", &Tensor::triu)
      .def("tril", &Tensor::tril)
      // indexing and writing
      .def("at", [](const Tensor& t, const py::list& i) { return t.at(index_of(i)); })
      .def("set_item",
           [](Tensor& t, const py::list& i, const py::object& v) { t.set_item(index_of(i), operand_of(v)); })
      .def("gather", &Tensor::gather)
      .def("scatter", [](const Tensor& t, int64_t axis, const Tensor& index, const py::object& src,
                         const std::string& r) { return t.scatter(axis, index, operand_of(src), r); })
      .def("scatter_reduce",
           [](const Tensor& t, int64_t axis, const Tensor& index, const Tensor& src, const std::string& r, bool self) {
             return t.scatter_reduce(axis, index, src, r, self);
           })
      .def("masked_select", [](const Tensor& t, const Tensor& mask, int64_t size,
                               const py::object& fill) { return t.masked_select(mask, size, scalar_of(fill)); })
      .def("nonzero",
           [](const Tensor& t, int64_t size, const py::object& fill) { return t.nonzero(size, scalar_of(fill)); })
      .def("one_hot", &Tensor::one_hot)
      .def("assign", [](Tensor& t, const py::object& v) { t.assign(operand_of(v)); })
      .def("replace", [](Tensor& t, const Tensor& v) { t.replace(v); })
      .def("clone", [](const Tensor& t, const py::object& device) { return t.clone(device_of(device)); })
      .def("to", [](const Tensor& t, const py::object& device) { return t.to(device_of(device)); })
      .def("shard", &Tensor::shard)
      // windows
      .def("conv2d",
           [](const Tensor& t, const Tensor& w, const std::optional<Tensor>& bias, int64_t groups, const Ints& stride,
              const Ints& dilation, const Ints& padding, const Name& dtype) {
             return t.conv2d(w, bias, groups, {stride, dilation, padding}, dtype_of(dtype));
           })
      .def("conv_transpose2d",
           [](const Tensor& t, const Tensor& w, const std::optional<Tensor>& bias, int64_t groups, const Ints& stride,
              const Ints& dilation, const Ints& padding, const Ints& output_padding) {
             return t.conv_transpose2d(w, bias, groups, {stride, dilation, padding}, output_padding);
           })
      .def("avg_pool2d", &Tensor::avg_pool2d)
      .def("max_pool2d", &Tensor::max_pool2d)
      .def("max_pool2d_indices", &Tensor::max_pool2d_indices)
      .def("max_unpool2d", [](const Tensor& t, const Tensor& i, const Ints& k, const Size& s, const Ints& d,
                              const Ints& p, const Size& out) { return t.max_unpool2d(i, k, s, d, p, out); })
      .def("interpolate", [](const Tensor& t, const Ints& size, const std::string& mode, bool align) {
        return t.interpolate(size, mode, align);
      });
}

}  // namespace rangescope::python
