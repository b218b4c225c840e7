#pragma once
// Dtypes that the target does not have, by others that it has (reference: codegen/decomp/dtype.py).

#include "engine/codegen/target.h"
#include "engine/ir/uop.h"
#include "engine/rewrite/rule.h"

namespace rangescope::codegen {

struct DTypeDecompContext {
  const Target* target;
  DTypeSet seen;  // of those that are emulated anywhere
};
const RuleSet& pm_dtype_decomps();  // context: DTypeDecompContext

}  // namespace rangescope::codegen
