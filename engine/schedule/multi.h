#pragma once
// Values that live on several devices become per-device values (reference: schedule/multi.py).

#include "engine/rewrite/rule.h"

namespace rangescope::schedule {

const RuleSet& multi_pm();

}  // namespace rangescope::schedule
