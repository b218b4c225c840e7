#include "engine/ir/op.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/ir/expected_rows.h"

namespace rangescope {
namespace {

const std::map<std::string, OpSet> kGroups = {
    {"Unary", groups::Unary},
    {"Binary", groups::Binary},
    {"Ternary", groups::Ternary},
    {"ALU", groups::ALU},
    {"Broadcastable", groups::Broadcastable},
    {"Elementwise", groups::Elementwise},
    {"Defines", groups::Defines},
    {"Irreducible", groups::Irreducible},
    {"Movement", groups::Movement},
    {"Commutative", groups::Commutative},
    {"Associative", groups::Associative},
    {"Idempotent", groups::Idempotent},
    {"Reduce", groups::Reduce},
    {"Comparison", groups::Comparison},
    {"All", groups::All},
};

TEST(Op, ValuesNamesAndGroupsAreTheReferences) {
  const auto rows = testing::expected_rows("op.tsv");
  ASSERT_EQ(rows.size() + 1, kOpLimit);
  for (const auto& row : rows) {
    const auto op = op_from_name(row[0]);
    ASSERT_TRUE(op) << row[0];
    EXPECT_EQ(op_name(*op), row[0]);
    EXPECT_EQ(std::to_string(static_cast<int>(*op)), row[1]) << row[0];
    for (const auto& [name, set] : kGroups) {
      EXPECT_EQ(set.contains(*op), std::find(row.begin() + 2, row.end(), name) != row.end()) << row[0] << " " << name;
    }
  }
  EXPECT_FALSE(op_from_name("none"));
  EXPECT_FALSE(op_from_name("add"));
}

TEST(OpSet, IteratesInOrder) {
  const OpSet set{Op::PYLITERAL, Op::ADD, Op::SPECIAL, Op::REDUCE};
  EXPECT_EQ(std::vector<Op>(set.begin(), set.end()),
            (std::vector<Op>{Op::SPECIAL, Op::ADD, Op::REDUCE, Op::PYLITERAL}));
  EXPECT_EQ(set.size(), 4);
  EXPECT_EQ(std::distance(groups::All.begin(), groups::All.end()), groups::All.size());
  EXPECT_TRUE(groups::Unary.subset_of(groups::ALU));
  EXPECT_FALSE(groups::ALU.subset_of(groups::Unary));
  EXPECT_FALSE(groups::Unary.intersects(groups::Binary));
  EXPECT_EQ(groups::ALU - groups::Unary, groups::Broadcastable);
  EXPECT_TRUE(OpSet().empty());
}

TEST(Enums, NamesReadBack) {
  for (size_t i = 0; i < kAxisTypeCount; ++i) {
    EXPECT_EQ(axis_from_name(axis_name(static_cast<AxisType>(i))), static_cast<AxisType>(i));
  }
  EXPECT_EQ(axis_name(AxisType::GROUP_REDUCE), "GROUP_REDUCE");
  EXPECT_EQ(axis_letter(AxisType::GROUP_REDUCE), 'G');
  EXPECT_EQ(axis_letter(AxisType::WEAK), 'L');
  EXPECT_EQ(axis_position(AxisType::DEVICE), -2);
  EXPECT_EQ(axis_position(AxisType::PLACEHOLDER), std::nullopt);
  EXPECT_EQ(addrspace_from_name("REG"), AddrSpace::REG);
  EXPECT_EQ(addrspace_name(AddrSpace::ALU), "ALU");
  EXPECT_EQ(optop_from_name("GROUPTOP"), OptOp::GROUPTOP);
  EXPECT_EQ(optop_name(OptOp::SWAP), "SWAP");
  EXPECT_FALSE(axis_from_name("x") || addrspace_from_name("") || optop_from_name("tc"));
}

}  // namespace
}  // namespace rangescope
