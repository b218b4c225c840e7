#pragma once
// What the tensors of one session share: the store of their graph, the bytes of buffers that have some, the generator
// of random numbers, and which tensors are alive. Tensors are made here; what can be done with them is in tensor.h.
//
// Errors. Everything here and in tensor.h throws GraphError with a message for the person who wrote the program: a
// shape that does not fit, a dtype that cannot be, a device that is another. A caller outside of this library puts its
// calls into `attempt`, which gives a Result.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/frontend/arguments.h"
#include "engine/frontend/host_array.h"
#include "engine/ir/error.h"
#include "engine/ir/store.h"
#include "engine/ir/uop.h"

namespace rangescope::frontend {

class Tensor;
struct TensorState;

// How a tensor is created. No dtype: the default one of the method; no device: the session's.
struct Create {
  std::optional<DType> dtype = std::nullopt;
  Device device = {};
  bool buffer = true;  // full, zeros, ones: written to a buffer; false: a constant that is spread over the shape
};

struct ContextOptions {
  std::string device = "VK";  // of tensors that name none
  uint32_t seed = 0;          // of the generator of random numbers
};

class Context : public std::enable_shared_from_this<Context> {
 public:
  static std::shared_ptr<Context> create(const ContextOptions& options = {});
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  Store& store() { return *store_; }
  const Device& default_device() const { return default_device_; }
  // The device as it is written in graphs; the default one for none.
  Device device(const Device& asked) const;

  // ** tensors from values
  Tensor tensor(UOp u);
  // A bool, an int or a float without a shape and without a device. Without a dtype its dtype is weak: it takes on the
  // dtype of what it meets.
  Tensor scalar(const Scalar& value, std::optional<DType> dtype = std::nullopt);
  // Values of the host, copied to the device when the program runs. `dtype` casts them there.
  Tensor from_data(const HostArray& data, const Create& options = {});
  // Values that lie on the device already: no copy in the graph. What from_data(data).realize() would be.
  Tensor from_device_data(const HostArray& data, const Device& on = {});
  Tensor from_ints(const Ints& values, const Create& options = {});  // one axis, int32 by default
  // A named place for values that are given when the program runs (see program.h).
  Tensor input(const std::string& name, const Shape& shape, DType dtype, const Device& on = {});

  // ** creation (creation.cpp). A buffer without contents; filled with a value; 0, 1, ...; `steps` values from start to
  // stop, both included; the identity.
  Tensor empty(const Shape& shape, const Create& options = {});
  Tensor full(const Shape& shape, const Scalar& value, const Create& options = {});
  Tensor zeros(const Shape& shape, const Create& options = {});
  Tensor ones(const Shape& shape, const Create& options = {});
  Tensor arange(const Scalar& start, const Scalar& stop, const Scalar& step = Scalar(1),
                std::optional<DType> dtype = std::nullopt);
  Tensor arange(const Scalar& stop);
  Tensor linspace(const Scalar& start, const Scalar& stop, int64_t steps, std::optional<DType> dtype = std::nullopt);
  Tensor eye(int64_t rows, std::optional<int64_t> columns = std::nullopt, std::optional<DType> dtype = std::nullopt);

  // ** random numbers (random.cpp): threefry over a counter that lives on the device. rand: uniform in [0, 1), of a
  // float dtype; the integers of randint are in [low, high).
  void manual_seed(uint32_t seed);
  Tensor rand(const Shape& shape, const Create& options = {}, bool contiguous = true);
  Tensor randn(const Shape& shape, const Create& options = {});
  Tensor randint(const Shape& shape, int64_t low, int64_t high, const Create& options = {});
  Tensor uniform(const Shape& shape, const Scalar& low, const Scalar& high, const Create& options = {});
  Tensor normal(const Shape& shape, const Scalar& mean, const Scalar& std, const Create& options = {});
  Tensor scaled_uniform(const Shape& shape, const Create& options = {});
  Tensor glorot_uniform(const Shape& shape, const Create& options = {});
  Tensor kaiming_uniform(const Shape& shape, double a = 0.01, const Create& options = {});
  Tensor kaiming_normal(const Shape& shape, double a = 0.01, const Create& options = {});
  Tensor randperm(int64_t n, const Create& options = {});
  bool training = false;  // dropout does nothing otherwise

  // ** sizes that are known when the program runs
  UOp variable(const std::string& name, int64_t min, int64_t max);
  UOp bind(UOp variable, int64_t value);

  // ** contents of buffers
  using Data = std::shared_ptr<const std::vector<std::byte>>;
  void set_data(UOp buffer, Data data) { data_[buffer.id()] = std::move(data); }
  const Data* data(UOp buffer) const;
  const std::string* input_name(UOp buffer) const;

  // ** all tensors that are alive, in order of creation, take on other nodes: one walk, what is put in is not walked.
  void replace_in_tensors(const std::vector<std::pair<UOp, UOp>>& replacements);

  // Settings of the scheduler that are not at their defaults: PCONTIG, SPLIT_REDUCEOP, ...
  std::map<std::string, int64_t> flags;

  // Where the program that calls stands now ("train.py:12", or a node of a model): nodes made from here on say so.
  std::string location;

 private:
  friend class Scope;
  friend struct TensorState;
  explicit Context(const ContextOptions& options);
  std::pair<Tensor, Tensor> next_counter(const Device& on, int64_t count);
  Tensor random_bits(const Tensor& key, const Tensor& counter, int64_t count);

  std::unique_ptr<Store> store_;
  Device default_device_;
  std::unordered_map<uint32_t, Data> data_;                // by buffer node; looked up, never iterated
  std::unordered_map<uint32_t, std::string> input_names_;  // likewise
  std::map<uint64_t, TensorState*> alive_;
  uint64_t next_tensor_ = 0;
  const char* method_ = nullptr;  // the outermost method under way
  uint32_t seed_ = 0;
  struct Generator;
  std::unique_ptr<Generator> generator_;
};

// The outermost one that is open names the nodes made meanwhile: by the method that the user called, and the location.
class Scope {
 public:
  Scope(Context& context, const char* method);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Context& context_;
  uint32_t first_ = 0;
  bool outermost_ = false;
};

// What `f` gives, or the GraphError that it threw.
template <class F>
auto attempt(F f) -> Result<decltype(f())> {
  try {
    if constexpr (std::is_void_v<decltype(f())>) {
      f();
      return {};
    } else {
      return f();
    }
  } catch (const GraphError& e) {
    return tl::unexpected(Error{e.message()});
  }
}

}  // namespace rangescope::frontend
