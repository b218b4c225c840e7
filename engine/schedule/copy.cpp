#include "engine/schedule/copy.h"

#include <fmt/format.h>

#include "engine/ir/error.h"
#include "engine/ir/store.h"

namespace rangescope::schedule {

UOp copy_to_device(UOp u, const Device& device, std::optional<int64_t> shard) {
  Store& store = u.store();
  if (shard && !u.device().is_tuple) throw GraphError("one shard can be copied only of a value on several devices");
  const UOp from = shard ? store.make(Op::MSELECT, {u}, Arg(*shard)) : u;
  if (from.is_weak())
    throw GraphError(fmt::format("a value of dtype {} has no storage to copy", dtype_name(from.dtype())));
  Shape largest;
  for (const int64_t n : from.max_shape()) largest.emplace_back(n);
  return store.make(Op::COPY, {from.pad_to(largest)}, Arg(device)).shrink_to(from.shape());
}

}  // namespace rangescope::schedule
