#include "engine/codegen/estimate.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "engine/ir/dim.h"
#include "engine/ir/program.h"
#include "engine/ir/traversal.h"
#include "engine/rewrite/driver.h"
#include "engine/symbolic/make_store.h"
#include "tests/codegen/kernel_param.h"

namespace rangescope::codegen {
namespace {

using testing::kernel_param;

Estimate must_estimate(UOp ast, bool optimise = true) {
  Settings settings;
  settings.noopt = !optimise;
  const Result<KernelProgram> p = generate(ast, {}, settings);
  if (!p) throw std::runtime_error(p.error().message);
  const Result<Estimate> e = estimate(p->linear);
  if (!e) throw std::runtime_error(e.error().message);
  return *e;
}

void expect_estimate(const Estimate& e, int64_t ops, int64_t access_bytes, int64_t bytes) {
  EXPECT_EQ(e.ops, Dim(ops));
  EXPECT_EQ(e.access_bytes, Dim(access_bytes));
  EXPECT_EQ(e.bytes, Dim(bytes));
}

TEST(Estimate, ElementwiseCountsEachElementOnce) {
  const auto store = symbolic::make_store();
  for (const bool optimise : {true, false}) {  // wide accesses and workgroups change nothing
    const UOp i = store->range(Dim(1024), 0);
    const UOp value = kernel_param(*store, 1, 1024).index({i}) * Scalar(2.0) + kernel_param(*store, 2, 1024).index({i});
    const UOp ast = kernel_param(*store, 0, 1024).index({i}).store_value(value).end({&i, 1}).sink(Arg(KernelInfo{}));
    expect_estimate(must_estimate(ast, optimise), 2048, 12288, 12288);
  }
}

// 8x16 times 16x4: each element of the product is 16 multiplications and additions.
TEST(Estimate, MatrixProductReadsAgainButReachesOnce) {
  const auto store = symbolic::make_store();
  const UOp i = store->range(Dim(8), 0), j = store->range(Dim(4), 1), k = store->range(Dim(16), 2, AxisType::REDUCE);
  const UOp product =
      kernel_param(*store, 1, 128).index({i * Scalar(16) + k}) * kernel_param(*store, 2, 64).index({k * Scalar(4) + j});
  const UOps outer{i, j};
  const UOp ast = kernel_param(*store, 0, 32)
                      .index({i * Scalar(4) + j})
                      .store_value(product.reduce_op({&k, 1}, Op::ADD))
                      .end(outer)
                      .sink(Arg(KernelInfo{}));
  const int64_t inner = 512;  // 8 x 4 x 16
  expect_estimate(must_estimate(ast, false), 2 * inner, (2 * inner + 32) * 4, 896);
}

TEST(Estimate, AddressesAreNoOperations) {
  const auto store = symbolic::make_store();
  const UOp i = store->range(Dim(64), 0);
  const UOp turned = kernel_param(*store, 1, 64).index({store->constant(63) - i});
  const UOp ast = kernel_param(*store, 0, 64).index({i}).store_value(turned).end({&i, 1}).sink(Arg(KernelInfo{}));
  expect_estimate(must_estimate(ast, false), 0, 512, 512);
}

TEST(Estimate, SymbolicSizeIsAnExpressionOfTheVariables) {
  const auto store = symbolic::make_store();
  const UOp n = store->variable("n", Scalar(1), Scalar(100), DType::weakint, true), i = store->range(n, 0);
  const UOp value = kernel_param(*store, 1, 100).index({i}) + Scalar(1.0);
  const UOp ast = kernel_param(*store, 0, 100).index({i}).store_value(value).end({&i, 1}).sink(Arg(KernelInfo{}));
  const Result<KernelProgram> p = generate(ast);
  ASSERT_TRUE(p) << p.error().message;
  const Result<Estimate> e = estimate(p->linear);
  ASSERT_TRUE(e) << e.error().message;
  EXPECT_FALSE(e->ops.is_int());
  EXPECT_EQ(size_for(e->ops, p->vars, {21}).value_or(-1), 21);
  EXPECT_EQ(size_for(e->bytes, p->vars, {21}).value_or(-1), 2 * 21 * 4);
}

TEST(Estimate, WhatDoesNotFitIsAnError) {
  const auto store = symbolic::make_store();
  const UOp a = store->range(Dim(int64_t{1} << 40), 0), b = store->range(Dim(int64_t{1} << 40), 1);
  const UOp one = store->constant(Scalar(1.0f), DType::float32);
  const Result<Estimate> e = estimate({a.src(0), a, b, one, store->make(Op::EXP2, {one})});
  ASSERT_FALSE(e);
  EXPECT_NE(e.error().message.find("64 bits"), std::string::npos) << e.error().message;
}

// ** against the reference, over the golden kernels

// By suite: place of the kernel in its file -> the three counts, with a * where they are of the largest values of the
// variables.
std::map<std::string, std::map<int, std::string>> recorded() {
  std::map<std::string, std::map<int, std::string>> rows;
  std::ifstream in(RANGESCOPE_SOURCE_DIR "/tests/codegen/data/estimates.tsv");
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string suite;
    int place = 0;
    fields >> suite >> place >> std::ws;
    std::getline(fields, rows[suite][place]);
  }
  return rows;
}

std::string counted(const Dim& d) {
  if (d.is_int()) return std::to_string(d.value);
  NodeMap map;
  for (const UOp u : toposort(d.sym))
    if (u.is(Op::PARAM)) map.set(u, u.const_like(u.vmax()));
  return to_string(substitute(d.sym, map).ssimplify()) + "*";
}

int compare_suite(const std::string& suite, const std::map<int, std::string>& rows) {
  Result<ProgramReader> reader =
      ProgramReader::open(std::string(RANGESCOPE_GOLDEN_DIR) + "/codegen/" + suite + ".jsonl.gz");
  if (!reader) throw std::runtime_error(reader.error().message);
  int kernels = 0;
  std::string line;
  for (int i = 0; reader->next_line(line).value_or(false); ++i) {
    const auto row = rows.find(i);
    if (row == rows.end()) continue;
    const auto store = symbolic::make_store();
    const Result<Program> p = read_program(line, *store);
    if (!p) throw std::runtime_error(p.error().message);
    const Result<Estimate> e = estimate(*p->linear);
    if (!e) throw std::runtime_error(e.error().message);
    EXPECT_EQ(counted(e->ops) + "\t" + counted(e->access_bytes) + "\t" + counted(e->bytes), row->second)
        << suite << " " << i;
    ++kernels;
  }
  return kernels;
}

TEST(Estimate, AgreesWithTheReference) {
  int kernels = 0;
  for (const auto& [suite, rows] : recorded()) kernels += compare_suite(suite, rows);
  EXPECT_EQ(kernels, 480);
}

}  // namespace
}  // namespace rangescope::codegen
