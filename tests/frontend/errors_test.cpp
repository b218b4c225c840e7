// What does not fit is refused with words for whoever wrote it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "engine/frontend/tensor.h"

namespace rangescope::frontend {
namespace {

using ::testing::HasSubstr;

TEST(Errors, AreMessagesForAPerson) {
  const auto c = Context::create();
  const Tensor a = c->empty({2, 3}), i = c->empty({2}, {.dtype = DType::int32}), b = c->empty({4, 5});
  const std::pair<std::function<void()>, const char*> cases[] = {
      {[&] {
         (void)a.reshape({4, 2});
       },
       "the number of elements differs"},
      {[&] { (void)a.matmul(b); }, "a matrix product of"},
      {[&] { (void)(a + b); }, ""},
      {[&] { (void)a.sum(2); }, "axis 2 is out of range for a tensor of shape"},
      {[&] {
         (void)a.sum(Axes{0, 0});
       },
       "each axis at most once"},
      {[&] { (void)a.at({int64_t{2}}); }, "index 2 is out of bounds for an axis of 2"},
      {[&] { (void)a.at({a}); }, "cannot index"},
      {[&] {
         (void)a.at({int64_t{0}, int64_t{0}, int64_t{0}});
       },
       "3 indices for a tensor of 2 axes"},
      {[&] {
         (void)a.at({Slice{{}, {}, 0}});
       },
       "step of 0"},
      {[&] { (void)i.pow(-1); }, "cast the base to a float"},
      {[&] { (void)a.cat({b}); }, "cannot join"},
      {[&] {
         (void)a.split(Ints{1, 2});
       },
       "sizes that sum to 2"},
      {[&] {
         (void)a.pad({{1, 1}});
       },
       "one pair an axis"},
      {[&] {
         (void)a.pad({{5, 0}, {0, 0}}, "reflect");
       },
       "reflecting"},
      {[&] {
         (void)a.pad({{1, 0}, {0, 0}}, "mirror");
       },
       "\"mirror\" is not known"},
      {[&] { (void)a.conv2d(b); }, "3 at least"},
      {[&] {
         (void)c->empty({1, 3, 4, 4}).conv2d(c->empty({2, 2, 3, 3}));
       },
       "needs 2 input channels"},
      {[&] {
         (void)c->empty({1, 1, 2, 2}).conv2d(c->empty({1, 1, 3, 3}));
       },
       "is larger than the axis"},
      {[&] {
         (void)Tensor::einsum("ij,jk->iz", {a, b});
       },
       ""},
      {[&] { (void)a.gradient({a}); }, "needs a weight"},
      {[&] { (void)i.sum().gradient({i}); }, "only floats"},
      {[&] { (void)c->rand({2}, {.dtype = DType::int32}); }, "rand gives floats, not int32"},
      {[&] { (void)c->empty({-1}); }, "cannot hold -1"},
      {[&] {
         Tensor t = a;
         t.assign(i);
       },
       ""},
      {[&] {
         Tensor t = i;
         t.assign(c->empty({2}));
       },
       "cast the value"},
      {[&] { (void)HostArray::from_doubles(DType::float32, {2}, std::vector<double>{1}); }, "1 elements given"},
      {[&] { (void)a.gather(0, i); }, "needs an index of 2 axes"},
      {[&] { (void)a.topk(9); }, "topk of 9"},
      {[&] { (void)a.interpolate({2}, "cubic"); }, "there are linear"},
      {[&] { (void)a.rearrange("a b -> b c"); }, "must name the same axes"},
      {[&] {
         (void)a.expand({2, 4});
       },
       "cannot broadcast"},
      {[&] { (void)c->arange(Scalar(0), Scalar(5), Scalar(0)); }, "step other than 0"},
      {[&] {
         (void)Context::create()->empty({2, 3}).add(a);
       },
       "different sessions"},
  };
  size_t number = 0;
  for (const auto& [call, message] : cases) {
    const auto r = attempt([&call = call] { call(); });
    ASSERT_FALSE(r) << "case " << number;
    EXPECT_THAT(r.error().message, HasSubstr(message)) << "case " << number;
    ++number;
  }
}

}  // namespace
}  // namespace rangescope::frontend
