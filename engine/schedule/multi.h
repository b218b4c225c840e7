#pragma once
// Values that live on several devices become per-device values (reference: schedule/multi.py).

#include "engine/rewrite/rule.h"

namespace rangescope::schedule {

const RuleSet& multi_pm();
// The part of it that lowers copies and selections across devices.
const RuleSet& replace_allreduce();

}  // namespace rangescope::schedule
