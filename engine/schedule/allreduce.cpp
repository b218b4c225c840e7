#include "engine/schedule/allreduce.h"

#include <numeric>
#include <utility>
#include <vector>

#include "engine/ir/call.h"
#include "engine/ir/dim.h"
#include "engine/ir/error.h"
#include "engine/ir/sharding.h"
#include "engine/schedule/flags.h"

namespace rangescope::schedule {

namespace {

using Chunk = std::pair<int64_t, int64_t>;

// `count` chunks of `elements`, multiples of a power of two up to 32 where that divides; the first ones are longer.
std::vector<Chunk> chunks_of(int64_t elements, int64_t count) {
  int64_t factor = 32;
  while (elements % factor != 0) factor /= 2;
  const int64_t base = elements / factor / count;
  const int64_t left = elements / factor % count;
  std::vector<Chunk> chunks;
  int64_t at = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t next = at + (i < left ? base + 1 : base) * factor;
    chunks.emplace_back(at, next);
    at = next;
  }
  return chunks;
}

struct AllReduce {
  UOp buf;
  Op op;
  Device target;
  int64_t elements;

  int64_t devices() const { return static_cast<int64_t>(buf.device().names.size()); }
  Device device(int64_t i) const { return Device::single(buf.device().names[static_cast<size_t>(i % devices())]); }
  UOp chunk_of(UOp u, const Chunk& chunk) const {
    const std::pair<Dim, Dim> cut[] = {{Dim(chunk.first), Dim(chunk.second)}};
    return u.reshape({Dim(elements)}).shrink(cut);
  }

  // The chunk summed on the `i`-th device, from all devices at once.
  UOp gather_all(int64_t i, const Chunk& chunk) const {
    UOp sum;
    for (int64_t j = 0; j < devices(); ++j) {
      const UOp part = copy_to_device(chunk_of(mselect(buf, j), chunk), device(i));
      sum = sum ? sum.alu(op, part) : part;
    }
    return sum;
  }
  // The chunk summed as it goes around the ring from the `i`-th device.
  UOp go_around(int64_t i, const Chunk& chunk) const {
    const UOp whole = chunk_of(buf, chunk);
    UOp reduced = whole;
    for (int64_t step = 0; step < devices() - 1; ++step) {
      const int64_t from = (i + step) % devices();
      const int64_t to = (i + step + 1) % devices();
      const UOp arrived =
          copy_to_device(reduced, device(to), reduced.device().is_tuple ? std::optional<int64_t>(from) : std::nullopt);
      reduced = arrived.alu(op, copy_to_device(whole, device(to), to));
    }
    return reduced;
  }
  UOp to_all(UOp reduced) const {
    UOps copies;
    for (int64_t j = 0; j < devices(); ++j) copies.push_back(copy_to_device(reduced, device(j)));
    return mstack_of(copies);
  }
  UOp around_to_all(int64_t i, UOp reduced) const {
    UOps chain{reduced};
    UOps copies;
    for (int64_t step = 0; step < devices() - 1; ++step)
      chain.push_back(reduced = copy_to_device(reduced, device(i + step)));
    for (int64_t j = 0; j < devices(); ++j)
      copies.push_back(chain[static_cast<size_t>((j - i + 1 + devices()) % devices())]);
    return mstack_of(copies);
  }
};

}  // namespace

UOp handle_allreduce(UOp buf, UOp red) {
  if (!buf.device().is_tuple) return {};
  const Shape& shape = buf.shape();
  const Dim numel = product(shape);
  const Flags& f = flags(buf.store());
  AllReduce all{buf, red.arg().as_tuple().at(0).as<Op>(), red.arg().as_tuple().at(1).as_device(), 0};

  // Chunks pay for their kernels only between more than two devices and for many elements.
  const bool large = numel.is_int() && all.devices() > 2 && numel.value > f.ring_allreduce_threshold;
  const bool concrete = all_int(shape);
  const bool use_all2all = concrete && (f.all2all >= 2 || (large && f.all2all >= 1));
  const bool use_ring = concrete && !use_all2all && (f.ring >= 2 || (large && f.ring >= 1));

  Shape largest;
  for (const int64_t s : buf.max_shape()) largest.emplace_back(s);
  all.buf = buf.pad_to(largest).contiguous();
  if (!use_ring && !use_all2all) {
    UOp sum;
    for (int64_t i = 0; i < all.devices(); ++i) {
      const UOp part = copy_to_device(mselect(all.buf, i), all.target);
      sum = sum ? sum.alu(all.op, part) : part;
    }
    return sum.shrink_to(shape);
  }

  all.elements = numel.value;
  const std::vector<Chunk> chunks = chunks_of(all.elements, all.devices());
  UOps reduced;
  UOps spread;
  for (size_t i = 0; i < chunks.size(); ++i)
    reduced.push_back(use_all2all ? all.gather_all(static_cast<int64_t>(i), chunks[i])
                                  : all.go_around(static_cast<int64_t>(i), chunks[i]));
  for (size_t i = 0; i < chunks.size(); ++i)
    spread.push_back(!all.target.is_tuple ? copy_to_device(reduced[i], all.target)
                     : use_all2all        ? all.to_all(reduced[i])
                                          : all.around_to_all(static_cast<int64_t>(i), reduced[i]));
  for (size_t i = 0; i < chunks.size(); ++i) {
    const std::pair<Dim, Dim> around[] = {{Dim(chunks[i].first), Dim(all.elements - chunks[i].second)}};
    spread[i] = spread[i].pad(around);
  }
  return spread[0].usum(std::span<const UOp>(spread).subspan(1)).reshape(shape);
}

UOp create_allreduce_function(UOp buf, UOp red) {
  Store& store = buf.store();
  const UOp output = invalids(store, red.shape(), red.dtype(), red.device());
  const UOp to = param_like(red, 0);
  const UOp src = param_like(buf, 1);
  const Arg::Tuple& arg = red.arg().as_tuple();
  const UOp inner = allreduce(src, arg.at(0).as<Op>(), arg.at(1).as_device());
  const UOp body = to.after({to.store_value(handle_allreduce(src, inner))}).sink();
  CallInfo info;
  info.name = "allreduce";
  info.precompile = true;
  const UOp args[] = {output, buf.contiguous()};
  return output.after({call_of(body, args, info)});
}

}  // namespace rangescope::schedule
