#include "engine/schedule/copy_to_store.h"

#include "engine/ir/dim.h"

namespace rangescope::schedule {

using namespace captures;

namespace {

UOp flat_input(UOp copy) {
  const UOp input = copy.src(0);
  return (input.has_buffer_identity(true) ? input : input.contiguous()).flatten();
}

UOp into_existing_buffer(const Match& m) {
  const UOp input = flat_input(m[copy]);
  if (!m[existing_buf].has_buffer_identity(true)) return {};  // a part of a buffer will not do
  return m[existing_buf].flatten().store_value(input);
}

UOp into_new_buffer(const Match& m) {
  const UOp input = flat_input(m[copy]);
  Shape largest;
  for (const int64_t n : input.max_shape()) largest.emplace_back(n);
  ParamArg arg;
  arg.slot = m.context<SlotCounter>().next++;
  arg.dtype = m[copy].dtype();
  arg.device = m[copy].device();
  const UOp buffer = m.store().make(Op::BUFFER, {m.store().shape_arg(largest)}, Arg(std::move(arg)));
  return buffer.after({buffer.store_value(input)}).reshape(m[copy].shape());
}

}  // namespace

const RuleSet& pm_copy_to_store() {
  static const RuleSet rules(
      "pm_copy_to_store",
      {
          {"store-copy", "a COPY that is stored copies into that buffer", "schedule/rangeify.py:580",
           var(existing_buf).store(pat(Op::COPY).named(copy)), into_existing_buffer},
          {"copy-to-buffer", "a COPY stores into a new buffer on its device", "schedule/rangeify.py:581",
           pat(Op::COPY).named(copy), into_new_buffer},
      });
  return rules;
}

}  // namespace rangescope::schedule
