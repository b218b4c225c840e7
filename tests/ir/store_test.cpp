#include "engine/ir/store.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <fstream>

#include "engine/ir/json.h"
#include "engine/ir/program.h"
#include "engine/ir/text.h"
#include "engine/ir/traversal.h"
#include "tests/ir/expected_rows.h"

namespace rangescope {
namespace {

TEST(Store, EqualFieldsAreOneNode) {
  Store s;
  const UOp one = s.make(Op::CONST, DType::weakint, {}, Arg(1));
  EXPECT_EQ(s.make(Op::CONST, DType::weakint, {}, Arg(1)), one);
  const UOp different[] = {
      one,
      s.make(Op::CONST, DType::weakint, {}, Arg(true)),
      s.make(Op::CONST, DType::weakint, {}, Arg(Scalar(1.0))),
      s.make(Op::CONST, DType::int32, {}, Arg(1)),
      s.make(Op::CONST, DType::weakint, {}, Arg(1), Arg(1)),
      s.make(Op::CONST, DType::weakint, {}, Arg(1), Arg(true)),
      s.make(Op::CONST, DType::weakint, {}, Arg(1), Arg("1")),
      s.make(Op::NOOP, DType::weakint, {}, Arg(1)),
      s.make(Op::CONST, DType::weakint, {one}, Arg(1)),
      s.make(Op::CONST, DType::weakint, {one, one}, Arg(1)),
      s.make(Op::CONST, DType::float32, {}, Arg(Scalar(0.0))),
      s.make(Op::CONST, DType::float32, {}, Arg(Scalar(-0.0))),
      s.make(Op::CONST, DType::float32, {}, Arg(Scalar(std::nan("")))),
  };
  for (const UOp& a : different)
    for (const UOp& b : different) EXPECT_EQ(a == b, &a == &b) << a.id() << " " << b.id();
  EXPECT_EQ(s.make(Op::CONST, DType::float32, {}, Arg(Scalar(std::nan("")))), different[12]);
}

TEST(Store, IdsAreDenseInCreationOrder) {
  Store s;
  for (int i = 0; i < 5000; ++i) {
    const UOp u = s.constant(i);
    EXPECT_EQ(u.id(), static_cast<uint32_t>(i));
    EXPECT_EQ(s.at(u.id()), u);
  }
  for (int i = 0; i < 5000; ++i) EXPECT_EQ(s.constant(i).id(), static_cast<uint32_t>(i));
  EXPECT_EQ(s.node_count(), 5000u);
}

TEST(Store, ArgumentsAndShapesAreShared) {
  Store s;
  EXPECT_EQ(s.intern(Arg("x")), s.intern(Arg("x")));
  EXPECT_NE(s.intern(Arg(1)), s.intern(Arg(true)));
  EXPECT_EQ(s.intern(Arg()), &Arg::none());
  EXPECT_EQ(s.intern(Shape{2, 3}), s.intern(Shape{2, 3}));
  EXPECT_NE(s.intern(Shape{2, 3}), s.intern(Shape{3, 2}));
}

TEST(Store, MetadataIsNoPartOfIdentity) {
  Store s;
  const UOp u = s.constant(1);
  EXPECT_EQ(s.metadata(u), nullptr);
  s.set_metadata(u, {"matmul", "model.py:3"});
  EXPECT_EQ(s.constant(1), u);
  EXPECT_EQ(s.metadata(s.constant(1))->name, "matmul");
  EXPECT_EQ(s.metadata(u.with_tag(Arg(1))), nullptr);
}

TEST(Store, ExtensionsAreOnePerType) {
  Store a, b;
  struct Cache {
    int value = 7;
  };
  a.extension<Cache>().value = 8;
  EXPECT_EQ(a.extension<Cache>().value, 8);
  EXPECT_EQ(b.extension<Cache>().value, 7);
}

TEST(Marks, AreEmptyEachTime) {
  Store s;
  const UOp u = s.constant(1);
  for (int i = 0; i < 3; ++i) {
    Marks marks(s), others(s);
    EXPECT_FALSE(marks.contains(u));
    EXPECT_TRUE(marks.insert(u));
    EXPECT_FALSE(marks.insert(u));
    EXPECT_FALSE(others.contains(u));
    marks.erase(u);
    EXPECT_FALSE(marks.contains(u));
  }
}

TEST(Toposort, SourcesFirstLeftToRight) {
  Store s;
  const UOp a = s.constant(1), b = s.constant(2), c = s.constant(3);
  const UOp ab = s.make(Op::ADD, DType::weakint, {b, a});
  const UOp root = s.make(Op::MULACC, DType::weakint, {c, ab, a});
  EXPECT_EQ(toposort(root), (UOps{c, b, a, ab, root}));
  EXPECT_EQ(toposort(root, [&](UOp u) { return u != ab; }), (UOps{c, a, root}));
  const UOp call = s.make(Op::CALL, DType::void_, {s.sink(std::array{ab}), c}, Arg(CallInfo{}));
  EXPECT_EQ(toposort(call, false), (UOps{c, call}));
  EXPECT_TRUE(root.in_backward_slice(a));
  EXPECT_FALSE(ab.in_backward_slice(c));
  EXPECT_EQ(root.backward_slice_size(), 4u);
}

TEST(Tuplize, OrderIsTheReferences) {
  // file, line, node, node, -1 0 1 or ! where the reference cannot compare them
  std::string name, text;
  std::optional<LineReader> input;
  std::optional<Store> store;
  UOps nodes;
  size_t count = 0;
  for (const auto& row : testing::expected_rows("tuplize.tsv")) {
    ASSERT_EQ(row.size(), 5u);
    const size_t line = std::stoul(row[1]);
    if (!input || name != row[0] || input->line_number() != line) {
      name = row[0];
      auto opened = LineReader::open(RANGESCOPE_GOLDEN_DIR "/" + name);
      ASSERT_TRUE(opened) << opened.error().message;
      input = std::move(*opened);
      while (input->line_number() < line) ASSERT_TRUE(*input->next(text));
      store.emplace();
      nodes = read_program(text, *store).value().nodes;
    }
    const UOp a = nodes.at(std::stoul(row[2])), b = nodes.at(std::stoul(row[3]));
    const auto compare = [](UOp x, UOp y) -> std::string {
      try {
        return std::to_string(compare_tuplize(x, y));
      } catch (const GraphError&) {
        return "!";
      }
    };
    EXPECT_EQ(compare(a, b), row[4]) << testing::joined(row);
    const std::string reversed = row[4] == "-1" ? "1" : row[4] == "1" ? "-1" : row[4];
    EXPECT_EQ(compare(b, a), reversed) << testing::joined(row);
    ++count;
  }
  EXPECT_GT(count, 2000u);
}

TEST(Tuplize, TagsDoNotCountAndSharingCostsNothing) {
  Store s;
  UOp a = s.constant(1), b = a.with_tag(Arg("t"));
  for (int i = 0; i < 20000; ++i) {
    a = s.make(Op::ADD, DType::weakint, {a, a});
    b = s.make(Op::ADD, DType::weakint, {b, b});
  }
  EXPECT_NE(a, b);
  EXPECT_EQ(compare_tuplize(a, b), 0);
}

ParamArg buffer_arg(DType dtype) {
  ParamArg p;
  p.dtype = dtype;
  p.device = Device::single("CPU");
  return p;
}

// 200,000 nodes on top of each other: nothing may recurse.
class DeepGraph : public ::testing::Test {
 protected:
  static constexpr int kDepth = 200'000;
  template <class F>
  UOp chain(UOp u, F next, int depth = kDepth) {
    for (int i = 0; i < depth; ++i) u = next(u, i);
    return u;
  }
  Store s;
};

TEST_F(DeepGraph, PropertiesOfArithmetic) {
  const UOp r = s.range(Dim(1), 0);
  const UOp u = chain(r, [&](UOp x, int) { return s.make(Op::ADD, DType::weakint, {x, s.constant(1)}); });
  EXPECT_EQ(u.shape(), Shape());
  EXPECT_EQ(u.ranges(), (Ranges{r}));
  EXPECT_EQ(u.vmax(), Scalar(kDepth));
  EXPECT_TRUE(u.device().is_none());
  EXPECT_EQ(u.addrspace(), AddrSpace::ALU);
  EXPECT_EQ(u.axis(), std::nullopt);
  EXPECT_EQ(u.base(), u);
  EXPECT_EQ(u.const_factor(), Int(1));
  EXPECT_EQ(u.divides(Int(2)), UOp());
  EXPECT_EQ(u.split(Op::ADD).size(), static_cast<size_t>(kDepth) + 1);
  EXPECT_EQ(toposort(u).size(), static_cast<size_t>(kDepth) + 2);
  EXPECT_EQ(u.backward_slice_size(), static_cast<size_t>(kDepth) + 1);
  EXPECT_TRUE(u.in_backward_slice(r));
  EXPECT_EQ(short_label(u), "...+1+1+1+1+1+1+1+1+1+1+1+1");
  EXPECT_EQ(render_as_is(u).size(), 2 * static_cast<size_t>(kDepth) + 4);
  EXPECT_THROW(pretty_print(u, size_t{1} << 20), GraphError);
  EXPECT_EQ(compare_tuplize(u, u.with_tag(Arg(1))), 0);

  NodeTable table;
  table.add(u);
  std::string json;
  table.append_json(json);
  Store other;
  EXPECT_EQ(read_nodes(json, other).value().size(), static_cast<size_t>(kDepth) + 2);
}

TEST_F(DeepGraph, PropertiesOfMovement) {
  const ParamArg buffer = buffer_arg(DType::float32);
  const UOp p = s.make(Op::PARAM, {s.shape_arg(Shape{2, 3})}, Arg(buffer));
  const UOp u = chain(p, [&](UOp x, int i) {
    return s.make(Op::PERMUTE, {x}, Arg(Arg::Tuple{Arg(1), Arg(0)}), i == 0 ? Arg("bottom") : Arg());
  });
  EXPECT_EQ(u.shape(), (Shape{2, 3}));
  EXPECT_EQ(u.base(), p);
  EXPECT_EQ(u.buf_uop(), p);
  EXPECT_EQ(u.device(), Device::single("CPU"));
  EXPECT_EQ(u.addrspace(), AddrSpace::GLOBAL);
  EXPECT_EQ(u.axis(), std::nullopt);
  EXPECT_FALSE(u.has_buffer_identity());
  EXPECT_EQ(short_label(u), "....permute.permute.permute.permute.permute.permute.permu...");
}

TEST_F(DeepGraph, Factors) {
  const UOp a = s.variable("a", Scalar(0), Scalar(9)), six = s.constant(6), a6 = a * six;
  const UOp sum = chain(a6, [&](UOp x, int) { return s.make(Op::ADD, DType::weakint, {a6, x}); });
  EXPECT_EQ(sum.const_factor(), Int(6));
  const UOp third = sum.divides(Int(3));
  ASSERT_TRUE(third);
  EXPECT_EQ(third.const_factor(), Int(2));
  EXPECT_EQ(sum.divides(Int(4)), UOp());
  EXPECT_EQ(sum.divide_exact(a).divides(Int(6)).src(0), s.constant(1));
  const UOp product = chain(six, [&](UOp x, int) { return s.make(Op::MUL, DType::weakint, {a, x}); });
  EXPECT_EQ(product.divides(Int(4)), UOp());
  EXPECT_TRUE(product.divides(Int(3)));
}

TEST(Factors, SharedPartsAreAskedOnce) {
  Store s;
  UOp sum = s.variable("a", Scalar(0), Scalar(9)) * s.constant(6);
  for (int i = 0; i < 500; ++i) sum = s.make(Op::ADD, DType::weakint, {sum, sum});
  EXPECT_EQ(sum.const_factor(), Int(6));
  EXPECT_TRUE(sum.divides(Int(2)));
  EXPECT_FALSE(sum.divides(Int(5)));
}

TEST_F(DeepGraph, BuffersOnSeveralDevices) {
  ParamArg arg = buffer_arg(DType::int32);
  arg.device = Device::tuple({"A", "B"});
  const UOp p = s.make(Op::PARAM, {s.shape_arg(Shape{8})}, Arg(arg));
  const UOp u = chain(
      p,
      [&](UOp x, int) {
        const UOp one = s.make(Op::MSELECT, {x}, Arg(0));
        return s.make(Op::MSTACK, {one.after({s.sink({})}), one});
      },
      kDepth / 4);
  EXPECT_EQ(u.buf_uop().buf_uop(), u.buf_uop());  // the AFTERs are gone
  EXPECT_FALSE(u.buf_uop().below_ops().contains(Op::AFTER));
  EXPECT_EQ(u.shape(), Shape{8});
  EXPECT_EQ(u.device(), Device::tuple({"A", "A"}));
}

TEST_F(DeepGraph, RangesAndEnds) {
  const ParamArg buffer = buffer_arg(DType::int32);
  const UOp p = s.make(Op::PARAM, {s.shape_arg(Shape{8})}, Arg(buffer));
  const UOp u = chain(
      p,
      [&](UOp x, int i) {
        const UOp r = s.range(Dim(8), i);
        return x.after({p.index({r}).store_value(s.constant(i).cast(DType::int32)).end(std::array{r})});
      },
      kDepth / 4);
  EXPECT_TRUE(u.ranges().empty());
  EXPECT_EQ(u.ended_ranges().size(), 1u);
  EXPECT_EQ(u.buf_uop(), p);
  EXPECT_EQ(u.shape(), Shape{8});
  EXPECT_EQ(short_label(u), "...");
  EXPECT_EQ(render_as_is(u), "p0");
}

struct KnowsNodes {
  UOp last;
};
struct KnowsNone {
  static constexpr bool kOutlivesNodes = true;
  int settings = 0;
};

TEST(KeepOnly, WhatIsKeptIsTheSameGraphAndTheRestIsGone) {
  Store s;
  const UOp gone = s.variable("gone", Scalar(0), Scalar(3));
  const UOp a = s.variable("a", Scalar(0), Scalar(9)), r = s.range(Dim(8), 0);
  const UOp sum = s.make(Op::ADD, DType::weakint, {a, r}, Arg::none(), Arg("tag"));
  s.set_metadata(sum, {"add", "script.py:3"});
  s.set_metadata(gone, {"gone", "script.py:1"});
  Program before;
  before.root = s.sink(std::array{sum, sum * s.constant(3), s.make(Op::MUL, DType::weakint, {a, a})});
  const UOp other = s.make(Op::ADD, DType::weakint, {r, a});
  s.extension<KnowsNodes>().last = gone;
  s.extension<KnowsNone>().settings = 5;
  EXPECT_FALSE((sum + gone).ranges().empty());
  const std::string text = to_json(before), other_text = render_as_is(other);
  const uint32_t count = s.node_count();

  const UOps kept = s.keep_only(std::array{before.root, other, before.root});
  ASSERT_EQ(kept.size(), 3u);
  EXPECT_EQ(kept[0], kept[2]);
  Program after;
  after.root = kept[0];
  EXPECT_EQ(to_json(after), text);
  EXPECT_EQ(render_as_is(kept[1]), other_text);
  EXPECT_LT(s.node_count(), count);
  EXPECT_EQ(s.extension<KnowsNodes>().last, UOp());
  EXPECT_EQ(s.extension<KnowsNone>().settings, 5);

  const UOp kept_sum = kept[0].src(0);
  EXPECT_EQ(kept_sum.tag(), Arg("tag"));
  ASSERT_NE(s.metadata(kept_sum), nullptr);
  EXPECT_EQ(s.metadata(kept_sum)->location, "script.py:3");
  EXPECT_EQ(&kept_sum.store(), &s);
  EXPECT_EQ(kept_sum.ranges().size(), 1u);
  EXPECT_EQ(kept_sum.vmax(), Scalar(16));
  // found again, not made twice
  EXPECT_EQ(s.make(Op::ADD, DType::weakint, {kept_sum.src(0), kept_sum.src(1)}, Arg::none(), Arg("tag")), kept_sum);
  for (uint32_t id = 0; id < s.node_count(); ++id)
    for (const UOp src : s.at(id).srcs()) EXPECT_LT(src.id(), id);
}

TEST(KeepOnly, TimeAndAgain) {
  Store s;
  UOp sum = s.variable("a", Scalar(0), Scalar(9));
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 500; ++i) (void)(sum + s.range(Dim(i + 2), i)).ranges();
    sum = s.keep_only(std::array{sum + s.range(Dim(2), round)})[0];
    ASSERT_EQ(sum.ranges().size(), static_cast<size_t>(round) + 1);
  }
  EXPECT_LT(s.node_count(), 200u);
}

TEST(Store, AnyNodeFindsItsStore) {
  Store s, t;
  UOps many;
  for (int i = 0; i < 30000; ++i) many.push_back(s.constant(i));
  for (const size_t n : {1U, 8000U, 8191U, 8192U, 30000U}) {  // around what a block holds
    const UOp big = s.sink(std::span(many).first(n)), small = s.sink(std::array{big});
    EXPECT_EQ(&big.store(), &s);
    EXPECT_EQ(&small.store(), &s);
    EXPECT_EQ(big.src(n - 1), many[n - 1]);
  }
  EXPECT_EQ(&t.constant(1).store(), &t);
}

}  // namespace
}  // namespace rangescope
