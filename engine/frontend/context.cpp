#include "engine/frontend/context.h"

#include <algorithm>

#include "engine/frontend/generator.h"
#include "engine/frontend/graph_copy.h"
#include "engine/frontend/tensor.h"
#include "engine/ir/call.h"
#include "engine/ir/sharding.h"
#include "engine/ir/traversal.h"
#include "engine/symbolic/make_store.h"

namespace rangescope::frontend {

TensorState::TensorState(std::shared_ptr<Context> c, UOp node)
    : context(std::move(c)), uop(node), number(context->next_tensor_++) {
  context->alive_.emplace(number, this);
}
TensorState::~TensorState() {
  context->alive_.erase(number);
}

Context::Context(const ContextOptions& options)
    : store_(symbolic::make_store()),
      default_device_(canonical_device(Device::single(options.device))),
      seed_(options.seed),
      generator_(std::make_unique<Generator>()) {}

Context::~Context() = default;

std::shared_ptr<Context> Context::create(const ContextOptions& options) {
  return std::shared_ptr<Context>(new Context(options));
}

Device Context::device(const Device& asked) const {
  return asked.is_none() ? default_device_ : canonical_device(asked);
}

Tensor Context::tensor(UOp u) {
  u.shape_or_null();  // operands that do not fit are refused here, and not where the shape is asked for
  return Tensor(std::make_shared<TensorState>(shared_from_this(), u));
}

Tensor Context::scalar(const Scalar& value, std::optional<DType> dtype) {
  return tensor(dtype ? store().constant(value, *dtype) : store().constant(value));
}

Tensor Context::from_data(const HostArray& data, const Create& options) {
  const Scope scope(*this, "from_data");
  const UOp buffer = new_buffer(store(), Device::single("PYTHON"), data.count(), data.dtype);
  set_data(buffer, data.bytes);
  Shape shape;
  for (const int64_t s : data.shape) shape.emplace_back(s);
  UOp u = copy_to_device(buffer.reshape(shape), device(options.device));
  if (options.dtype) u = u.cast(*options.dtype);
  return tensor(u);
}

Tensor Context::from_device_data(const HostArray& data, const Device& on) {
  const Scope scope(*this, "from_device_data");
  const UOp buffer = new_buffer(store(), device(on), data.count(), data.dtype);
  set_data(buffer, data.bytes);
  Shape shape;
  for (const int64_t s : data.shape) shape.emplace_back(s);
  return tensor(buffer.reshape(shape));
}

Tensor Context::from_ints(const Ints& values, const Create& options) {
  Create at = options;
  const DType dtype = at.dtype.value_or(dtypes::default_int);
  at.dtype.reset();
  return from_data(HostArray::from_ints(dtype, {static_cast<int64_t>(values.size())}, values), at);
}

Tensor Context::input(const std::string& name, const Shape& shape, DType dtype, const Device& on) {
  Tensor t = empty(shape, {.dtype = dtype, .device = on});
  input_names_[t.uop().buf_uop().id()] = name;
  return t;
}

const Context::Data* Context::data(UOp buffer) const {
  const auto it = data_.find(buffer.id());
  return it == data_.end() ? nullptr : &it->second;
}

const std::string* Context::input_name(UOp buffer) const {
  const auto it = input_names_.find(buffer.id());
  return it == input_names_.end() ? nullptr : &it->second;
}

UOp Context::variable(const std::string& name, int64_t min, int64_t max) {
  return store().variable(name, Scalar(min), Scalar(max));
}

UOp Context::bind(UOp v, int64_t value) {
  if (!v.is_variable()) throw GraphError("only a variable can be given a value");
  if (python_less(Scalar(value), v.vmin()) || python_less(v.vmax(), Scalar(value)))
    throw GraphError("the value " + std::to_string(value) + " of the variable " + v.expr() + " is outside of " +
                     v.vmin().str() + " to " + v.vmax().str());
  return v.after({v.store_value(v.const_like(Scalar(value)))});
}

void Context::replace_in_tensors(const std::vector<std::pair<UOp, UOp>>& replacements) {
  UOps roots;
  for (const auto& [number, state] : alive_) roots.push_back(state->uop);
  const UOps made = substituted(roots, replacements);
  size_t i = 0;
  for (const auto& [number, state] : alive_) state->uop = made[i++];
}

Scope::Scope(Context& context, const char* method) : context_(context) {
  if (context.method_ != nullptr) return;
  context.method_ = method;
  outermost_ = true;
  first_ = context.store().node_count();
}

Scope::~Scope() {
  if (!outermost_) return;
  Store& store = context_.store();
  for (uint32_t id = first_; id < store.node_count(); ++id)
    if (store.metadata(store.at(id)) == nullptr)
      store.set_metadata(store.at(id), {context_.method_, context_.location});
  context_.method_ = nullptr;
}

}  // namespace rangescope::frontend
