#include "engine/ir/dtype.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/ir/expected_rows.h"

namespace rangescope {
namespace {

template <class F>
std::string name_or_error(F f) {
  try {
    return std::string(dtype_name(f()));
  } catch (const GraphError&) {
    return "!";
  }
}

TEST(DType, MatchesTheReference) {
  const std::map<std::string, DTypeSet> sets = {
      {"fp8s", dtypes::fp8s}, {"floats", dtypes::floats}, {"uints", dtypes::uints}, {"sints", dtypes::sints},
      {"ints", dtypes::ints}, {"weaks", dtypes::weaks},   {"all", dtypes::all},
  };
  std::map<std::string, DTypeSet> members;
  size_t described = 0;
  for (const auto& row : testing::expected_rows("dtype.tsv")) {
    SCOPED_TRACE(testing::joined(row));
    const std::string& what = row[0];
    if (what == "dtype") {
      const DType d = testing::dtype_named(row[1]);
      const testing::Row got = {what,
                                std::string(dtype_name(d)),
                                std::string(info(d).c_name),
                                std::to_string(priority(d)),
                                std::to_string(bitsize(d)),
                                std::to_string(itemsize(d)),
                                std::string(1, info(d).fmt != 0 ? info(d).fmt : '-'),
                                std::to_string(is_int(d)),
                                std::to_string(is_float(d)),
                                std::to_string(is_unsigned(d)),
                                std::to_string(is_bool(d)),
                                std::to_string(is_weak(d))};
      EXPECT_EQ(got, row);
      ++described;
    } else if (what == "member") {
      members[row[1]].insert(testing::dtype_named(row[2]));
    } else if (what == "strong") {
      EXPECT_EQ(dtype_name(strong_dtype(testing::dtype_named(row[1]))), row[2]);
    } else if (what == "weak") {
      EXPECT_EQ(dtype_name(weak_dtype(testing::dtype_named(row[1]))), row[2]);
    } else if (what == "upper_float") {
      EXPECT_EQ(name_or_error([&] { return least_upper_float(testing::dtype_named(row[1])); }), row[2]);
    } else if (what == "sum_acc") {
      EXPECT_EQ(name_or_error([&] { return sum_acc_dtype(testing::dtype_named(row[1])); }), row[2]);
    } else if (what == "less") {
      EXPECT_EQ(std::to_string(dtype_less(testing::dtype_named(row[1]), testing::dtype_named(row[2]))), row[3]);
    } else if (what == "lossless") {
      EXPECT_EQ(std::to_string(can_lossless_cast(testing::dtype_named(row[1]), testing::dtype_named(row[2]))), row[3]);
    } else if (what == "upper") {
      EXPECT_EQ(
          name_or_error([&] { return least_upper_dtype(testing::dtype_named(row[1]), testing::dtype_named(row[2])); }),
          row[3]);
    } else if (what == "uppers") {
      std::vector<DType> list;
      for (size_t i = 2; i < row.size(); ++i) list.push_back(testing::dtype_named(row[i]));
      EXPECT_EQ(dtype_name(least_upper_dtype(list)), row[1]);
    } else {
      FAIL() << "unknown row";
    }
  }
  EXPECT_EQ(described, kDTypeCount);
  EXPECT_EQ(members, sets);
}

TEST(DType, RefusesWhatHasNoAnswer) {
  EXPECT_THROW(least_upper_dtype(std::span<const DType>()), GraphError);
  EXPECT_THROW(finfo(DType::int32), GraphError);
  EXPECT_EQ(finfo(DType::bfloat16).mantissa, 7);
  EXPECT_FALSE(dtype_from_name("float"));
}

TEST(DTypeSet, IteratesInOrder) {
  const DTypeSet set{DType::float64, DType::bool_, DType::int32};
  EXPECT_EQ(std::vector<DType>(set.begin(), set.end()),
            (std::vector<DType>{DType::bool_, DType::int32, DType::float64}));
}

}  // namespace
}  // namespace rangescope
