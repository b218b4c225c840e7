// From a call of tensors to what runs, against what the reference gives for the same call.

#include "engine/schedule/linear.h"

#include <gtest/gtest.h>

#include "engine/ir/call.h"
#include "engine/ir/json.h"
#include "engine/symbolic/make_store.h"
#include "tests/schedule/cases.h"

namespace rangescope::schedule {
namespace {

TEST(CreateLinear, IsTheReferences) {
  for (const Case& c : read_cases("linear.jsonl")) {
    SCOPED_TRACE(c.name);
    const auto store = symbolic::make_store();
    set_flags(c, *store);
    const UOps nodes = c.nodes(*store);
    store->extension<UniqueSlots>().next = c.number.at("slot");
    const Result<LinearProgram> made = create_linear_with_vars(c.node(nodes, "root"));
    ASSERT_EQ(made.has_value(), c.number.at("error") == 0) << (made ? "" : made.error().message);
    if (!made) continue;
    EXPECT_EQ(made->linear, c.node(nodes, "after")) << made->linear.src_count() << " steps";
    std::string vars = "{";
    for (const auto& [name, value] : made->var_vals)
      vars += (vars.size() > 1 ? ",\"" : "\"") + name + "\":" + value.str();
    EXPECT_EQ(vars + "}", c.other.at("vars"));
  }
}

// A sum of a buffer, scaled by variables of the given names and values.
UOp scaled_sum(Store& store, const std::vector<std::pair<std::string, int64_t>>& bound, int64_t size) {
  const Shape shape{Dim(size)}, scalar;
  ParamArg in;
  in.dtype = DType::float32;
  in.device = Device::single("NULL");
  const int64_t axis = 0;
  UOp value = param(store, in, &shape).rop(Op::ADD, {&axis, 1});
  UOps args;
  args.push_back(new_buffer(store, in.device, size, DType::float32));
  args.push_back(new_buffer(store, in.device, 1, DType::float32));
  for (const auto& [name, v] : bound) {
    const UOp variable = store.variable(name, Scalar(1), Scalar(10));
    args.push_back(variable.after({variable.store_value(store.constant(v))}));
    value = value * param_like(args.back(), static_cast<int64_t>(args.size()) - 1).cast(DType::float32);
  }
  ParamArg out = in;
  out.slot = 1;
  const Shape one{Dim(1)};
  const UOp target = param(store, out, &one).reshape(scalar);
  const UOp body = target.after({target.store_value(value)}).sink();
  return call_of(body, args);
}

TEST(CreateLinear, VariablesMustAgree) {
  const auto store = symbolic::make_store();
  const Result<LinearProgram> good = create_linear_with_vars(scaled_sum(*store, {{"n", 3}, {"m", 4}}, 8));
  ASSERT_TRUE(good.has_value()) << good.error().message;
  EXPECT_EQ(good->var_vals.size(), 2u);
  const Result<LinearProgram> bad = create_linear_with_vars(scaled_sum(*store, {{"n", 3}, {"n", 4}}, 8));
  ASSERT_FALSE(bad.has_value());
  EXPECT_NE(bad.error().message.find('n'), std::string::npos);
}

TEST(CreateLinear, EqualFunctionsAreScheduledOnce) {
  const auto store = symbolic::make_store();
  ASSERT_TRUE(create_linear_with_vars(scaled_sum(*store, {{"n", 3}}, 8)).has_value());
  const uint32_t first = store->node_count();
  ASSERT_TRUE(create_linear_with_vars(scaled_sum(*store, {{"n", 3}}, 16)).has_value());
  const uint32_t other = store->node_count() - first;
  ASSERT_TRUE(create_linear_with_vars(scaled_sum(*store, {{"n", 5}}, 8)).has_value());
  EXPECT_LT(store->node_count() - first - other, other / 2) << "the second call of a function schedules it again";
}

}  // namespace
}  // namespace rangescope::schedule
