#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "engine/codegen/axis.h"
#include "engine/codegen/fast_division.h"
#include "engine/codegen/kernel_name.h"
#include "engine/codegen/linearize.h"
#include "engine/codegen/pipeline.h"
#include "engine/ir/call.h"
#include "engine/rewrite/driver.h"
#include "engine/symbolic/make_store.h"

namespace rangescope::codegen {
namespace {

using ::testing::ElementsAre;

TEST(ForEachIndex, LastDimensionIsFastest) {
  std::vector<std::vector<int64_t>> seen;
  const std::vector<int64_t> sizes{2, 3};
  for_each_index(sizes, [&](std::span<const int64_t> at) { seen.emplace_back(at.begin(), at.end()); });
  EXPECT_THAT(seen, ElementsAre(ElementsAre(0, 0), ElementsAre(0, 1), ElementsAre(0, 2), ElementsAre(1, 0),
                                ElementsAre(1, 1), ElementsAre(1, 2)));
}

TEST(ForEachIndex, ScalarHasOneIndexAndAnEmptyBoxNone) {
  int scalar = 0, empty = 0;
  for_each_index({}, [&](std::span<const int64_t>) { ++scalar; });
  const std::vector<int64_t> none{3, 0};
  for_each_index(none, [&](std::span<const int64_t>) { ++empty; });
  EXPECT_EQ(scalar, 1);
  EXPECT_EQ(empty, 0);
}

TEST(MagicDivision, EqualsDivisionUpToTheLimit) {
  for (const int64_t limit : {1, 7, 100, 1000})
    for (int64_t d = 1; d <= std::min<int64_t>(limit, 40); ++d) {
      const auto [m, s] = magic_division(Int(limit), Int(d));
      for (int64_t x = 0; x <= limit; ++x)
        ASSERT_EQ((Int(x) * m) >> Int(s), Int(x / d)) << x << " / " << d << " up to " << limit;
    }
}

TEST(KernelName, ColoursAndTheirRemoval) {
  EXPECT_EQ(colored("8", "blue"), "\x1b[34m8\x1b[0m");
  EXPECT_EQ(colored("_", "BLACK"), "\x1b[90m_\x1b[0m");
  EXPECT_EQ(plain_name("r" + colored("_", "BLACK") + colored("(p1+4)", "red")), "r_28p12B429");
}

// out[i] = a[i] + 1 over `size` elements, as the scheduler leaves it.
UOp add_one_kernel(Store& store, const Dim& size) {
  const UOp range = store.range(size, 0);
  const auto buffer = [&](int64_t slot) {
    ParamArg p;
    p.slot = slot;
    p.dtype = DType::float32;
    return store.make(Op::PARAM, {store.constant(4096)}, Arg(p));
  };
  const UOp sum = buffer(1).index({range}) + Scalar(1.0);
  return buffer(0).index({range}).store_value(sum).end({&range, 1}).sink(Arg(KernelInfo{}));
}

KernelProgram must_generate(UOp ast, const Settings& settings = {}) {
  Result<KernelProgram> r = generate(ast, {}, settings);
  if (!r) throw std::runtime_error(r.error().message);
  return *r;
}

TEST(Generate, NamesAndLaunchesAsTheReferenceDoes) {
  const auto store = symbolic::make_store();
  const KernelProgram p = must_generate(add_one_kernel(*store, 1024));
  EXPECT_EQ(plain_name(p.name), "E_8_32_4");
  EXPECT_EQ(p.global_size, (std::array<Dim, 3>{8, 1, 1}));
  EXPECT_EQ(p.local_size, (std::array<Dim, 3>{32, 1, 1}));
  EXPECT_THAT(p.globals, ElementsAre(0, 1));
  EXPECT_THAT(p.outs, ElementsAre(0));
  EXPECT_THAT(p.ins, ElementsAre(1));
  EXPECT_EQ(p.linear.back(), p.sink);
}

TEST(Generate, AKernelWhoseDtypesDoNotAgreeIsRefused) {
  const auto store = symbolic::make_store();
  UOp ast = add_one_kernel(*store, 1024);
  const UOp stored = ast.src(0).src(0).src(1);
  ASSERT_TRUE(stored.is(Op::ADD));
  const UOp wrong = stored.with_srcs({stored.src(0), store->constant(Scalar(1.0), DType::float16)});
  ast = substitute(ast, std::array{std::pair{stored, wrong}});
  const Result<KernelProgram> r = generate(ast, {}, {});
  ASSERT_FALSE(r);
  EXPECT_THAT(r.error().message, ::testing::HasSubstr("does not allow ADD"));
}

TEST(Generate, WithoutOptimisationEachElementIsAnInvocation) {
  const auto store = symbolic::make_store();
  Settings settings;
  settings.noopt = true;
  const KernelProgram p = must_generate(add_one_kernel(*store, 1000), settings);
  EXPECT_EQ(plain_name(p.name), "E_1000");
  EXPECT_EQ(p.global_size[0], Dim(1000));
}

TEST(Generate, LargeDimensionsAreSplit) {
  const auto store = symbolic::make_store();
  Settings settings;
  settings.noopt = true;
  const KernelProgram p = must_generate(add_one_kernel(*store, 200000), settings);
  EXPECT_LE(p.global_size[0].value, 65535);
  EXPECT_EQ(p.global_size[0].value * p.global_size[1].value * p.global_size[2].value, 200000);
  // a prime number of workgroups has no such split
  EXPECT_FALSE(generate(add_one_kernel(*store, 200003), {}, settings));
}

TEST(Generate, SymbolicSizesAreComputedFromVariables) {
  const auto store = symbolic::make_store();
  const UOp n = store->variable("n", Scalar(1), Scalar(100), DType::weakint, true);
  const KernelProgram p = must_generate(add_one_kernel(*store, n * Scalar(2)));
  ASSERT_EQ(p.vars.size(), 1U);
  const Result<int64_t> size = size_for(p.global_size[0], p.vars, {21});
  ASSERT_TRUE(size) << size.error().message;
  EXPECT_EQ(*size, 42);
  EXPECT_FALSE(size_for(p.global_size[0], p.vars, {}));
}

TEST(Generate, RefusesWhatIsNoKernel) {
  const auto store = symbolic::make_store();
  const Result<KernelProgram> r = generate(store->constant(1).sink());
  ASSERT_FALSE(r);
  EXPECT_THAT(r.error().message, ::testing::HasSubstr("kernel info"));
}

TEST(AddGates, GatedStoreIsInsideAnIf) {
  const auto store = symbolic::make_store();
  ParamArg arg;
  arg.dtype = DType::float32;
  const UOp buf = store->make(Op::PARAM, {store->constant(4)}, Arg(arg));
  const UOp index = buf.index({store->constant(0)}),
            gate = store->variable("b", Scalar(false), Scalar(true), DType::bool_);
  const UOp st = index.store_value(store->constant(Scalar(1.0)), gate);
  const UOps ops = add_gates({buf, index, gate, st});
  ASSERT_EQ(ops.size(), 6U);
  EXPECT_EQ(ops[3].op(), Op::IF);
  EXPECT_EQ(ops[4].op(), Op::STORE);
  EXPECT_EQ(ops[4].src_count(), 2U);
  EXPECT_EQ(ops[5].op(), Op::ENDIF);
}

}  // namespace
}  // namespace rangescope::codegen
