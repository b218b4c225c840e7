#include "engine/eval/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "engine/eval/elementwise.h"
#include "engine/eval/runs.h"
#include "engine/ir/error.h"

namespace rangescope::eval {

size_t Memory::buffer_of(UOp node, const std::function<Buffer()>& make) {
  const std::pair<const void*, uint64_t> key =
      node.is(Op::PARAM) && node.arg().as<ParamArg>().slot >= 0 && node.arg().as<ParamArg>().addrspace != AddrSpace::ALU
          ? std::pair<const void*, uint64_t>(nullptr, static_cast<uint64_t>(node.arg().as<ParamArg>().slot))
      : node.is(Op::STAGE)
          ? std::pair<const void*, uint64_t>(node.node(), 0)
          : std::pair<const void*, uint64_t>(&node.arg(), node.src_count() > 0 ? node.src(0).id() : UINT64_MAX);
  const auto known = index_.find(key);
  if (known != index_.end()) return known->second;
  Buffer buffer = make();
  buffer.node = node;
  buffer.initial = buffer.content;
  if (std::max<int64_t>(buffer.devices, 1) * buffer.count >= kStretch) throw GraphError("a buffer is too large");
  buffers_.push_back(std::move(buffer));
  index_.emplace(key, buffers_.size() - 1);
  return buffers_.size() - 1;
}

Value Memory::addresses(size_t buffer) {
  const Buffer& b = buffers_[buffer];
  UOps ranges;
  Sizes dims;
  if (b.devices > 0) {
    ranges.push_back(kDeviceAxis);
    dims.push_back(b.devices);
  }
  dims.push_back(b.count);
  Made made = make_value(DType::int64, ranges, dims, meter_);
  std::iota(made.array->ints.begin(), made.array->ints.end(), static_cast<int64_t>(buffer) * kStretch);
  return made.value;
}

size_t Memory::buffer_at(int64_t address) const {
  const int64_t b = address / kStretch;
  if (address < 0 || static_cast<size_t>(b) >= buffers_.size()) throw GraphError("an address of no buffer");
  return static_cast<size_t>(b);
}

DType Memory::dtype_at(const Value& addresses) const {
  const size_t n = addresses.data->ints.size();
  for (size_t i = 0; i < n; ++i)
    if (!addresses.has_invalid() || addresses.data->invalid[i] == 0)
      return buffers_[buffer_at(addresses.data->ints[i])].dtype;
  return DType::void_;
}

Value Memory::read(const Value& addresses, const std::map<size_t, Value>& contents) {
  const Value at = dense(addresses, meter_);
  const DType dtype = dtype_at(at);
  Made made = make_value(dtype == DType::void_ ? DType::int64 : dtype, at.ranges, at.dims, meter_);
  std::vector<const Array*> arrays(buffers_.size(), nullptr);
  const bool floats = is_float(dtype);
  for (size_t i = 0; i < at.data->ints.size(); ++i) {
    if (at.has_invalid() && at.data->invalid[i] != 0) continue;
    const int64_t address = at.data->ints[i];
    const size_t b = buffer_at(address);
    if (arrays[b] == nullptr) {
      const auto known = contents.find(b);
      arrays[b] = (known == contents.end() ? buffers_[b].content : known->second).data.get();
    }
    const auto p = static_cast<size_t>(place(address));
    if (floats)
      made.array->floats[i] = arrays[b]->floats[p];
    else
      made.array->ints[i] = arrays[b]->ints[p];
    if (!arrays[b]->invalid.empty() && arrays[b]->invalid[p] != 0) {
      if (made.array->invalid.empty()) made.array->invalid.assign(at.data->ints.size(), 0);
      made.array->invalid[i] = 1;
    }
  }
  return made.value;
}

Value Memory::written(size_t buffer, const Value& content, const std::vector<const Writes*>& writes) {
  auto array = std::make_shared<Array>(*content.data);
  for (const Writes* w : writes) {
    if (!std::ranges::binary_search(w->buffers, buffer)) continue;
    meter_.work(static_cast<int64_t>(w->addresses.size()));
    for (size_t i = 0; i < w->addresses.size(); ++i) {
      if (buffer_at(w->addresses[i]) != buffer) continue;
      const auto p = static_cast<size_t>(place(w->addresses[i]));
      if (is_float(buffers_[buffer].dtype))
        array->floats[p] = w->values.floats[i];
      else
        array->ints[p] = w->values.ints[i];
    }
  }
  Value out = content;
  out.data = std::move(array);
  return out;
}

Writes Memory::store(const Value& addresses, const Value& value, const Value* gate, DType view) {
  Writes w;
  w.dtype = dtype_at(addresses);
  if (w.dtype == DType::void_) return w;
  Value v = value;
  const bool other_bits = view != w.dtype && !is_weak(view);
  if (other_bits && itemsize(view) != itemsize(w.dtype))
    throw GraphError(fmt::format("a store of {} into a buffer of {}", dtype_name(view), dtype_name(w.dtype)));
  v = converted(v, view, meter_);
  if (other_bits) v = bitcast(v, w.dtype, meter_);
  std::vector<Value> all{addresses, v};
  if (gate != nullptr) all.push_back(*gate);
  const OpenRanges open = open_ranges(all);
  const Sizes shape = broadcast(all);
  if (!std::ranges::equal(shape, addresses.shape())) throw GraphError("a store of more elements than its target has");
  const Value to = dense(aligned(addresses, open, shape), meter_);
  const Value from = dense(aligned(v, open, shape), meter_);
  Value open_gate;
  if (gate != nullptr) open_gate = dense(aligned(*gate, open, shape), meter_);
  const size_t n = to.data->ints.size();
  std::vector<bool> touched(buffers_.size(), false);
  for (size_t i = 0; i < n; ++i) {
    if (to.has_invalid() && to.data->invalid[i] != 0) continue;
    if (from.has_invalid() && from.data->invalid[i] != 0) continue;
    if (open_gate && open_gate.data->ints[i] == 0) continue;
    const size_t b = buffer_at(to.data->ints[i]);
    if (is_float(buffers_[b].dtype) != is_float(w.dtype)) throw GraphError("a store into buffers of several dtypes");
    touched[b] = true;
    w.addresses.push_back(to.data->ints[i]);
    if (is_float(w.dtype))
      w.values.floats.push_back(from.data->floats[i]);
    else
      w.values.ints.push_back(from.data->ints[i]);
  }
  for (size_t b = 0; b < touched.size(); ++b)
    if (touched[b]) w.buffers.push_back(b);
  return w;
}

}  // namespace rangescope::eval
