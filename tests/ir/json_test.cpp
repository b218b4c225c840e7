#include "engine/ir/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "engine/ir/json_reader.h"
#include "engine/ir/store.h"

namespace rangescope {
namespace {

using ::testing::HasSubstr;

// Every kind of argument, as the corpus writes it.
constexpr const char* kArgs[] = {
    "null",
    "true",
    "false",
    "0",
    "-7",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "18446744073709551615",
    "-340282366920938463463374607431768211456",
    "1.0",
    "-0.0",
    "0.1",
    "5e-324",
    "1.7976931348623157e+308",
    R"({"float":"nan"})",
    R"({"float":"inf"})",
    R"({"float":"-inf"})",
    R"({"invalid":1})",
    R"("CPU")",
    R"("a \"quoted\" \\ line\u000a\u001b[31m, ä")",
    R"({"op":"ADD"})",
    R"({"dtype":"float32"})",
    R"({"axis":"REDUCE"})",
    R"({"addrspace":"LOCAL"})",
    R"({"bytes":"00ff7f"})",
    R"({"bytes":""})",
    R"({"param":{"slot":3,"dtype":"int32"}})",
    R"({"param":{"slot":-1,"dtype":"weakint","vmin_vmax":[0,8],"multiple_of":1,"name":"a","addrspace":{"addrspace":"ALU"}}})",
    R"({"param":{"slot":0,"dtype":"float32","vmin_vmax":[{"float":"-inf"},1.5],"addrspace":null,"axis":1,"device":["A","B"],"volatile":true}})",
    R"({"param":{"slot":0,"dtype":"float32","device":"CPU:1"}})",
    R"({"stage":{"device":null,"addrspace":"GLOBAL","removable":true}})",
    R"({"stage":{"device":"CPU","addrspace":"LOCAL","removable":false}})",
    R"({"stage":{"device":["A","B"],"addrspace":"GLOBAL","removable":true}})",
    R"({"stage":{"device":2,"addrspace":"LOCAL","removable":true}})",
    R"({"kernel":{"name":"test"}})",
    R"({"kernel":{"name":"r_4","axis_types":["GLOBAL","REDUCE"],"dont_use_locals":true,"applied_opts":[{"opt":["UPCAST",0,4]}],"opts_to_apply":[]}})",
    R"({"call":{"name":null,"precompile":false,"precompile_backward":true}})",
    R"({"call":{"name":"f","precompile":true,"precompile_backward":false}})",
    R"({"opt":["NOLOCALS",null,null]})",
    R"({"opt":["TC",0,[-1,2,1]]})",
    "[]",
    R"([0,[1,true,"x"],{"axis":"LOOP"}])",
};

TEST(JsonArg, EveryKindIsWrittenAsItWasRead) {
  for (const char* text : kArgs) {
    const Result<Arg> a = read_arg(text);
    ASSERT_TRUE(a) << text << ": " << a.error().message;
    EXPECT_EQ(to_json(*a), text);
  }
}

TEST(JsonArg, DifferentTextsAreDifferentArguments) {
  for (const char* x : kArgs)
    for (const char* y : kArgs) EXPECT_EQ(*read_arg(x) == *read_arg(y), x == y) << x << " " << y;
}

TEST(JsonArg, NumbersAreExact) {
  EXPECT_EQ(read_arg("-0"), Arg(0));
  EXPECT_EQ(read_arg("1e2")->as<Scalar>(), Scalar(100.0));
  EXPECT_EQ(read_arg("1e-400")->as<Scalar>(), Scalar(0.0));
  EXPECT_EQ(read_arg("-0." + std::string(400, '0') + "1")->as<Scalar>(), Scalar(-0.0));
  EXPECT_EQ(read_arg("2.2250738585072011e-308")->as<Scalar>(), Scalar(0x0.fffffffffffffp-1022));
  const Int big = Int::pow2(799) - Int(1);
  EXPECT_EQ(read_arg(big.to_string())->as<Scalar>(), Scalar(big));
  EXPECT_EQ(to_json(Arg(Scalar(-Int::pow2(799)))), (-Int::pow2(799)).to_string());
  // floats read back bit by bit, whatever the bits
  uint64_t bits = 12345;
  for (int i = 0; i < 20000; ++i) {
    bits = bits * 6364136223846793005u + 1442695040888963407u;
    const auto value = std::bit_cast<double>(bits);
    if (std::isnan(value)) continue;
    EXPECT_EQ(read_arg(to_json(Arg(Scalar(value)))), Arg(Scalar(value)));
  }
}

TEST(JsonArg, StringsAreUnescaped) {
  EXPECT_EQ(read_arg(R"("\u00e4\ud83d\ude00\/\b\f\n\r\t")"), Arg("\xc3\xa4\xf0\x9f\x98\x80/\b\f\n\r\t"));
}

TEST(JsonArg, WhatIsWrongIsSaid) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "expected a value, found the end of the text"},
      {"nul", "expected null"},
      {"NaN", "expected a value, found 'NaN'"},
      {"-Infinity", R"({"float": "nan"})"},
      {"1e999", "beyond the range of float64"},
      {"01", "leading zero"},
      {"1.", "expected a digit"},
      {"1 2", "expected the end of the text, found '2'"},
      {"[1,]", "expected a value, found ']'"},
      {"[1", "expected ',' or ']', found the end of the text"},
      {R"("abc)", "ends inside a string"},
      {"\"\x01\"", "control character"},
      {"\"\xff\"", "not UTF-8"},
      {R"("\ud800")", "half of a surrogate pair"},
      {R"("\q")", "unknown escape"},
      {"{}", "one key"},
      {R"({"op":"ADD","axis":"LOOP"})", "one key"},
      {R"({"op":"PLUS"})", "unknown op 'PLUS'"},
      {R"({"dtype":"float"})", "unknown dtype 'float'"},
      {R"({"thing":1})", "unknown kind of argument 'thing'"},
      {R"({"float":"NaN"})", "expected nan, inf or -inf"},
      {R"({"bytes":"abc"})", "even number"},
      {R"({"bytes":"zz"})", "hexadecimal"},
      {R"({"param":{"dtype":"int32"}})", "needs a slot and a dtype"},
      {R"({"param":{"slot":1.0,"dtype":"int32"}})", "expected an integer"},
      {R"({"param":{"slot":1,"dtype":"int32","vmin_vmax":[1]}})", "needs two values, it has 1"},
      {R"({"param":{"slot":1,"dtype":"int32","colour":1}})", "unknown key 'colour' of a parameter"},
      {R"({"opt":["TC",0]})", "[op, axis, arg]"},
  };
  for (const auto& [text, expected] : cases) {
    const Result<Arg> a = read_arg(text);
    ASSERT_FALSE(a) << text;
    EXPECT_THAT(a.error().message, HasSubstr(expected)) << text;
    EXPECT_THAT(a.error().message, HasSubstr("at byte ")) << text;
  }
}

TEST(JsonArg, NestingIsBounded) {
  const Result<Arg> a = read_arg(std::string(100000, '['));
  ASSERT_FALSE(a);
  EXPECT_THAT(a.error().message, HasSubstr("nested more than 64 deep"));
  const Result<Arg> b = read_arg(std::string(100000, '9'));
  ASSERT_FALSE(b);
  EXPECT_THAT(b.error().message, HasSubstr("an integer of more than 8192 bits"));
}

TEST(JsonNodes, ReadsATable) {
  Store store;
  const Result<UOps> nodes = read_nodes(
      R"([["CONST","weakint",[],4,null], ["CONST","float32",[],4.0,null], ["ADD","int32",[0,0],null,"t"]])", store);
  ASSERT_TRUE(nodes) << nodes.error().message;
  ASSERT_EQ(nodes->size(), 3u);
  EXPECT_EQ((*nodes)[0], store.constant(4));
  EXPECT_EQ((*nodes)[1].val(), Scalar(4.0));
  EXPECT_EQ((*nodes)[2].dtype(), DType::int32);  // as the file says, not derived
  EXPECT_EQ((*nodes)[2].src(1), (*nodes)[0]);
  EXPECT_EQ((*nodes)[2].tag(), Arg("t"));
}

TEST(JsonNodes, EqualEntriesAreOneNode) {
  Store store;
  const Result<UOps> nodes = read_nodes(R"([["CONST","weakint",[],4,null],["CONST","weakint",[],4,null]])", store);
  ASSERT_TRUE(nodes);
  EXPECT_EQ((*nodes)[0], (*nodes)[1]);
}

TEST(JsonNodes, WhatIsWrongIsSaid) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({})", "expected an array, found '{}'"},
      {R"([["ADD","int32",[0],null,null]])", "node 0: at byte 18: the first node has sources"},
      {R"([["NOOP","void",[],null,null],["ADD","int32",[1],null,null]])",
       "node 1: at byte 48: source 1 does not come before its user, node 1"},
      {R"([["NOOP","void",[],null,null],["ADD","int32",[-1],null,null]])", "expected an integer from 0"},
      {R"([["FOO","int32",[],null,null]])", "node 0: at byte 8: unknown op 'FOO'"},
      {R"([["none","int32",[],null,null]])", "unknown op 'none'"},
      {R"([["NOOP","float",[],null,null]])", "unknown dtype 'float'"},
      {R"([["NOOP","void",[],null]])", "five fields, [op, dtype, sources, arg, tag], this one has 4"},
      {R"([["NOOP","void",[],null,null,1]])", "this one has more"},
      {R"([["NOOP","void",[],null,1.5]])", "a tag is null"},
      {R"([["NOOP","void",[],null,["a"]]])", "a tag is null"},
      {R"([["CONST","int32",[],"4",null]])",
       "CONST needs a bool, a number or the invalid value as its argument, not \"4\""},
      {R"([["PARAM","int32",[],null,null]])", "PARAM needs {\"param\": ...}"},
      {R"([["RANGE","int32",[],[0,{"axis":"LOOP"}],null]])", "RANGE needs 1 source, this one has 0"},
      {R"([["INDEX","int32",[],null,null]])", "INDEX needs 1 source, this one has 0"},
      {R"([["CONST","int32",[],1,null],["ADD","int32",[0],null,null]])", "ADD needs 2 sources, this one has 1"},
      {R"([["RANGE","int32",[],[{"axis":"LOOP"}],null]])", "RANGE needs [number, ..., {\"axis\": type}]"},
  };
  for (const auto& [text, expected] : cases) {
    Store store;
    const Result<UOps> nodes = read_nodes(text, store);
    ASSERT_FALSE(nodes) << text;
    EXPECT_THAT(nodes.error().message, HasSubstr(expected)) << text;
  }
}

TEST(JsonNodes, SizesAreLimited) {
  Store store;
  const char* text =
      R"([["CONST","weakint",[],1,null],["CONST","weakint",[],2,null],["ADD","weakint",[0,1],null,null]])";
  const Result<UOps> nodes = read_nodes(text, store, SIZE_MAX, {.nodes = 2});
  ASSERT_FALSE(nodes);
  EXPECT_THAT(nodes.error().message, HasSubstr("more than 2 nodes"));
  const Result<UOps> sources = read_nodes(text, store, SIZE_MAX, {.sources = 1});
  ASSERT_FALSE(sources);
  EXPECT_THAT(sources.error().message, HasSubstr("more than 1 sources"));
  EXPECT_EQ(read_nodes(text, store, 2)->size(), 2u);
}

TEST(NodeTable, NumbersNodesInTopologicalOrderGraphByGraph) {
  Store store;
  const UOp one = store.constant(1), two = store.constant(2), three = store.constant(3);
  const UOp a = two + one;
  const UOp b = three * a;
  NodeTable table;
  EXPECT_EQ(table.add(a), 2u);
  EXPECT_EQ(table.add(b), 4u);
  EXPECT_EQ(table.add(a), 2u);
  EXPECT_EQ(table.nodes(), (UOps{two, one, a, three, b}));
  EXPECT_EQ(table.find(three), 3u);
  EXPECT_EQ(table.find(store.constant(9)), std::nullopt);
  std::string json;
  table.append_json(json);
  EXPECT_EQ(json, R"([["CONST","weakint",[],2,null],["CONST","weakint",[],1,null],["ADD","weakint",[0,1],null,null],)"
                  R"(["CONST","weakint",[],3,null],["MUL","weakint",[3,2],null,null]])");
}

}  // namespace
}  // namespace rangescope
