#pragma once
// A kernel as the optimiser sees it: its ranges as axes, and what can be done to them (reference:
// codegen/opt/postrange.py, Scheduler).

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/codegen/target.h"
#include "engine/ir/uop.h"

namespace rangescope::codegen {

// An optimisation that does not apply here.
struct OptDeclined {
  std::string why;
};

class KernelAxes {
 public:
  KernelAxes(UOp ast, const Target& target);

  UOp ast() const { return ast_; }
  const Target& target() const { return *target_; }
  // ** axes, outermost first
  const UOps& rngs() const { return rngs_; }
  size_t shape_len() const { return rngs_.size(); }
  const Shape& full_shape() const { return full_shape_; }
  AxisType axis_type_at(size_t axis) const;
  std::vector<int64_t> axes_of(std::initializer_list<AxisType> types) const;
  UOps ranges_of(std::initializer_list<AxisType> types) const;
  std::vector<int64_t> upcastable_dims() const;
  std::vector<int64_t> unrollable_dims() const;
  Dim output_size(size_t axis) const;  // 1 for an axis that is reduced over
  Int upcast_size() const;
  // ** what the kernel does
  UOp reduceop() const;  // the first REDUCE without its tag; null: there is none
  UOps bufs() const;     // INDEXes, last first
  const std::vector<OptArg>& applied_opts() const { return applied_opts_; }

  // The axis that an optimisation means by its number among those that it is for; -1: none. Throws OptDeclined.
  int64_t real_axis(OptOp op, std::optional<int64_t> axis) const;

  // ** changes
  void convert_loop_to_global();
  // The axis that is left and the new one, where the optimisation makes one. Throws OptDeclined.
  std::optional<std::pair<UOp, UOp>> apply_opt(const OptArg& opt, bool append = true);
  // The AST under its name, tagged as optimised.
  UOp get_optimized_ast(const std::optional<std::string>& name = std::nullopt);

 private:
  void set_ast(UOp ast);
  std::string kernel_name() const;
  std::string range_text(UOp range) const;
  UOps output_rngs() const;
  UOps globalizable_rngs() const;
  UOps reduced_again_along() const;
  std::pair<UOp, UOp> shift_to(UOp rng, int64_t amount, AxisType type, bool top);
  void check_split(const OptArg& opt, UOp rng, int64_t amount) const;
  void pad_to(UOp rng, const OptArg& opt);
  void swap_axes(UOp rng, const OptArg& opt);

  UOp ast_;
  const Target* target_;
  UOps rngs_;
  Shape full_shape_;
  bool dont_use_locals_ = false;
  std::vector<OptArg> applied_opts_;
  int64_t next_range_;
};

// The AST that code is generated from: axes made parallel, optimisations chosen or taken from the AST, and a name
// (reference: apply_opts). An AST with a tag stays as it is.
UOp apply_opts(UOp ast, const Target& target, const Settings& settings);

}  // namespace rangescope::codegen
