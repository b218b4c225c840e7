#include "engine/ir/small_vector.h"

#include <gtest/gtest.h>

#include <random>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

namespace rangescope {
namespace {

using Small = SmallVector<int, 4>;

std::vector<int> values(const Small& v) {
  return {v.begin(), v.end()};
}

TEST(SmallVector, DoesWhatAVectorDoes) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](size_t n) { return static_cast<std::ptrdiff_t>(random() % n); };
    Small v;
    std::vector<int> expected;
    for (int step = 0; step < 60; ++step) {
      const auto value = static_cast<int>(random() % 10);
      const std::ptrdiff_t at = below(v.size() + 1);
      switch (random() % 9) {
        case 0:
        case 1:
          v.push_back(value);
          expected.push_back(value);
          break;
        case 2:
          EXPECT_EQ(*v.insert(v.begin() + at, value), value);
          expected.insert(expected.begin() + at, value);
          break;
        case 3: {
          const std::vector<int> more(random() % 5, value);
          v.insert(v.begin() + at, more.begin(), more.end());
          expected.insert(expected.begin() + at, more.begin(), more.end());
          break;
        }
        case 4: {
          const std::ptrdiff_t count = below(v.size() - static_cast<size_t>(at) + 1);
          v.erase(v.begin() + at, v.begin() + at + count);
          expected.erase(expected.begin() + at, expected.begin() + at + count);
          break;
        }
        case 5:
          v.resize(random() % 12, value);
          expected.resize(v.size(), value);
          break;
        case 6:
          erase_if(v, [&](int x) { return x == value; });
          std::erase(expected, value);
          break;
        case 7: {
          Small moved = std::move(v);
          v = Small(2, value);
          v = std::move(moved);
          break;
        }
        default: {
          const Small copy = v;
          v.clear();
          v = copy;
          EXPECT_EQ(v, copy);
        }
      }
      ASSERT_EQ(values(v), expected) << "seed " << seed << " step " << step;
    }
  }
}

TEST(SmallVector, AnElementOfItsOwnCanBeAdded) {
  Small v{1, 2, 3, 4};
  v.push_back(v.front());  // grows
  v.insert(v.begin(), v.back());
  EXPECT_EQ(values(v), (std::vector<int>{1, 1, 2, 3, 4, 1}));
}

TEST(SmallVector, WhatWasMovedFromIsEmptyAndOfUse) {
  for (const size_t size : {2U, 20U}) {
    Small v(size, 7);
    const Small taken = std::move(v);
    EXPECT_EQ(taken.size(), size);
    EXPECT_TRUE(v.empty());  // NOLINT(bugprone-use-after-move): that is what is tested
    v.push_back(1);
    EXPECT_EQ(values(v), std::vector<int>{1});
  }
}

TEST(SmallVector, IsASpanAndRefusesWhatIsBeyond) {
  const Small v{1, 2, 3};
  EXPECT_EQ(std::span<const int>(v).size(), 3U);
  EXPECT_EQ(v.at(2), 3);
  EXPECT_THROW(std::ignore = v.at(3), std::out_of_range);
}

}  // namespace
}  // namespace rangescope
