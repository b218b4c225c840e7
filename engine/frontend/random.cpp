// Random numbers (reference: mixin/rand.py and Tensor._next_counter): threefry of a counter, keyed by the device's
// number and the seed. The counter is a buffer that every call moves on, so a graph that is run again gives other
// numbers.

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "engine/frontend/generator.h"
#include "engine/frontend/tensor.h"
#include "engine/frontend/window.h"
#include "engine/ir/scalar_bits.h"
#include "engine/ir/sharding.h"

namespace rangescope::frontend {

namespace {

// The low words of SHA-256 of 0, 1, ... as four bytes, big end first: the key of the first device, the second, ...
constexpr std::array<uint32_t, 16> kDeviceKeys = {
    0x14b81119, 0x764f528d, 0xdb12cf1a, 0xf79f7d3,  0x900b0937, 0x3eaa7569, 0x7c0172cb, 0x28a3a23b,
    0x15036943, 0xdfa285d3, 0xeae31389, 0xf888ebe4, 0x9a1c7059, 0x4273a435, 0x5a3336e3, 0xf41de35};

constexpr int64_t kWord = 0xffffffff;

Tensor threefry_bits(const Tensor& key, const Tensor& counts0, const Tensor& counts1) {
  const auto wide = [](const Tensor& t) { return t.cast(DType::uint64); };
  const Tensor x = (wide(counts1) << 32) | wide(counts0);
  const Tensor seed = (wide(key.at({int64_t{1}})) << 32) | wide(key.at({int64_t{0}}));
  const Tensor r = x.threefry(seed);
  return r.cast(DType::uint32).cat({(r >> 32).cast(DType::uint32)});
}

int64_t count_of(const Shape& shape) {
  int64_t n = 1;
  for (const Dim& d : shape) {
    if (!d.is_int() || d.value < 0) throw GraphError("random numbers need a shape of known sizes");
    n *= d.value;
  }
  return n;
}

// Mantissa bits under the exponent of 1, less 1.
Tensor bits_to_floats(const Tensor& bits, const Shape& shape, DType dtype) {
  const int size = itemsize(dtype);
  const DType whole = size == 1 ? DType::uint8 : size == 2 ? DType::uint16 : size == 4 ? DType::uint32 : DType::uint64;
  const Scalar one = bitcast(Scalar(1.0), dtype, whole);
  const Tensor u = bits.bitcast(whole).rshift(int64_t{bitsize(dtype) - finfo(dtype).mantissa}).bitwise_or(one);
  return u.bitcast(dtype).at({Slice{std::nullopt, Dim(count_of(shape)), std::nullopt}}).sub(1).reshape(shape);
}

int64_t words_for(const Shape& shape, DType dtype) {
  return ceildiv(count_of(shape) * itemsize(dtype), 4);
}

}  // namespace

void Context::manual_seed(uint32_t seed) {
  seed_ = seed;
  generator_->devices.clear();
}

std::pair<Tensor, Tensor> Context::next_counter(const Device& on, int64_t count) {
  const std::string& name = on.names[0];
  auto it = generator_->devices.find(name);
  if (it == generator_->devices.end()) {
    const size_t number = generator_->devices.size();
    if (number >= kDeviceKeys.size()) throw GraphError("random numbers on more than 16 devices");
    const Create at{.dtype = DType::uint32, .device = on};
    // Tensors that the session itself holds must not hold the session.
    const std::shared_ptr<Context> borrowed(std::shared_ptr<Context>(), this);
    const auto own = [&](const Tensor& t) { return Tensor(std::make_shared<TensorState>(borrowed, t.uop())); };
    it = generator_->devices
             .emplace(name, Generator::State{own(from_ints({int64_t{kDeviceKeys[number]}, int64_t{seed_}}, at)),
                                             own(from_ints({0, 0}, at))})
             .first;
  }
  Tensor& counter = it->second.counter;
  const auto part = [&](int64_t from) { return counter.at({Slice{Dim(from), Dim(from + 1), std::nullopt}}); };
  const auto first = [&] { return counter.at({int64_t{0}}); };
  const Tensor new_low = part(0) + Scalar(count & kWord);
  const Tensor new_high = part(1) + Scalar(count >> 32) + new_low.lt(first());
  counter.assign(new_low.cat({new_high}));
  const Tensor low = part(0) - Scalar(count & kWord);
  const Tensor high = part(1) - Scalar(count >> 32) - first().lt(count & kWord);
  return {it->second.key, low.cat({high})};
}

Tensor Context::random_bits(const Tensor& key, const Tensor& counter, int64_t count) {
  const Tensor low = counter.at({Slice{Dim(0), Dim(1), std::nullopt}}),
               high = counter.at({Slice{Dim(1), Dim(2), std::nullopt}});
  std::vector<Tensor> bits;
  for (int64_t i = 0; i < count; i += kWord) {
    const int64_t n = std::min(count - i, kWord);
    const Tensor c_low = low + Scalar(i & kWord), c_high = high + Scalar(i >> 32) + c_low.lt(low);
    const Tensor new_key = threefry_bits(key, c_low, c_high);
    const Tensor counts0 = arange(Scalar(0), Scalar(ceildiv(n, 2)), Scalar(1), DType::uint32);
    const Tensor counts1 = counts0 + Scalar(ceildiv(n, 2));
    bits.push_back(threefry_bits(new_key, counts0, counts1).at({Slice{std::nullopt, Dim(n), std::nullopt}}));
  }
  if (bits.empty()) return counter.at({Slice{Dim(0), Dim(0), std::nullopt}});
  return bits[0].cat({bits.begin() + 1, bits.end()});
}

Tensor Context::rand(const Shape& shape, const Create& options, bool contiguous) {
  const Scope scope(*this, "rand");
  const DType dtype = options.dtype.value_or(dtypes::default_float);
  if (!is_float(dtype) || is_weak(dtype)) throw GraphError(fmt::format("rand gives floats, not {}", dtype_name(dtype)));
  const Device on = device(options.device);
  if (on.is_tuple) throw GraphError("rand gives numbers on one device; shard them");
  const int64_t words = words_for(shape, dtype);
  const auto [key, counter] = next_counter(on, words);
  const Tensor out = bits_to_floats(random_bits(key, counter, words), shape, dtype);
  return contiguous ? out.contiguous() : out;
}

Tensor Tensor::rand_like(const Create& options, bool contiguous) const {
  const Scope scope(context(), "rand_like");
  Create with = options;
  if (!with.dtype) with.dtype = dtype();
  if (!device().is_tuple) {
    if (with.device.is_none()) with.device = device();
    return context().rand(shape(), with, contiguous);
  }
  const std::optional<int64_t> axis = uop().axis();
  if (!axis) return context().rand(shape(), {.dtype = with.dtype}, contiguous).shard(device().names);
  UOps shards;
  for (const std::string& name : device().names)
    shards.push_back(
        context().rand(uop().shard_shape(), {.dtype = with.dtype, .device = Device::single(name)}, contiguous).uop());
  return wrap(unshard(mstack_of(shards), *axis));
}

Tensor Tensor::randn_like(std::optional<DType> dt, const Device& on) const {
  const Scope scope(context(), "randn_like");
  const DType to = dt.value_or(dtype());
  if (is_weak(to)) throw GraphError("randn_like of a weak dtype needs a dtype");
  const Tensor src = stack({*this}).rand_like({.dtype = DType::float32, .device = on});
  // Box and Muller
  const Tensor angle = src.at({int64_t{0}}).mul(2 * std::numbers::pi).cos();
  return angle.mul((Scalar(1) - src.at({int64_t{1}})).log().mul(-2).sqrt()).cast(to);
}

Tensor Context::randn(const Shape& shape, const Create& options) {
  const Scope scope(*this, "randn");
  return empty(shape, {.device = options.device}).randn_like(options.dtype);
}

Tensor Context::uniform(const Shape& shape, const Scalar& low, const Scalar& high, const Create& options) {
  const Scope scope(*this, "uniform");
  if (!python_less(low, high)) throw GraphError("uniform needs a low bound below the high one");
  const Scalar range = low.is_integral() && high.is_integral() ? Scalar(high.as_int() - low.as_int())
                                                               : Scalar(high.as_double() - low.as_double());
  const Tensor r = rand(shape, {.device = options.device});
  return (range * r).cast(options.dtype.value_or(dtypes::default_float)) + low;
}

Tensor Context::randint(const Shape& shape, int64_t low, int64_t high, const Create& options) {
  const Scope scope(*this, "randint");
  const DType dtype = options.dtype.value_or(DType::int32);
  if (!is_int(dtype)) throw GraphError(fmt::format("randint gives integers, not {}", dtype_name(dtype)));
  if (low >= high) throw GraphError(fmt::format("randint needs low < high, not {} and {}", low, high));
  return uniform(shape, Scalar(low), Scalar(high), {.dtype = dtype, .device = options.device});
}

Tensor Context::normal(const Shape& shape, const Scalar& mean, const Scalar& std, const Create& options) {
  const Scope scope(*this, "normal");
  if (python_less(std, Scalar(0))) throw GraphError("normal needs a deviation that is not negative");
  return std * randn(shape, options) + mean;
}

namespace {
double product_from(const Shape& shape, size_t first) {
  double n = 1;
  for (size_t i = first; i < shape.size(); ++i) n *= static_cast<double>(shape[i].value);
  return n;
}
}  // namespace

Tensor Context::scaled_uniform(const Shape& shape, const Create& options) {
  const Scope scope(*this, "scaled_uniform");
  return uniform(shape, Scalar(-1.0), Scalar(1.0), options).mul(std::pow(product_from(shape, 0), -0.5));
}
Tensor Context::glorot_uniform(const Shape& shape, const Create& options) {
  const Scope scope(*this, "glorot_uniform");
  if (shape.empty()) throw GraphError("glorot_uniform needs an axis");
  const double bound = std::sqrt(6 / (static_cast<double>(shape[0].value) + product_from(shape, 1)));
  return uniform(shape, Scalar(-bound), Scalar(bound), options);
}
Tensor Context::kaiming_uniform(const Shape& shape, double a, const Create& options) {
  const Scope scope(*this, "kaiming_uniform");
  const double bound = std::sqrt(6 / (1 + a * a) / product_from(shape, 1));
  return uniform(shape, Scalar(-bound), Scalar(bound), options);
}
Tensor Context::kaiming_normal(const Shape& shape, double a, const Create& options) {
  const Scope scope(*this, "kaiming_normal");
  return normal(shape, Scalar(0.0), Scalar(std::sqrt(2 / (1 + a * a) / product_from(shape, 1))), options);
}

Tensor Context::randperm(int64_t n, const Create& options) {
  const Scope scope(*this, "randperm");
  return rand({Dim(n)}, {.device = options.device}).argsort().cast(options.dtype.value_or(DType::int32));
}

}  // namespace rangescope::frontend
