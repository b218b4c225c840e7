#include "engine/ir/scalar.h"

#include <gtest/gtest.h>

#include "tests/ir/expected_rows.h"

namespace rangescope {
namespace {

using testing::attempt;
using testing::parse;

TEST(Scalar, MatchesPython) {
  const auto rows = testing::expected_rows("scalar.tsv");
  ASSERT_GT(rows.size(), 3000u);
  for (const auto& row : rows) {
    SCOPED_TRACE(testing::joined(row));
    const std::string& what = row[0];
    if (what == "repr") {
      EXPECT_EQ(parse(row[1]).str(), row[2]);
    } else if (what == "eq") {
      EXPECT_EQ(attempt([&] { return python_equal(parse(row[1]), parse(row[2])); }), row[3]);
    } else if (what == "lt") {
      EXPECT_EQ(attempt([&] { return python_less(parse(row[1]), parse(row[2])); }), row[3]);
    } else if (what == "bool") {
      EXPECT_EQ(attempt([&] { return parse(row[1]).truthy(); }), row[2]);
    } else if (what == "int") {
      EXPECT_EQ(attempt([&] { return parse(row[1]).to_int(); }), row[2]);
    } else if (what == "float") {
      EXPECT_EQ(attempt([&] { return parse(row[1]).as_double(); }), row[2]);
    } else if (what == "min") {
      EXPECT_EQ(testing::show(dtype_min(dtype_from_name(row[1]).value())), row[2]);
    } else if (what == "max") {
      EXPECT_EQ(testing::show(dtype_max(dtype_from_name(row[1]).value())), row[2]);
    } else if (what == "const") {
      EXPECT_EQ(attempt([&] { return dtype_const(dtype_from_name(row[1]).value(), parse(row[2])); }), row[3]);
    } else {
      FAIL() << "unknown row";
    }
  }
}

TEST(Scalar, IdentityIsKindAndBits) {
  const Scalar different[] = {
      Scalar(),    Scalar(false),        Scalar(true),          Scalar(0),  Scalar(1), Scalar(0.0),   Scalar(-0.0),
      Scalar(1.0), Scalar(std::nan("")), Scalar(Int::pow2(70)), Scalar(-1), Scalar(2), Scalar(0x1p70)};
  for (const Scalar& a : different) {
    for (const Scalar& b : different) {
      EXPECT_EQ(a == b, &a == &b) << a.str() << " " << b.str();
      EXPECT_EQ(a.hash() == b.hash(), &a == &b) << a.str() << " " << b.str();
    }
  }
  EXPECT_EQ(Scalar(Int::pow2(70)), Scalar(Int::pow2(69) + Int::pow2(69)));
}

TEST(Scalar, TheArgumentsTypeDecidesTheKind) {
  EXPECT_TRUE(Scalar(true).is_bool());
  EXPECT_TRUE(Scalar(int64_t{1}).is_int());
  EXPECT_TRUE(Scalar(1.0f).is_float());
  EXPECT_TRUE(Scalar::invalid().is_invalid());
  EXPECT_EQ(dtype_of(Scalar(true)), DType::bool_);
  EXPECT_EQ(dtype_of(Scalar(1)), DType::weakint);
  EXPECT_EQ(dtype_of(Scalar(1.0)), DType::weakfloat);
  EXPECT_EQ(dtype_of(Scalar::invalid()), DType::bool_);
}

}  // namespace
}  // namespace rangescope
