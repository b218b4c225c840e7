#include "engine/ir/int.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <thread>

#include "tests/ir/expected_rows.h"

namespace rangescope {
namespace {

using Unary = std::function<Scalar(Int)>;
using Binary = std::function<Scalar(Int, Int)>;

const std::map<std::string, Unary> kUnary = {
    {"neg", [](Int a) { return -a; }},
    {"invert", [](Int a) { return ~a; }},
    {"abs", [](Int a) { return abs(a); }},
    {"bits", [](Int a) { return a.bit_length(); }},
    {"float", [](Int a) { return a.to_double(); }},
    {"reciprocal", [](Int a) { return reciprocal(a); }},
};

const std::map<std::string, Binary> kBinary = {
    {"add", [](Int a, Int b) { return a + b; }},
    {"sub", [](Int a, Int b) { return a - b; }},
    {"mul", [](Int a, Int b) { return a * b; }},
    {"floordiv", [](Int a, Int b) { return floordiv(a, b); }},
    {"floormod", [](Int a, Int b) { return floormod(a, b); }},
    {"cdiv", [](Int a, Int b) { return cdiv(a, b); }},
    {"cmod", [](Int a, Int b) { return cmod(a, b); }},
    {"and", [](Int a, Int b) { return a & b; }},
    {"or", [](Int a, Int b) { return a | b; }},
    {"xor", [](Int a, Int b) { return a ^ b; }},
    {"shl", [](Int a, Int b) { return a << b; }},
    {"shr", [](Int a, Int b) { return a >> b; }},
    {"gcd", [](Int a, Int b) { return gcd(a, b); }},
    {"pow", [](Int a, Int b) { return pow(a, b); }},
    {"min", [](Int a, Int b) { return min(a, b); }},
    {"max", [](Int a, Int b) { return max(a, b); }},
    {"cmp", [](Int a, Int b) { return Scalar((a > b) - (a < b)); }},
};

TEST(Int, MatchesPython) {
  const auto rows = testing::expected_rows("int.tsv");
  ASSERT_GT(rows.size(), 5000u);
  for (const auto& row : rows) {
    const Int a = testing::parse(row[1]).as_int();
    const std::string got = testing::attempt([&] {
      return row.size() == 3 ? kUnary.at(row[0])(a) : kBinary.at(row[0])(a, testing::parse(row[2]).as_int());
    });
    EXPECT_EQ(got, row.back()) << testing::joined(row);
  }
}

TEST(Int, EqualValuesAreOneObject) {
  const Int a = Int::pow2(100) + 1;
  const Int b = Int::pow2(101) - Int::pow2(100) + 1;
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.hash(), b.hash());
  EXPECT_NE(a, a + 1);
  EXPECT_FALSE(a.to_int64());
  EXPECT_EQ((a - Int::pow2(100)).to_int64(), 1);  // comes back to the small form
  EXPECT_TRUE((Int::pow2(63) - 1).is_small());
  EXPECT_TRUE((-Int::pow2(63)).is_small());
  EXPECT_FALSE(Int::pow2(63).is_small());
  EXPECT_EQ(Int(uint64_t{1} << 63), Int::pow2(63));
  EXPECT_EQ(Int(~uint64_t{0}).low_bits(), ~uint64_t{0});
  EXPECT_EQ((-Int::pow2(64) - 1).low_bits(), ~uint64_t{0});
}

TEST(Int, ReadsDecimals) {
  for (const char* text : {"0", "-1", "9223372036854775808", "-170141183460469231731687303715884105729"}) {
    ASSERT_TRUE(Int::from_string(text)) << text;
    EXPECT_EQ(Int::from_string(text)->to_string(), text);
  }
  for (const char* text : {"", "-", "+1", "1.0", "0x1", "1 ", "--1"}) EXPECT_FALSE(Int::from_string(text)) << text;
  EXPECT_FALSE(Int::from_string(std::string(2500, '9')));  // beyond 8192 bits
  EXPECT_TRUE(Int::from_string(std::string(2460, '9')));
}

TEST(Int, RefusesWhatIsTooLarge) {
  const Int most = Int::pow2(8191) + (Int::pow2(8191) - 1);
  EXPECT_EQ(most.bit_length(), 8192);
  EXPECT_THROW(most + 1, GraphError);
  EXPECT_THROW(-most - 1, GraphError);
  EXPECT_THROW(most * most, GraphError);
  EXPECT_THROW(Int(1) << Int(8192), GraphError);
  EXPECT_THROW(Int(1) << Int::pow2(70), GraphError);
  EXPECT_THROW(pow(Int(3), Int::pow2(70)), GraphError);
  EXPECT_EQ(pow(Int(-1), Int::pow2(70) + 1), Int(-1));
  EXPECT_EQ(Int(0) << Int::pow2(70), Int(0));
  EXPECT_EQ(Int(-5) >> Int::pow2(70), Int(-1));
}

TEST(Int, DividesByMinusOneAtTheEdge) {
  const Int least = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(floordiv(least, -1), Int::pow2(63));
  EXPECT_EQ(cdiv(least, -1), Int::pow2(63));
  EXPECT_EQ(floormod(least, -1), Int(0));
  EXPECT_EQ(cmod(least, -1), Int(0));
  EXPECT_EQ(floordiv(Int(7), -1), Int(-7));
}

TEST(Int, ConvertsFromDoubles) {
  EXPECT_EQ(Int::from_double(-2.9), Int(-2));
  EXPECT_EQ(Int::from_double(0x1p63), Int::pow2(63));
  EXPECT_EQ(Int::from_double(-0x1p1000), -Int::pow2(1000));
  EXPECT_THROW(Int::from_double(std::nan("")), GraphError);
  EXPECT_THROW(Int::from_double(HUGE_VAL), GraphError);
}

TEST(Int, ThreadsShareThePool) {
  std::vector<Int> got(8);
  std::vector<std::thread> threads;
  threads.reserve(got.size());
  for (Int& result : got) {
    threads.emplace_back([&result] {
      for (int i = 0; i < 500; ++i) result = Int::pow2(64 + i % 50) + i;
    });
  }
  for (auto& thread : threads) thread.join();
  for (const Int& value : got) EXPECT_EQ(value, got[0]);
}

}  // namespace
}  // namespace rangescope
