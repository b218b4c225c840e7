// Convolutions (reference: mixin/op.py conv2d, conv_transpose2d): windows over the padded input, times the weights,
// summed over what a window and the channels of a group hold.

#include <fmt/format.h>

#include <algorithm>

#include "engine/frontend/tensor.h"
#include "engine/frontend/window.h"

namespace rangescope::frontend {

namespace {

void check(const Tensor& x, const Tensor& w, const std::optional<Tensor>& bias, int64_t groups, int64_t out) {
  if (x.ndim() < 3 || x.ndim() != w.ndim())
    throw GraphError(fmt::format("a convolution needs input and weights of as many axes, 3 at least: {} and {}",
                                 to_string(x.shape()), to_string(w.shape())));
  if (groups < 1 || out % groups != 0)
    throw GraphError(fmt::format("{} output channels do not divide into {} groups", out, groups));
  if (bias && bias->shape() != Shape{Dim(out)})
    throw GraphError(
        fmt::format("the bias of a convolution has one number a channel, {}, not {}", out, to_string(bias->shape())));
}

Tensor with_bias(const Tensor& x, const std::optional<Tensor>& bias, size_t spatial) {
  if (!bias) return x;
  Shape to{Dim(1), Dim(-1)};
  to.insert(to.end(), spatial, Dim(1));
  return x.add(bias->reshape(to));
}

}  // namespace

Tensor Tensor::conv2d(const Tensor& weight, const std::optional<Tensor>& bias, int64_t groups, const Window& window,
                      std::optional<DType> dt) const {
  const Scope scope(context(), "conv2d");
  const Ints ws = weight.sizes();
  check(*this, weight, bias, groups, ws.empty() ? 0 : ws[0]);
  const int64_t cout = ws[0], cin = ws[1], rcout = cout / groups;
  const Ints hw(ws.begin() + 2, ws.end());
  if (!must_be_equal(shape()[1], Dim(groups * cin)))
    throw GraphError(fmt::format("a convolution of {} with weights {} in {} groups needs {} input channels",
                                 rangescope::to_string(shape()), rangescope::to_string(weight.shape()), groups,
                                 groups * cin));
  const Tensor windows = pad_constant(grouped(flat_pads(window.padding, hw.size()), ndim()), Scalar(0.0))
                             .pool(hw, window.stride, window.dilation);
  const Dim batch = shape()[0];
  const auto n = static_cast<int64_t>(hw.size());
  const Shape oyx(windows.shape().begin() + 2, windows.shape().begin() + 2 + n);
  Shape apart{batch, Dim(groups), Dim(cin), Dim(1)}, wide{batch, Dim(groups), Dim(cin), Dim(rcout)};
  for (Shape* s : {&apart, &wide}) {
    s->insert(s->end(), oyx.begin(), oyx.end());
    s->insert(s->end(), hw.begin(), hw.end());
  }
  Ints order{0, 1, 3};
  for (int64_t i = 0; i < n; ++i) order.push_back(4 + i);
  order.push_back(2);
  for (int64_t i = 0; i < n; ++i) order.push_back(4 + n + i);
  const Tensor x = windows.reshape(apart).expand(wide).permute(order);
  Shape to_w{Dim(1), Dim(groups), Dim(rcout)};
  to_w.insert(to_w.end(), static_cast<size_t>(n), Dim(1));
  to_w.emplace_back(cin);
  to_w.insert(to_w.end(), hw.begin(), hw.end());
  Ints summed;
  for (int64_t i = 0; i <= n; ++i) summed.push_back(-1 - i);
  Shape out{batch, Dim(cout)};
  out.insert(out.end(), oyx.begin(), oyx.end());
  return with_bias((x * weight.reshape(to_w)).sum(Axes(summed), true, dt).reshape(out), bias, hw.size());
}

Tensor Tensor::conv_transpose2d(const Tensor& weight, const std::optional<Tensor>& bias, int64_t groups,
                                const Window& window, const Ints& output_padding) const {
  const Scope scope(context(), "conv_transpose2d");
  const Ints ws = weight.sizes();
  if (ws.size() < 3 || groups < 1 || ws[0] % groups != 0)
    throw GraphError(fmt::format("weights {} do not divide into {} groups of input channels",
                                 rangescope::to_string(weight.shape()), groups));
  const Ints hw(ws.begin() + 2, ws.end());
  const size_t n = hw.size();
  if (ndim() != n + 2)
    throw GraphError(fmt::format("a transposed convolution needs input and weights of as many axes: {} and {}",
                                 rangescope::to_string(shape()), rangescope::to_string(weight.shape())));
  Ints axes;
  for (size_t i = 3; i < ws.size() + 1; ++i) axes.push_back(static_cast<int64_t>(i));
  const Tensor w = weight.unflatten(0, {Dim(groups), Dim(-1)}).transpose(1, 2).flip(axes);
  const Ints stride = for_each_axis(window.stride, n, "stride"),
             dilation = for_each_axis(window.dilation, n, "dilation"),
             extra = for_each_axis(output_padding, n, "output_padding");
  const Pads pads = grouped(flat_pads(window.padding, n), n);
  Tensor x = *this;
  if (std::ranges::any_of(stride, [](int64_t s) { return s > 1; })) {  // zeros between the elements
    const Ints in = sizes();
    Shape apart(shape().begin(), shape().begin() + 2), joined = apart;
    Pads zeros(2, {Dim(0), Dim(0)});
    std::vector<std::optional<Dim>> cut(2);
    for (size_t i = 0; i < n; ++i) {
      apart.insert(apart.end(), {Dim(in[i + 2]), Dim(1)});
      zeros.insert(zeros.end(), {{Dim(0), Dim(0)}, {Dim(0), Dim(stride[i] - 1)}});
      joined.emplace_back(in[i + 2] * stride[i]);
      cut.emplace_back(Dim(in[i + 2] * stride[i] - (stride[i] - 1)));
    }
    x = x.reshape(apart).pad(zeros).reshape(joined).shrink_to(cut);
  }
  Ints padding;
  for (size_t i = n; i-- > 0;) {
    const int64_t reach = (hw[i] - 1) * dilation[i];
    padding.insert(padding.end(), {reach - pads[i].first.value, reach - pads[i].second.value + extra[i]});
  }
  return x.conv2d(w.flatten(0, 1), bias, groups, {.stride = {1}, .dilation = dilation, .padding = padding});
}

}  // namespace rangescope::frontend
