#include "engine/codegen/rule_sets.h"

#include "engine/codegen/broadcast.h"
#include "engine/codegen/coalesce.h"
#include "engine/codegen/control_flow.h"
#include "engine/codegen/decompositions.h"
#include "engine/codegen/devectorize.h"
#include "engine/codegen/dtype_decomposition.h"
#include "engine/codegen/expander.h"
#include "engine/codegen/final.h"
#include "engine/codegen/float_decomposition.h"
#include "engine/codegen/gater.h"
#include "engine/codegen/gpudims.h"
#include "engine/codegen/long_decomposition.h"
#include "engine/codegen/reduce.h"

namespace rangescope::codegen {

std::span<const NamedRuleSet> rule_sets() {
  static constexpr NamedRuleSet sets[] = {
      {"expander2", expander2},
      {"pm_wmma_add", pm_wmma_add},
      {"pm_expand_broadcast", pm_expand_broadcast},
      {"ew_devectorizer", ew_devectorizer},
      {"devectorizer2", devectorizer2},
      {"pm_reduce_local", pm_reduce_local},
      {"pm_add_loads", pm_add_loads},
      {"pm_add_local_buffers", pm_add_local_buffers},
      {"pm_cast_float_alu", pm_cast_float_alu},
      {"pm_implicit_barriers", pm_implicit_barriers},
      {"pm_casted_consts", pm_casted_consts},
      {"pm_number_params", pm_number_params},
      {"pm_add_gpudims", pm_add_gpudims},
      {"indexing_simplify", indexing_simplify},
      {"pm_simplify_add_image", pm_simplify_add_image},
      {"pm_move_gates_from_index", pm_move_gates_from_index},
      {"pm_split_ends", pm_split_ends},
      {"pm_add_control_flow", pm_add_control_flow},
      {"pm_dtype_decomps", pm_dtype_decomps},
      {"pm_long_decomp", pm_long_decomp},
      {"pm_float_decomp", pm_float_decomp},
      {"early decompositions",
       []() -> const RuleSet& {
         return simplifying_decompositions({Op::SHR, Op::AND, Op::CMPLT});
       }},
      {"late decompositions", []() -> const RuleSet& { return late_decompositions(groups::All, false); }},
  };
  return sets;
}

}  // namespace rangescope::codegen
