#pragma once
// A lazy tensor. It holds a node of the graph; nothing is computed until the graph is evaluated or run (program.h).
// Names, meaning and the graph that comes out are those of tinygrad's Tensor, so what is known of it holds here.
//
// A Tensor is a handle: a copy is the same tensor, and what assigns to one is seen through all. Methods are const where
// they make a new tensor. Axes count from 0, or from the end where negative.
//
// Shapes and dtypes. Operands broadcast as numpy's do: aligned at the last axis, an axis of 1 repeats. Their dtypes
// meet at the least one that holds both (bool < int8 < int16 < ..., uint8 < uint16 < ..., int64 < float16 < float32 <
// float64; float16 and bfloat16 meet in float32); a bare number does not widen a tensor of its kind. Division, exp, log
// and the like give floats.
//
// Errors: GraphError (see context.h).

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/frontend/arguments.h"
#include "engine/frontend/context.h"

namespace rangescope::frontend {

class Operand;

struct TensorState {
  TensorState(std::shared_ptr<Context> context, UOp node);
  ~TensorState();
  TensorState(const TensorState&) = delete;
  TensorState& operator=(const TensorState&) = delete;
  std::shared_ptr<Context> context;
  UOp uop;
  uint64_t number = 0;
};

class Tensor {
 public:
  explicit Tensor(std::shared_ptr<TensorState> state) : state_(std::move(state)) {}
  using Index = std::variant<int64_t, Slice, NewAxis, Ellipsis, Tensor>;

  // ** what it is
  Context& context() const { return *state_->context; }
  UOp uop() const { return state_->uop; }
  const Shape& shape() const { return uop().shape(); }
  Ints sizes() const;  // refuses a size that is not known yet
  int64_t size(int64_t axis) const;
  size_t ndim() const { return shape().size(); }
  int64_t numel() const;
  DType dtype() const { return uop().dtype(); }
  const Device& device() const { return uop().device(); }
  bool is_floating_point() const { return is_float(dtype()); }
  int64_t element_size() const;
  int64_t resolve_dim(int64_t axis) const;
  bool same_as(const Tensor& other) const { return state_ == other.state_; }

  // ** dtype (elementwise.cpp). bitcast to another size rescales the last axis.
  Tensor cast(DType to) const;
  Tensor bitcast(DType to) const;

  // ** like this one: same shape and device, and dtype unless another is said
  Tensor const_like(const Scalar& value, std::optional<DType> dtype = std::nullopt) const;
  Tensor empty_like(const Create& options = {}) const;
  Tensor full_like(const Scalar& value, const Create& options = {}) const;
  Tensor zeros_like(const Create& options = {}) const { return full_like(Scalar(0), options); }
  Tensor ones_like(const Create& options = {}) const { return full_like(Scalar(1), options); }
  Tensor rand_like(const Create& options = {}, bool contiguous = true) const;
  Tensor randn_like(std::optional<DType> dtype = std::nullopt, const Device& on = {}) const;

  // ** arithmetic (elementwise.cpp); `reverse` swaps the operands. floordiv and mod round down as Python's do,
  // trunc_div and fmod towards zero as C's do.
  Tensor add(const Operand& y, bool reverse = false) const;
  Tensor sub(const Operand& y, bool reverse = false) const;
  Tensor mul(const Operand& y, bool reverse = false) const;
  Tensor div(const Operand& y, bool reverse = false) const;
  Tensor floordiv(const Operand& y, bool reverse = false) const;
  Tensor trunc_div(const Operand& y, bool reverse = false) const;
  Tensor mod(const Operand& y, bool reverse = false) const;
  Tensor fmod(const Operand& y) const;
  Tensor pow(const Operand& y, bool reverse = false) const;
  Tensor bitwise_and(const Operand& y, bool reverse = false) const;
  Tensor bitwise_or(const Operand& y, bool reverse = false) const;
  Tensor bitwise_xor(const Operand& y, bool reverse = false) const;
  Tensor lshift(const Operand& y, bool reverse = false) const;
  Tensor rshift(const Operand& y, bool reverse = false) const;
  Tensor bitwise_not() const;
  Tensor logical_not() const;
  Tensor neg() const;
  Tensor maximum(const Operand& y) const;
  Tensor minimum(const Operand& y) const;
  Tensor copysign(const Operand& y) const;
  Tensor logaddexp(const Operand& y) const;
  Tensor lerp(const Tensor& end, const Operand& weight) const;
  // bool
  Tensor lt(const Operand& y) const;
  Tensor gt(const Operand& y) const;
  Tensor le(const Operand& y) const;
  Tensor ge(const Operand& y) const;
  Tensor eq(const Operand& y) const;
  Tensor ne(const Operand& y) const;
  Tensor isnan() const;
  Tensor isinf(bool positive = true, bool negative = true) const;
  Tensor isfinite() const;
  Tensor isclose(const Operand& y, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false) const;
  // This is the condition, a bool tensor.
  Tensor where(const Operand& then, const Operand& otherwise) const;
  Tensor masked_fill(const Tensor& mask, const Operand& value) const;

  // ** functions of each element (elementwise.cpp, activations.cpp)
  Tensor reciprocal() const;
  Tensor trunc() const;
  Tensor sqrt() const;
  Tensor rsqrt() const;
  Tensor square() const;
  Tensor sin() const;
  Tensor cos() const;
  Tensor tan() const;
  Tensor asin() const;
  Tensor acos() const;
  Tensor atan() const;
  Tensor sinh() const;
  Tensor cosh() const;
  Tensor asinh() const;
  Tensor acosh() const;
  Tensor atanh() const;
  Tensor exp() const;
  Tensor exp2() const;
  Tensor log() const;
  Tensor log2() const;
  Tensor log10() const;
  Tensor ceil() const;
  Tensor floor() const;
  Tensor round() const;  // halves to even
  Tensor sign() const;
  Tensor abs() const;
  Tensor erf() const;
  Tensor clamp(const std::optional<Operand>& min, const std::optional<Operand>& max) const;
  Tensor relu() const;
  Tensor relu6() const;
  Tensor sigmoid() const;
  Tensor hardsigmoid(double alpha = 1.0 / 6, double beta = 0.5) const;
  Tensor hardswish() const;
  Tensor hardtanh(const Scalar& min = Scalar(-1), const Scalar& max = Scalar(1)) const;
  Tensor leaky_relu(double slope = 0.01) const;
  Tensor tanh() const;
  Tensor gelu(bool approximate = true) const;  // by tanh, else by erf
  Tensor quick_gelu() const;
  Tensor swish() const;
  Tensor silu() const { return swish(); }
  Tensor elu(double alpha = 1.0) const;
  Tensor celu(double alpha = 1.0) const;
  Tensor selu(double alpha = 1.67326, double gamma = 1.0507) const;
  Tensor softplus(double beta = 1.0) const;
  Tensor mish() const;
  Tensor logsigmoid() const;
  Tensor softsign() const;
  Tensor threefry(const Tensor& seed) const;

  // ** hints to the scheduler: a buffer of its own here; the same for its gradient; no gradient through it
  Tensor contiguous() const;
  Tensor contiguous_backward() const;
  Tensor detach() const;

  // ** movement (movement.cpp); no element is copied. reshape: one size may be -1; expand: -1 keeps the size.
  Tensor reshape(const Shape& to) const;
  Tensor view(const Shape& shape) const { return reshape(shape); }
  Tensor expand(const Shape& to) const;
  Tensor broadcast_to(const Shape& to) const;
  Tensor permute(const Ints& order) const;
  Tensor transpose(int64_t a = 1, int64_t b = 0) const;
  Tensor flip(const Ints& axes) const;
  Tensor shrink(const std::vector<std::optional<std::pair<Dim, Dim>>>& begin_end) const;  // none keeps the axis
  Tensor shrink_to(const std::vector<std::optional<Dim>>& to) const;
  // mode: constant, reflect, replicate, circular. pad: before and after of each axis; pad_flat: of the last axes, the
  // last one first, as torch writes it.
  Tensor pad(const Pads& pads, std::string_view mode = "constant", const Scalar& value = Scalar(0.0)) const;
  Tensor pad_flat(const Ints& pads, std::string_view mode = "constant", const Scalar& value = Scalar(0.0)) const;
  Tensor pad_to(const std::vector<std::optional<Dim>>& to, const Scalar& value = Scalar(0)) const;
  Tensor squeeze(std::optional<int64_t> axis = std::nullopt) const;
  Tensor unsqueeze(int64_t axis) const;
  Tensor flatten(int64_t start = 0, int64_t end = -1) const;
  Tensor unflatten(int64_t axis, const Shape& sizes) const;
  Tensor repeat(const Ints& times) const;
  Tensor repeat_interleave(int64_t times, std::optional<int64_t> axis = std::nullopt) const;
  Tensor roll(const Ints& shifts, const std::optional<Ints>& axes = std::nullopt) const;
  Tensor rearrange(const std::string& formula, const std::vector<std::pair<std::string, int64_t>>& sizes = {}) const;
  Tensor diag() const;
  Tensor diagonal(int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1) const;
  Tensor unfold(int64_t axis, int64_t size, int64_t step) const;
  // Windows of `kernel` over the last axes: they come last, behind the places where a window stands.
  Tensor pool(const Ints& kernel, const Ints& stride = {1}, const Ints& dilation = {1}) const;

  // ** joining and parting (joining.cpp)
  Tensor stack(const std::vector<Tensor>& more, int64_t axis = 0) const;
  Tensor cat(const std::vector<Tensor>& more, int64_t axis = 0) const;
  std::vector<Tensor> split(int64_t size, int64_t axis = 0) const;
  std::vector<Tensor> split(const Ints& sizes, int64_t axis = 0) const;
  std::vector<Tensor> chunk(int64_t count, int64_t axis = 0) const;
  std::vector<Tensor> meshgrid(const std::vector<Tensor>& more, std::string_view indexing = "ij") const;

  // ** indexing (indexing.cpp): ints take an axis away, tensors of ints select (several of them broadcast together).
  // set gives this tensor with the values there; set_item assigns it.
  Tensor at(const std::vector<Index>& index) const;
  Tensor set(const std::vector<Index>& index, const Operand& value) const;
  void set_item(const std::vector<Index>& index, const Operand& given);
  // Of `index`'s shape: the elements of this one at index along the axis.
  Tensor gather(int64_t axis, const Tensor& index) const;
  // reduce: empty (the last one written stays), "add", "multiply".
  Tensor scatter(int64_t axis, const Tensor& index, const Operand& value, std::string_view reduce = "") const;
  // reduce: sum, prod, mean, amax, amin.
  Tensor scatter_reduce(int64_t axis, const Tensor& index, const Tensor& values, std::string_view reduce,
                        bool include_self = true) const;
  Tensor masked_select(const Tensor& given, int64_t size, const Scalar& fill = Scalar(0)) const;
  Tensor nonzero(int64_t size, const Scalar& fill = Scalar(0)) const;
  Tensor one_hot(int64_t classes) const;
  Tensor triu(int64_t diagonal = 0) const;
  Tensor tril(int64_t diagonal = 0) const;

  // ** reductions (reduce.cpp). sum accumulates ints in int32 at least and halves in float32; mean, var and std give
  // floats; argmax and argmin the first such place as int32, of the flattened tensor where no axis is said.
  Tensor sum(const Axes& axes = {}, bool keepdim = false, std::optional<DType> dtype = std::nullopt) const;
  Tensor prod(const Axes& axes = {}, bool keepdim = false, std::optional<DType> dtype = std::nullopt) const;
  Tensor max(const Axes& axes = {}, bool keepdim = false) const;
  Tensor min(const Axes& axes = {}, bool keepdim = false) const;
  Tensor any(const Axes& axes = {}, bool keepdim = false) const;
  Tensor all(const Axes& axes = {}, bool keepdim = false) const;
  Tensor mean(const Axes& axes = {}, bool keepdim = false) const;
  Tensor var(const Axes& axes = {}, bool keepdim = false, int64_t correction = 1) const;
  Tensor std(const Axes& axes = {}, bool keepdim = false, int64_t correction = 1) const;
  Tensor argmax(std::optional<int64_t> axis = std::nullopt, bool keepdim = false) const;
  Tensor argmin(std::optional<int64_t> axis = std::nullopt, bool keepdim = false) const;
  Tensor logsumexp(const Axes& axes = {}, bool keepdim = false) const;
  Tensor normalize(double p = 2.0, int64_t axis = 1, double eps = 1e-12) const;

  // ** running totals (cumulative.cpp); the pairs are values and the places that they come from
  Tensor cumsum(int64_t axis = 0) const;
  Tensor cumprod(int64_t axis) const;
  std::pair<Tensor, Tensor> cummax(int64_t axis = 0) const;
  std::pair<Tensor, Tensor> cummin(int64_t axis = 0) const;
  Tensor logcumsumexp(int64_t axis = 0) const;

  // ** order (sort.cpp): values and their places
  std::pair<Tensor, Tensor> sort(int64_t axis = -1, bool descending = false) const;
  Tensor argsort(int64_t axis = -1, bool descending = false) const;
  std::pair<Tensor, Tensor> topk(int64_t k, int64_t axis = -1, bool largest = true) const;

  // ** matrix products (matmul.cpp)
  Tensor dot(const Tensor& other, std::optional<DType> dtype = std::nullopt) const;
  Tensor matmul(const Tensor& w, std::optional<DType> dtype = std::nullopt) const;
  Tensor linear(const Tensor& weight, const std::optional<Tensor>& bias = std::nullopt) const;
  static Tensor einsum(std::string formula, const std::vector<Tensor>& operands,
                       std::optional<DType> dtype = std::nullopt);

  // ** convolutions and pooling (convolution.cpp, pooling.cpp), over one, two or more spatial axes: this is (batch,
  // channels, ...). Weights are (out, in / groups, ...), transposed (in, out / groups, ...).
  Tensor conv2d(const Tensor& weight, const std::optional<Tensor>& bias = std::nullopt, int64_t groups = 1,
                const Window& window = {}, std::optional<DType> dtype = std::nullopt) const;
  Tensor conv_transpose2d(const Tensor& weight, const std::optional<Tensor>& bias = std::nullopt, int64_t groups = 1,
                          const Window& window = {}, const Ints& output_padding = {0}) const;
  // No stride: that of the kernel.
  Tensor avg_pool2d(const Ints& kernel = {2, 2}, const std::optional<Ints>& stride = std::nullopt,
                    const Ints& dilation = {1}, const Ints& padding = {0}, bool ceil_mode = false,
                    bool count_include_pad = true) const;
  Tensor max_pool2d(const Ints& kernel = {2, 2}, const std::optional<Ints>& stride = std::nullopt,
                    const Ints& dilation = {1}, const Ints& padding = {0}, bool ceil_mode = false) const;
  // Values and the places that they come from in the flattened spatial axes.
  std::pair<Tensor, Tensor> max_pool2d_indices(const Ints& kernel = {2, 2},
                                               const std::optional<Ints>& stride = std::nullopt,
                                               const Ints& dilation = {1}, const Ints& padding = {0},
                                               bool ceil_mode = false) const;
  Tensor max_unpool2d(const Tensor& indices, const Ints& kernel = {2, 2},
                      const std::optional<Ints>& stride = std::nullopt, const Ints& dilation = {1},
                      const Ints& padding = {0}, const std::optional<Ints>& output_size = std::nullopt) const;
  // mode: linear, nearest, nearest-exact; `size` is of the last axes.
  Tensor interpolate(const Ints& size, std::string_view mode = "linear", bool align_corners = false) const;

  // ** for networks (normalization.cpp, losses.cpp, attention.cpp)
  Tensor softmax(int64_t axis = -1, std::optional<DType> dtype = std::nullopt) const;
  Tensor log_softmax(int64_t axis = -1, std::optional<DType> dtype = std::nullopt) const;
  Tensor layernorm(const Ints& axes = {-1}, double eps = 1e-5) const;
  Tensor groupnorm(int64_t groups, double eps = 1e-5) const;
  Tensor batchnorm(const std::optional<Tensor>& weight, const std::optional<Tensor>& bias, const Tensor& mean,
                   const Tensor& invstd, const Ints& axes = {1}) const;
  Tensor dropout(double p = 0.5) const;
  Tensor scaled_dot_product_attention(const Tensor& key, const Tensor& value,
                                      const std::optional<Tensor>& given = std::nullopt, double dropout_p = 0.0,
                                      bool is_causal = false, bool enable_gqa = false) const;
  // reduction: mean, sum, none.
  Tensor binary_crossentropy(const Tensor& y, std::string_view reduction = "mean") const;
  Tensor binary_crossentropy_logits(const Tensor& y, std::string_view reduction = "mean") const;
  Tensor sparse_categorical_crossentropy(const Tensor& y, int64_t ignore_index = -1, double label_smoothing = 0.0,
                                         std::string_view reduction = "mean") const;
  Tensor cross_entropy(const Tensor& target, std::string_view reduction = "mean", double label_smoothing = 0.0) const;
  Tensor nll_loss(const Tensor& y, const std::optional<Tensor>& weight = std::nullopt,
                  std::optional<int64_t> ignore_index = std::nullopt, std::string_view reduction = "mean") const;

  // ** writing (assign.cpp). The dtype must be this one's; the value broadcasts. A view of a buffer writes into it, and
  // every tensor that looks at the buffer sees it.
  Tensor& assign(const Operand& given);
  Tensor& replace(const Tensor& value);
  Tensor clone(const Device& to = {}) const;

  // ** devices (assign.cpp). shard: over several, along an axis; no axis: a copy on each.
  Tensor to(const Device& asked) const;
  Tensor shard(const std::vector<std::string>& names, std::optional<int64_t> axis = std::nullopt) const;

  // ** gradients (gradient.cpp), of a scalar, or weighted by `gradient`. A target that this does not depend on gets 0.
  std::vector<Tensor> gradient(const std::vector<Tensor>& targets,
                               const std::optional<Tensor>& weight = std::nullopt) const;

  // ** for the files of this folder
  Tensor wrap(UOp u) const;
  Tensor ufix(const Operand& x) const;
  std::pair<Tensor, Tensor> broadcasted(const Operand& other, bool reverse = false) const;
  Tensor binop(Op op, const Operand& y, bool reverse = false) const;
  Tensor alu(Op op, std::initializer_list<UOp> more = {}) const { return wrap(uop().alu(op, more)); }
  Tensor reduce(Op op, const Axes& axes, bool keepdim) const;
  Tensor inverse() const;
  Tensor pad_constant(const Pads& pads, const Scalar& value) const;
  Tensor cumulate(int64_t axis, Op op) const;
  Tensor split_cumulate(int64_t at, Op op) const;
  Tensor one_hot_along(const Dim& classes, int64_t axis = -1) const;
  Tensor masked_merge(const Tensor& given, const Tensor& where, const Ints& axes) const;
  Ints reduce_axes(const Axes& axes) const;

 private:
  std::shared_ptr<TensorState> state_;
};

// A tensor or a number.
class Operand {
 public:
  Operand(Tensor tensor) : value_(std::move(tensor)) {}
  Operand(Scalar number) : value_(number) {}
  Operand(bool v) : value_(Scalar(v)) {}
  Operand(int v) : value_(Scalar(v)) {}
  Operand(int64_t v) : value_(Scalar(v)) {}
  Operand(double v) : value_(Scalar(v)) {}
  const Tensor* tensor() const { return std::get_if<Tensor>(&value_); }
  const Scalar& number() const { return std::get<Scalar>(value_); }
  bool is_number() const { return std::holds_alternative<Scalar>(value_); }

 private:
  std::variant<Tensor, Scalar> value_;
};

// a op b with a tensor on one side at least.
#define RANGESCOPE_TENSOR_OPERATOR(symbol, method)                  \
  inline Tensor operator symbol(const Tensor& a, const Tensor& b) { \
    return a.method(Operand(b));                                    \
  }                                                                 \
  inline Tensor operator symbol(const Tensor& a, const Scalar& b) { \
    return a.method(Operand(b));                                    \
  }                                                                 \
  inline Tensor operator symbol(const Scalar& a, const Tensor& b) { \
    return b.method(Operand(a), true);                              \
  }
RANGESCOPE_TENSOR_OPERATOR(+, add)
RANGESCOPE_TENSOR_OPERATOR(-, sub)
RANGESCOPE_TENSOR_OPERATOR(*, mul)
RANGESCOPE_TENSOR_OPERATOR(/, div)
RANGESCOPE_TENSOR_OPERATOR(%, mod)
RANGESCOPE_TENSOR_OPERATOR(&, bitwise_and)
RANGESCOPE_TENSOR_OPERATOR(|, bitwise_or)
RANGESCOPE_TENSOR_OPERATOR(^, bitwise_xor)
RANGESCOPE_TENSOR_OPERATOR(<<, lshift)
RANGESCOPE_TENSOR_OPERATOR(>>, rshift)
#undef RANGESCOPE_TENSOR_OPERATOR
inline Tensor operator<(const Tensor& a, const Operand& b) {
  return a.lt(b);
}
inline Tensor operator>(const Tensor& a, const Operand& b) {
  return a.gt(b);
}
inline Tensor operator<=(const Tensor& a, const Operand& b) {
  return a.le(b);
}
inline Tensor operator>=(const Tensor& a, const Operand& b) {
  return a.ge(b);
}
inline Tensor operator-(const Tensor& a) {
  return a.neg();
}

}  // namespace rangescope::frontend
