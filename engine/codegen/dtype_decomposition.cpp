#include "engine/codegen/dtype_decomposition.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/codegen/float_decomposition.h"
#include "engine/codegen/long_decomposition.h"
#include "engine/ir/error.h"
#include "engine/rewrite/driver.h"

namespace rangescope::codegen {

namespace {

constexpr DTypeSet kMayBeEmulated =
    dtypes::fp8s | DTypeSet{DType::bfloat16, DType::float16, DType::int64, DType::uint64};

UOp note_dtype(const Match& m) {
  const DType d = m[captures::x].dtype();
  m.context<DTypeDecompContext>().seen.insert(d == DType::uint64 ? DType::int64 : d);
  return {};
}

// The reference prints a dtype by the last word of its C name.
std::string printed(DType d) {
  if (d == DType::float32) return "dtypes.float";
  if (d == DType::float16) return "dtypes.half";
  return "dtypes." + std::string(dtype_name(d));
}

UOp emulate_dtypes(const Match& m) {
  auto& ctx = m.context<DTypeDecompContext>();
  std::vector<DType> emulated;
  for (const DType d : ctx.seen)
    if (!ctx.target->dtypes.contains(d)) emulated.push_back(d);
  std::ranges::sort(emulated, dtype_less);
  UOp sink = m[captures::sink];
  for (const DType from : emulated) {
    if (from == DType::int64) {
      LongDecomp words;
      sink = graph_rewrite(sink, pm_long_decomp(),
                           {.name = "decomp dtypes.long -> dtypes.int", .context = &words, .bottom_up = true});
      continue;
    }
    const bool half = ctx.target->dtypes.contains(DType::float16) && dtypes::fp8s.contains(from);
    FloatDecomp decomp{from, half ? DType::float16 : DType::float32};
    const std::string name = fmt::format("decomp {} -> {}", printed(decomp.from), printed(decomp.to));
    sink = graph_rewrite(sink, pm_float_decomp(), {.name = name, .context = &decomp, .bottom_up = true});
  }
  ctx.seen = {};
  return sink;
}

}  // namespace

const RuleSet& pm_dtype_decomps() {
  using namespace captures;
  static const RuleSet rules(
      "pm_dtype_decomps",
      {
          {"note-dtype", "dtypes that may have to be emulated are noted", "codegen/decomp/dtype.py:210",
           pat(groups::All).with_dtype(kMayBeEmulated).named(x), note_dtype},
          {"emulate-dtypes", "the noted dtypes that the target does not have are replaced",
           "codegen/decomp/dtype.py:213", pat(Op::SINK).named(sink), emulate_dtypes},
      });
  return rules;
}

}  // namespace rangescope::codegen
