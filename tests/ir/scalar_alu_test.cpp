#include "engine/ir/scalar_alu.h"

#include <gtest/gtest.h>

#include "tests/ir/expected_rows.h"

namespace rangescope {
namespace {

using testing::attempt;
using testing::parse;

TEST(ScalarAlu, MatchesTheReference) {
  const auto rows = testing::expected_rows("scalar_alu.tsv");
  ASSERT_GT(rows.size(), 10000u);
  for (const auto& row : rows) {
    SCOPED_TRACE(testing::joined(row));
    const std::string& what = row[0];
    std::string got;
    if (what == "exec") {
      std::vector<Scalar> operands;
      for (size_t i = 4; i + 1 < row.size(); ++i) operands.push_back(parse(row[i]));
      got = attempt([&] {
        return exec_alu(op_from_name(row[1]).value(), testing::dtype_named(row[2]), operands, row[3] == "1");
      });
    } else if (what == "truncate") {
      got = attempt([&] { return truncate(testing::dtype_named(row[1]), parse(row[2])); });
    } else if (what == "identity") {
      got = attempt([&] { return identity_element(op_from_name(row[1]).value(), testing::dtype_named(row[2])); });
    } else if (what == "from_fp8") {
      got = attempt([&] {
        return fp8_to_float(static_cast<uint8_t>(parse(row[2]).as_int().low_bits()), testing::dtype_named(row[1]));
      });
    } else if (what == "to_fp8") {
      got = attempt([&] { return Scalar(Int(float_to_fp8(parse(row[2]).as_double(), testing::dtype_named(row[1])))); });
    } else if (what == "bitcast") {
      got = attempt([&] { return bitcast(parse(row[3]), testing::dtype_named(row[1]), testing::dtype_named(row[2])); });
    }
    EXPECT_EQ(got, row.back());
  }
}

TEST(ScalarAlu, RefusesWrongShapes) {
  EXPECT_THROW(exec_alu(Op::ADD, DType::int32, {1}), GraphError);
  EXPECT_THROW(exec_alu(Op::WHERE, DType::int32, {true, 1}), GraphError);
  EXPECT_THROW(exec_alu(Op::RESHAPE, DType::int32, {1}), GraphError);
  EXPECT_THROW(bitcast(1, DType::int32, DType::int64), GraphError);
  EXPECT_THROW(bitcast(1, DType::weakint, DType::weakfloat), GraphError);
  EXPECT_EQ(exec_alu(Op::ADD, DType::weakint, {true, true}), Scalar(2));
}

}  // namespace
}  // namespace rangescope
