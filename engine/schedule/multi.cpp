#include "engine/schedule/multi.h"

namespace rangescope::schedule {

const RuleSet& multi_pm() {
  static const RuleSet rules("multi_pm", std::vector<Rule>{});
  return rules;
}

}  // namespace rangescope::schedule
